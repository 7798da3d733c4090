// SPDX-License-Identifier: BSD-3-Clause
#include "client/fetch_command.hpp"

#include "client/remote_command.hpp"
#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/ending.hpp"
#include "run/snapshot.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/best_checkpoint.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using part = fetch_request::part;

/// Exit status of GNU tar where files changed while they were read.
constexpr int tar_saw_changes = 1;

/// A directory that is to be fetched, and what it is.
struct fetched_place {
  fs::path directory;
  /// Default name of its copy.
  std::string name;
  /// Nothing: it is the whole experiment.
  std::optional<trial_id> trial;
};

error nothing(const fs::path& directory, const std::string& why) {
  return {ec::unreadable, printable(directory.string()) + ": " + why};
}

/// The trial that is meant: the best where none is named.
expected<trial_row> trial_of(const fetch_request& what, store_reader& from,
                             const recorded_experiment& recorded, const fs::path& directory) {
  auto which = what.trial;
  if (!which) {
    auto seen = recorded_snapshot(from, recorded.row, frame_of(recorded.what, directory));
    if (!seen)
      return reading_failed(seen.error());
    if (!seen->best)
      return nothing(directory, "no trial is the best yet: name one");
    which = seen->best->trial;
  }
  auto row = from.trial(*which);
  if (!row)
    return reading_failed(row.error());
  if (!*row)
    return error{ec::unknown_name,
                 printable(directory.string()) + ": there is no trial " + to_text(*which)};
  return std::move(**row);
}

/// The checkpoint of a trial's best report.
expected<fs::path> checkpoint_of(const trial_row& trial, store_reader& from, const spec& what,
                                 const fs::path& directory) {
  auto found = best_checkpoint(from, trial, what.experiment.objectives.front(),
                               what.experiment.constraints);
  if (!found)
    return reading_failed(found.error());
  const auto name = "trial " + to_text(trial.trial);
  if (!*found)
    return nothing(directory, name + " has no checkpoint");
  const auto& location = (*found)->checkpoint.location;
  if (location.starts_with(kept_outside))
    return nothing(directory,
                   "the checkpoint of " + name + " is kept by its executor: " + location);
  return directory / location;
}

/// The directory with the exports of a trial's last attempt that made any.
expected<fs::path> exports_of(const trial_row& trial, store_reader& from,
                              const fs::path& directory) {
  auto rows = from.exports(trial.trial);
  if (!rows)
    return reading_failed(rows.error());
  auto found = std::find_if(rows->rbegin(), rows->rend(),
                            [](const export_row& x) { return !x.location.empty(); });
  if (found == rows->rend())
    return nothing(directory, "trial " + to_text(trial.trial) + " has exported nothing");
  return directory / found->location;
}

expected<fetched_place> place_of(const fetch_request& what, const fs::path& directory) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reading_failed(reader.error());
  auto recorded = read_experiment(*reader, directory);
  if (!recorded)
    return recorded.error();
  const auto& name = recorded->what.experiment.name;
  if (what.what == part::experiment) {
    if (what.trial)
      return error{ec::bad_option, "--what experiment goes with no TRIAL"};
    if (is_led(directory))
      return error{ec::refused, printable(directory.string())
                                    + ": it runs, and its record changes: wait for its end ("
                                    + program_call("wait " + experiment_words(directory.string()))
                                    + "), or fetch a trial"};
    return fetched_place{directory, name, std::nullopt};
  }
  auto trial = trial_of(what, *reader, *recorded, directory);
  if (!trial)
    return trial.error();
  const auto called = name + "-" + to_text(trial->trial);
  if (what.what == part::trial)
    return fetched_place{trials_directory(directory) / to_text(trial->trial), called, trial->trial};
  auto found = what.what == part::exports
                   ? exports_of(*trial, *reader, directory)
                   : checkpoint_of(*trial, *reader, recorded->what, directory);
  if (!found)
    return found.error();
  return fetched_place{*found, called + "-" + found->filename().string(), trial->trial};
}

object to_object(const fetched_place& x, part what) {
  return {{"name", x.name},
          {"what", to_text(what)},
          {"trial", x.trial ? value{to_text(*x.trial)} : value{}}};
}

void write_fetched(const command_line& line, const fs::path& target, object about) {
  about.set("name", target.string());
  switch (line.output.value_or(output_format::table)) {
    case output_format::table:
      std::cout << printable(target.string()) << '\n';
      return;
    case output_format::json:
    case output_format::jsonl:
      std::cout << to_json(about) << '\n';
      return;
    case output_format::csv:
      std::cout << csv_line({"name", "what", "trial"})
                << csv_line({target.string(), to_text(*about.find("what")),
                             about.find("trial")->is_null() ? "" : to_text(*about.find("trial"))});
  }
}

/// A copy on its way: beside its place until it is whole.
class incoming_copy {
public:
  incoming_copy() = default;
  incoming_copy(const incoming_copy&) = delete;
  incoming_copy& operator=(const incoming_copy&) = delete;
  ~incoming_copy() {
    std::error_code ignored;
    if (!draft_.empty())
      fs::remove_all(draft_, ignored);
  }

  /// @param target Must not be there. @errors `ec::refused`, `ec::storage`.
  expected<fs::path> begin(const fs::path& target) {
    std::error_code failed;
    if (fs::exists(fs::symlink_status(target, failed)))
      return error{ec::refused,
                   printable(target.string()) + " is there already: choose another by --to"};
    target_ = target;
    auto draft = target;
    draft += ".part";
    if (!fs::create_directory(draft, failed))
      return error{failed ? ec::storage : ec::refused,
                   printable(draft.string()) + ": "
                       + (failed ? failed.message() : "it is there already: is it being fetched?")};
    draft_ = draft;
    return draft_;
  }
  expected<void> end() {
    std::error_code failed;
    fs::rename(draft_, target_, failed);
    if (failed)
      return error{ec::storage, printable(target_.string()) + ": " + failed.message()};
    draft_.clear();
    return {};
  }
  [[nodiscard]] const fs::path& target() const { return target_; }

private:
  fs::path target_;
  fs::path draft_;
};

/// In the process that a head runs for its client.
exit_code send_archive(const fetched_place& from, part what) {
  std::cout << to_json(to_object(from, what)) << std::endl;
  const auto parent = from.directory.parent_path().string();
  const auto name = "./" + from.directory.filename().string();
  ::execlp("tar", "tar", "-C", parent.c_str(), "-cf", "-", "--", name.c_str(), nullptr);
  return complain({ec::unreadable, std::string{"cannot run tar: "} + std::strerror(errno)});
}

exit_code copy_here(const command_line& line, const fetched_place& from,
                    const fetch_request& what) {
  incoming_copy copy;
  auto draft = copy.begin(what.to.empty() ? fs::path{from.name} : fs::path{what.to});
  if (!draft)
    return complain(draft.error());
  std::error_code failed;
  fs::copy(from.directory, *draft, fs::copy_options::recursive | fs::copy_options::copy_symlinks,
           failed);
  if (failed)
    return complain({ec::storage, printable(from.directory.string()) + ": " + failed.message()});
  if (auto done = copy.end(); !done)
    return complain(done.error());
  write_fetched(line, copy.target(), to_object(from, what.what));
  return exit_code::done;
}

/// Unpacks the answer of a head: a line about the archive, then the archive, which `tar` reads.
class archive_reader {
public:
  explicit archive_reader(const fetch_request& what) : what_{what} {}
  archive_reader(const archive_reader&) = delete;
  archive_reader& operator=(const archive_reader&) = delete;
  ~archive_reader() { static_cast<void>(close()); }

  /// @returns whether more is wanted; see `failure`.
  bool take(std::string_view bytes) {
    if (tar_ == nullptr) {
      head_.append(bytes);
      auto end = head_.find('\n');
      if (end == head_.npos)
        return head_.size() < longest_head;
      if (auto begun = begin(head_.substr(0, end)); !begun) {
        failure_ = begun.error();
        return false;
      }
      return write(std::string_view{head_}.substr(end + 1));
    }
    return write(bytes);
  }

  [[nodiscard]] bool has_begun() const { return begun_; }
  [[nodiscard]] const std::optional<error>& failure() const { return failure_; }
  [[nodiscard]] const object& about() const { return about_; }

  /// Everything has come. @returns where it is.
  expected<fs::path> finish() {
    if (close() != 0)
      return error{ec::storage, "tar could not unpack what the head sent"};
    if (auto done = copy_.end(); !done)
      return done.error();
    return copy_.target();
  }

private:
  /// [bytes]
  static constexpr std::size_t longest_head = 64 * 1024;

  const fetch_request& what_;
  std::string head_;
  object about_;
  incoming_copy copy_;
  std::FILE* tar_ = nullptr;
  bool begun_ = false;
  std::optional<error> failure_;

  expected<void> begin(const std::string& line) {
    auto about = object_from_json(line);
    const auto* name = about ? about->find("name") : nullptr;
    if (name == nullptr || name->as_string() == nullptr)
      return error{ec::protocol, "what the head sends makes no sense"};
    // Nothing that a head says leads out of this directory.
    const auto called = fs::path{*name->as_string()}.filename();
    if (what_.to.empty() && (called.empty() || called == "." || called == ".."))
      return error{ec::protocol, "what the head sends has no name"};
    about_ = std::move(*about);
    auto draft = copy_.begin(what_.to.empty() ? called : fs::path{what_.to});
    if (!draft)
      return draft.error();
    const auto command = "tar -xf - --no-same-owner --strip-components=2 -C "
                         + shell_word(fs::absolute(*draft).string());
    tar_ = ::popen(command.c_str(), "we");
    if (tar_ == nullptr)
      return error{ec::process, std::string{"cannot run tar: "} + std::strerror(errno)};
    begun_ = true;
    return {};
  }

  bool write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), tar_) == bytes.size())
      return true;
    failure_ = error{ec::storage, std::string{"tar could not write: "} + std::strerror(errno)};
    return false;
  }

  int close() {
    auto* gone = std::exchange(tar_, nullptr);
    return gone == nullptr ? 0 : ::pclose(gone);
  }
};

} // namespace

std::string_view to_text(fetch_request::part x) {
  static constexpr std::array<std::string_view, 4> names{"checkpoint", "exports", "trial",
                                                         "experiment"};
  return names[static_cast<std::size_t>(x)];
}

exit_code fetch(const command_line& line, const fetch_request& what) {
  auto found = directory_of(what.directory);
  if (!found)
    return complain(found.error());
  auto place = place_of(what, fs::absolute(*found).lexically_normal());
  if (!place)
    return complain(place.error());
  std::error_code failed;
  if (!fs::is_directory(place->directory, failed))
    return complain(nothing(place->directory, "it is not there any more"));
  return words_to_head().empty() ? copy_here(line, *place, what) : send_archive(*place, what.what);
}

exit_code fetch_from_head(const command_line& line, const at_head_request& from,
                          const fetch_request& what, const table_look& look) {
  // A tar that ends early is told of by what it left undone.
  ::signal(SIGPIPE, SIG_IGN);
  archive_reader reader{what};
  auto code = ask_head(from, look, [&](std::string_view out, std::string_view err) {
    std::cerr << err << std::flush;
    return reader.take(out);
  });
  if (reader.failure())
    return complain(*reader.failure());
  // A file that changes while it is packed, such as the log of a running trial, is no failure.
  const auto has_all = code == exit_code::done
                       || (reader.has_begun() && static_cast<int>(code) == tar_saw_changes);
  if (!has_all || !reader.has_begun())
    return code;
  auto target = reader.finish();
  if (!target)
    return complain(target.error());
  write_fetched(line, *target, reader.about());
  return exit_code::done;
}

} // namespace tune::cli
