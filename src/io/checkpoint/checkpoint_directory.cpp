// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

error failed(const std::string& doing, const fs::path& where, int why) {
  return {ec::storage, "cannot " + doing + " " + where.string() + ": " + std::strerror(why)};
}

error failed(const std::string& doing, const fs::path& where, const std::error_code& why) {
  return {ec::storage, "cannot " + doing + " " + where.string() + ": " + why.message()};
}

expected<void> sync_path(const fs::path& what) {
  auto descriptor = ::open(what.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return failed("open", what, errno);
  auto status = ::fsync(descriptor);
  auto why = errno;
  ::close(descriptor);
  if (status != 0)
    return failed("sync", what, why);
  return {};
}

/// Syncs all files and directories below `root`, and `root`. @returns the bytes of the files.
expected<std::uint64_t> sync_tree(const fs::path& root) {
  std::uint64_t bytes = 0;
  std::error_code why;
  fs::recursive_directory_iterator i{root, why};
  for (; !why && i != fs::end(i); i.increment(why)) {
    // Opening a pipe would wait for its writer.
    if (i->is_symlink(why) || !(i->is_regular_file(why) || i->is_directory(why)))
      continue;
    if (i->is_regular_file(why))
      bytes += i->file_size(why);
    if (auto done = sync_path(i->path()); !done)
      return done.error();
  }
  if (why)
    return failed("read", root, why);
  if (auto done = sync_path(root); !done)
    return done.error();
  return bytes;
}

/// Whether a copy of `outer` into `inner` would copy itself.
bool holds(const fs::path& outer, const fs::path& inner) {
  std::error_code why;
  auto way = fs::relative(inner, outer, why);
  return !why && !way.empty() && *way.begin() != "..";
}

/// Whether a link leads to where it came from: it would be followed without end.
/// @param depth directories between the link and the one that is copied.
bool leads_back(const fs::path& link, int depth) {
  auto passed = link.parent_path();
  for (; depth >= 0; --depth, passed = passed.parent_path()) {
    if (holds(link, passed))
      return true;
  }
  return false;
}

/// Only files and directories can be taken over, and what links lead to where it is one of both.
expected<void> must_be_copiable(const fs::path& what) {
  std::error_code why;
  auto about = fs::status(what, why);
  if (!fs::exists(about))
    return error{ec::storage, "cannot copy " + what.string() + ": "
                                  + (why ? why.message() : "there is no such file or directory")};
  if (fs::is_regular_file(about) || fs::is_directory(about))
    return {};
  return error{ec::storage,
               "cannot copy " + what.string() + ": it is neither a file nor a directory"};
}

/// @errors `ec::storage` where it is no directory, or holds what cannot be taken over.
expected<void> must_be_checkpoint(const fs::path& root) {
  if (auto fit = must_be_copiable(root); !fit)
    return fit;
  std::error_code why;
  if (!fs::is_directory(root, why))
    return error{ec::storage, "cannot copy " + root.string() + ": it is not a directory"};
  auto follow = fs::directory_options::follow_directory_symlink;
  fs::recursive_directory_iterator i{root, follow, why};
  for (; !why && i != fs::end(i); i.increment(why)) {
    if (auto fit = must_be_copiable(i->path()); !fit)
      return fit;
    if (i->is_symlink(why) && i->is_directory(why) && leads_back(i->path(), i.depth()))
      return error{ec::storage,
                   "cannot copy " + i->path().string() + ": the link leads to where it lies"};
  }
  if (why)
    return failed("read", root, why);
  return {};
}

std::string padded(std::uint64_t number) {
  auto digits = std::to_string(number);
  return digits.size() < 6 ? std::string(6 - digits.size(), '0') + digits : digits;
}

} // namespace

checkpoint_directory::checkpoint_directory(fs::path experiment, trial_id trial, attempt_id attempt)
    : experiment_{std::move(experiment)}
    , parent_{
          experiment_ / "trials" / to_text(trial)
          / ("attempt_" + std::to_string(attempt.epoch) + "_" + std::to_string(attempt.counter))} {}

expected<fs::path> checkpoint_directory::begin() {
  if (!closed_.empty())
    return error{ec::storage, closed_};
  abandon();
  open_ = parent_ / ("checkpoint_" + padded(++count_) + ".tmp");
  std::error_code why;
  fs::create_directories(open_, why);
  if (why)
    return failed("make", open_, why);
  return open_;
}

expected<checkpoint_directory::entry> checkpoint_directory::commit() {
  auto bytes = sync_tree(open_);
  if (!bytes) {
    auto reason = bytes.error();
    abandon();
    return reason;
  }
  auto final_name = open_;
  final_name.replace_extension();
  std::error_code why;
  fs::rename(open_, final_name, why);
  if (why) {
    auto reason = failed("rename", open_, why);
    abandon();
    return reason;
  }
  open_.clear();
  // The names on the way down must be as safe as the content.
  for (auto dir = parent_; dir != experiment_ && !dir.empty(); dir = dir.parent_path()) {
    if (auto done = sync_path(dir); !done)
      return done.error();
  }
  return entry{fs::relative(final_name, experiment_).string(), *bytes};
}

void checkpoint_directory::abandon() {
  if (open_.empty())
    return;
  std::error_code ignored;
  fs::remove_all(open_, ignored);
  open_.clear();
}

expected<checkpoint_directory::entry> checkpoint_directory::adopt(const fs::path& from) {
  auto to = begin();
  if (!to)
    return to.error();
  if (auto fit = must_be_checkpoint(from); !fit) {
    abandon();
    return fit.error();
  }
  if (holds(from, *to)) {
    abandon();
    return error{ec::storage,
                 "cannot copy " + from.string() + ": the experiment keeps its checkpoints in it"};
  }
  std::error_code why;
  fs::copy(from, *to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, why);
  if (why) {
    abandon();
    return failed("copy", from, why);
  }
  return commit();
}

expected<void> remove_checkpoint(const fs::path& experiment, const std::string& location) {
  if (location.empty())
    return {};
  // trials/<trial>/<attempt>/checkpoint_<n>, and nothing else is ever removed.
  auto way = fs::path{location}.lexically_normal();
  if (std::distance(way.begin(), way.end()) != 4 || *way.begin() != "trials"
      || !way.filename().string().starts_with("checkpoint_"))
    return error{ec::internal, location + " is no checkpoint"};
  std::error_code why;
  fs::remove_all(experiment / way, why);
  if (why)
    return failed("remove", experiment / way, why);
  return {};
}

namespace {

/// The number of a trial by the name of its folder.
std::optional<trial_id> trial_of(const fs::path& folder) {
  auto name = folder.filename().string();
  std::uint64_t number = 0;
  auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failed != std::errc{} || end != name.data() + name.size()
      || to_text(trial_id{number}) != name)
    return std::nullopt;
  return trial_id{number};
}

/// Directories in `folder` whose names begin with `prefix`; links lead elsewhere and are left
/// alone.
std::vector<fs::path> directories_in(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> result;
  std::error_code ignored;
  for (fs::directory_iterator i{folder, ignored}; i != fs::end(i); i.increment(ignored)) {
    if (i->path().filename().string().starts_with(prefix) && i->is_directory(ignored)
        && !i->is_symlink(ignored))
      result.push_back(i->path());
  }
  return result;
}

} // namespace

expected<std::size_t> sweep_checkpoints(const fs::path& experiment,
                                        const is_registered_function& is_registered) {
  std::size_t count = 0;
  for (const auto& folder : directories_in(experiment / "trials", "")) {
    auto trial = trial_of(folder);
    if (!trial)
      continue;
    std::vector<fs::path> strays;
    for (const auto& attempt : directories_in(folder, "attempt_")) {
      for (const auto& each : directories_in(attempt, "checkpoint_")) {
        auto known = is_registered(*trial, each.lexically_relative(experiment).string());
        if (!known)
          return known.error();
        if (!*known)
          strays.push_back(each);
      }
    }
    std::error_code ignored;
    for (const auto& each : strays)
      fs::remove_all(each, ignored);
    count += strays.size();
  }
  return count;
}

} // namespace tune
