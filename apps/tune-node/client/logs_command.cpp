// SPDX-License-Identifier: BSD-3-Clause
#include "client/logs_command.hpp"

#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/ending.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <thread>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Between two looks at a file that grows.
constexpr std::chrono::milliseconds pace{200};

/// A log file, and the experiment or trial that writes it.
struct log_source {
  fs::path directory;
  /// Arguments of `file_follower`.
  fs::path trusted;
  fs::path way;
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
  return log_source{directory, trials_directory(directory),
                    fs::path{to_text(*what.trial)} / (what.errors ? "stderr" : "stdout"),
                    what.trial};
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
  const auto file = directory / what->log.file;
  return log_source{directory, file.parent_path(), file.filename(), std::nullopt};
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
  file_follower file{x.trusted, x.way};
  for (;;) {
    // Read once more after the end, for output written just before it.
    auto over = is_over(x);
    if (auto done = file.catch_up(std::cout); !done)
      return complain(done.error());
    std::cout.flush();
    if (over || !std::cout)
      return exit_code::done;
    std::this_thread::sleep_for(pace);
  }
}

} // namespace

expected<bool> file_follower::catch_up(std::ostream& out) {
  auto where = guarded_directory::open(trusted_, way_.parent_path());
  if (!where && where.error().code == ec::storage)
    return false;
  if (!where)
    return where.error();
  const auto name = way_.filename().string();
  // If it is no regular file, reading it reports that.
  if (!where->has_file(name) && where->oddity(name).empty())
    return false;
  auto opened = where->read(name);
  if (!opened)
    return opened.error();
  auto copied = copy(opened->number(), out);
  if (!copied)
    return copied.error();
  return true;
}

expected<void> file_follower::copy(int from, std::ostream& out) {
  struct ::stat about {};
  if (::fstat(from, &about) == 0 && static_cast<std::uint64_t>(about.st_size) < done_)
    done_ = 0;
  std::array<char, 64 * 1024> buffer;
  while (out) {
    const auto count = ::pread(from, buffer.data(), buffer.size(), static_cast<::off_t>(done_));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return error{ec::unreadable,
                   "cannot read " + (trusted_ / way_).string() + ": " + std::strerror(errno)};
    if (count == 0)
      break;
    out.write(buffer.data(), count);
    done_ += static_cast<std::uint64_t>(count);
  }
  return {};
}

exit_code show_logs(const command_line&, const logs_request& what) {
  auto found = source_of(what);
  if (!found)
    return complain(found.error());
  if (what.follow)
    return follow(*found);
  auto shown = file_follower{found->trusted, found->way}.catch_up(std::cout);
  if (!shown)
    return complain(shown.error());
  if (*shown)
    return exit_code::done;
  const auto file = found->trusted / found->way;
  if (!is_over(*found)) {
    std::cerr << program_name() << ": " << printable(file.string())
              << ": nothing was written there yet\n";
    return exit_code::done;
  }
  return complain({ec::unreadable, file.string() + ": nothing was written there"});
}

} // namespace tune::cli
