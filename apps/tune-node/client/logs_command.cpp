// SPDX-License-Identifier: BSD-3-Clause
#include "client/logs_command.hpp"

#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/ending.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <array>
#include <fstream>
#include <iostream>
#include <thread>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Between two looks at a file that grows.
constexpr std::chrono::milliseconds pace{200};

/// Where it is, and when nothing more will come.
struct log_source {
  fs::path directory;
  fs::path file;
  std::optional<trial_id> trial;
};

expected<log_source> trial_source(const fs::path& directory, const logs_request& what,
                                  store_reader& from) {
  auto row = from.trial(*what.trial);
  if (!row)
    return reading_failed(row.error());
  if (!*row)
    return error{ec::unknown_name,
                 printable(directory.string()) + ": there is no trial " + to_text(*what.trial)};
  auto file
      = trials_directory(directory) / to_text(*what.trial) / (what.errors ? "stderr" : "stdout");
  return log_source{directory, std::move(file), what.trial};
}

expected<log_source> run_source(const fs::path& directory, store_reader& from) {
  auto row = from.experiment();
  if (!row)
    return reading_failed(row.error());
  auto what = spec_from_json(row->spec);
  if (!what)
    return error{ec::storage, printable(directory.string()) + ": " + to_text(what.error())};
  if (what->log.file.empty())
    return error{ec::bad_option, printable(directory.string())
                                     + ": it writes no log of its own ([log] file is not set);"
                                       " name a trial to see what that printed"};
  return log_source{directory, directory / what->log.file, std::nullopt};
}

expected<log_source> source_of(const logs_request& what) {
  auto directory = directory_of(what.directory);
  if (!directory)
    return directory.error();
  auto reader = store_reader::open(*directory);
  if (!reader)
    return reading_failed(reader.error());
  return what.trial ? trial_source(*directory, what, *reader) : run_source(*directory, *reader);
}

/// Whether nothing more will be written.
bool is_over(const log_source& x) {
  if (!is_led(x.directory))
    return true;
  if (!x.trial)
    return false;
  auto reader = store_reader::open(x.directory);
  auto row = reader ? reader->trial(*x.trial) : expected<std::optional<trial_row>>{reader.error()};
  // The next look may succeed.
  return row && *row && is_final((*row)->status);
}

exit_code follow(const log_source& x) {
  file_follower file{x.file};
  for (;;) {
    // What is written before the end is read after it.
    auto over = is_over(x);
    file.catch_up(std::cout);
    std::cout.flush();
    if (over || !std::cout)
      return exit_code::done;
    std::this_thread::sleep_for(pace);
  }
}

} // namespace

bool file_follower::catch_up(std::ostream& out) {
  std::error_code failed;
  auto size = fs::file_size(file_, failed);
  if (failed)
    return false;
  if (size < done_)
    done_ = 0;
  std::ifstream in{file_, std::ios::binary};
  in.seekg(static_cast<std::streamoff>(done_));
  std::array<char, 64 * 1024> buffer;
  while (in && out) {
    in.read(buffer.data(), buffer.size());
    out.write(buffer.data(), in.gcount());
    done_ += static_cast<std::uintmax_t>(in.gcount());
  }
  return true;
}

exit_code show_logs(const command_line&, const logs_request& what) {
  auto found = source_of(what);
  if (!found)
    return complain(found.error());
  if (what.follow)
    return follow(*found);
  if (file_follower{found->file}.catch_up(std::cout))
    return exit_code::done;
  return complain({ec::unreadable, found->file.string() + ": nothing was written there"});
}

} // namespace tune::cli
