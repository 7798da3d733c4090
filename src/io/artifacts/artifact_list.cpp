// SPDX-License-Identifier: BSD-3-Clause
#include "files/manifest_order.hpp"
#include "files/open_digest.hpp"
#include "spec/key_texts.hpp"

#include "tune/io/artifacts/artifacts.hpp"
#include "tune/io/checkpoint/checkpoint_limits.hpp"
#include "tune/io/files/file_mode.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

struct end_of_listing {
  void operator()(::DIR* x) const { ::closedir(x); }
};
using open_listing = std::unique_ptr<::DIR, end_of_listing>;

/// A directory that is still to be searched, with its path relative to the trial's directory.
struct branch {
  std::string way;
  std::size_t depth = 0;
};

/// The files found in a trial's directory, and why some of them are left out.
struct harvest {
  artifact_rules rules;
  std::vector<std::string> except;
  std::vector<shipped_file> files = {};
  std::vector<branch> open = {{{}, 0}};
  std::size_t seen = 0;
  /// The first problem with a file that matches the patterns.
  std::string trouble = {};

  [[nodiscard]] bool matches(const std::string& path) const {
    return std::any_of(rules.patterns.begin(), rules.patterns.end(),
                       [&](const auto& x) { return matches_artifact(x, path); });
  }
  [[nodiscard]] bool may_hold(const std::string& path) const {
    return std::any_of(rules.patterns.begin(), rules.patterns.end(),
                       [&](const auto& x) { return may_match_below(x, path); });
  }
  [[nodiscard]] bool may_name(const std::string& path) const {
    return matches(path) || may_hold(path);
  }
  [[nodiscard]] bool is_excepted(const std::string& path) const {
    return std::any_of(except.begin(), except.end(),
                       [&](const auto& x) { return path == x || files::lies_below(path, x); });
  }
  void leave(const std::string& path, const std::string& why) {
    if (trouble.empty())
      trouble = path + ": " + why;
  }
};

/// Examines one entry of a directory.
void look_at(harvest& to, int directory, const branch& in, const std::string& name) {
  const auto path = in.way.empty() ? name : in.way + '/' + name;
  if ((in.way.empty() && is_runtime_name(name)) || to.is_excepted(path))
    return;
  struct ::stat about {};
  // O_PATH, since a file system mounted there may never answer.
  const store::descriptor place{beneath::open(directory, name, O_PATH)};
  if (place.number() < 0 || ::fstat(place.number(), &about) != 0) {
    if (const int why = errno; why == EXDEV && to.may_name(path))
      to.leave(path, "something is mounted there");
    else if (why != EXDEV && why != ENOENT)
      to.leave(path, std::strerror(why));
    return;
  }
  if (S_ISDIR(about.st_mode)) {
    if (to.may_hold(path) && in.depth < max_checkpoint_depth)
      to.open.push_back({path, in.depth + 1});
    return;
  }
  if (!S_ISREG(about.st_mode) || !to.matches(path))
    return;
  if (auto why = files::path_fault(path); !why.empty())
    return to.leave(path, why);
  to.files.push_back({path,
                      static_cast<std::uint32_t>(about.st_mode) & executable_bits,
                      static_cast<std::uint64_t>(about.st_size),
                      {}});
}

/// Opens a directory for reading; null if that fails.
open_listing list(const guarded_directory& root, const branch& what) {
  const int number = beneath::open(root.number(), what.way, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  return open_listing{number < 0 ? nullptr : ::fdopendir(number)};
}

sliced<bool> harvesting(const guarded_directory& root, harvest& to) {
  while (!to.open.empty()) {
    const auto next = std::move(to.open.back());
    to.open.pop_back();
    const auto names = list(root, next);
    if (!names) {
      to.leave(next.way, std::strerror(errno));
      continue;
    }
    while (const auto* entry = ::readdir(names.get())) {
      const std::string name{entry->d_name};
      if (name == "." || name == "..")
        continue;
      if (++to.seen > max_checkpoint_entries) {
        to.leave(next.way + "/…", "there are more than " + std::to_string(max_checkpoint_entries)
                                      + " names to look through");
        co_return false;
      }
      look_at(to, ::dirfd(names.get()), next, name);
      co_await next_slice{};
    }
  }
  co_return true;
}

std::string count_text(std::size_t files) {
  return std::to_string(files) + (files == 1 ? " file" : " files");
}

/// Keeps as many files as the limits allow, the smallest first. @returns why others are left out;
/// empty if none are.
std::string choose(std::vector<shipped_file>& files, const artifact_rules& rules) {
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.size != b.size ? a.size < b.size : files::path_before(a.path, b.path);
  });
  std::uint64_t bytes = 0;
  std::size_t kept = 0;
  const auto most = std::min<std::uint64_t>(rules.max_files, max_artifact_files);
  while (kept < files.size() && kept < most
         && (rules.max_bytes == 0 || files[kept].size <= rules.max_bytes - bytes))
    bytes += files[kept++].size;
  if (kept == files.size())
    return {};
  const auto is_count = kept == most;
  const auto all = files.size();
  const auto largest = files.back();
  files.resize(kept);
  return count_text(all - kept) + " of " + std::to_string(all)
         + (all - kept == 1 ? " that it wrote stays behind, the largest "
                            : " that it wrote stay behind, the largest ")
         + largest.path + " with " + key_texts::bytes(largest.size) + ": [trainable] "
         + (is_count ? "artifacts_max_files is " + std::to_string(most)
                     : "artifacts_max_size is " + key_texts::bytes(rules.max_bytes));
}

/// The directories that contain the files, parents first.
std::vector<std::string> directories_of(const std::vector<shipped_file>& all) {
  std::set<std::string> names;
  for (const auto& x : all) {
    for (auto end = x.path.find('/'); end != x.path.npos; end = x.path.find('/', end + 1))
      names.insert(x.path.substr(0, end));
  }
  std::vector<std::string> result{names.begin(), names.end()};
  std::sort(result.begin(), result.end(), files::path_before);
  return result;
}

sliced<std::optional<error>> hashing(const guarded_directory& root, harvest& of) {
  std::vector<shipped_file> good;
  for (auto& file : of.files) {
    auto opened = root.read(file.path);
    if (!opened && opened.error().code == ec::shortage)
      co_return opened.error();
    if (!opened) {
      of.leave(file.path, opened.error().detail);
      continue;
    }
    auto name = root.path() / file.path;
    auto digest = co_await digesting_open(std::move(*opened), std::move(name), file.size);
    if (!digest) {
      of.leave(file.path, digest.error().detail);
      continue;
    }
    file.size = digest->size;
    file.hash = std::move(digest->hash);
    good.push_back(std::move(file));
    co_await next_slice{};
  }
  of.files = std::move(good);
  co_return std::nullopt;
}

} // namespace

sliced<expected<artifact_list>> listing_artifacts(fs::path directory, artifact_rules rules,
                                                  std::vector<std::string> except) {
  artifact_list result;
  auto above = guarded_directory::open(directory.parent_path());
  if (!rules.wants_any() || !above || !above->has_any(directory.filename()))
    co_return result;
  auto root = guarded_directory::open(directory.parent_path(), directory.filename());
  if (!root)
    co_return root.error();
  harvest found{std::move(rules), std::move(except)};
  static_cast<void>(co_await harvesting(*root, found));
  result.left_behind = choose(found.files, found.rules);
  if (auto trouble = co_await hashing(*root, found))
    co_return *trouble;
  if (!found.trouble.empty())
    result.left_behind
        += (result.left_behind.empty() ? "" : "; ") + ("cannot keep " + found.trouble);
  result.content.directories = directories_of(found.files);
  result.content.files = std::move(found.files);
  std::sort(result.content.files.begin(), result.content.files.end(),
            [](const auto& a, const auto& b) { return files::path_before(a.path, b.path); });
  co_return result;
}

} // namespace tune
