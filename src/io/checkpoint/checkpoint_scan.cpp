// Scans the content of a checkpoint's directory and compares it with its manifest.
// SPDX-License-Identifier: BSD-3-Clause
#include "files/directory_list.hpp"
#include "files/manifest_order.hpp"
#include "files/open_digest.hpp"
#include "held_checkpoint.hpp"
#include "held_scan.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_scan.hpp"
#include "tune/io/checkpoint/verify_copy.hpp"
#include "tune/io/files/file_mode.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/json.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// The target of a symbolic link.
expected<std::string> target_of(const store::descriptor& link, const fs::path& where, ec mine) {
  std::string text(PATH_MAX, '\0');
  const auto size = ::readlinkat(link.number(), "", text.data(), text.size());
  if (size < 0)
    return files::not_reached(where, "read the link", errno, mine);
  text.resize(static_cast<std::size_t>(size));
  return text;
}

/// An entry for a file that is not hashed yet.
shipped_file unhashed(const struct ::stat& about, std::string name) {
  return {std::move(name),
          static_cast<std::uint32_t>(about.st_mode) & executable_bits,
          static_cast<std::uint64_t>(about.st_size),
          {}};
}

/// Adds an entry; anything but files, directories and links is left out.
/// @param in The directory that contains it. @param way Its path relative to the checkpoint.
expected<void> add_entry(checkpoint_manifest& to, int in, const std::string& name, std::string way,
                         const fs::path& where) {
  if (auto why = files::path_fault(way); !why.empty())
    return error{ec::storage, "cannot keep " + where.string() + ": " + why};
  const store::descriptor place{beneath::open(in, name, O_PATH)};
  struct ::stat about {};
  if (place.number() < 0 || ::fstat(place.number(), &about) != 0)
    return files::not_reached(where, "look at", errno, ec::storage);
  if (S_ISDIR(about.st_mode))
    to.directories.push_back(std::move(way));
  else if (S_ISREG(about.st_mode))
    to.files.push_back(unhashed(about, std::move(way)));
  if (!S_ISLNK(about.st_mode))
    return {};
  auto target = target_of(place, where, ec::storage);
  if (!target)
    return target.error();
  // A target that is not UTF-8 could not be restored from JSON.
  if (!is_utf8(*target))
    return error{ec::storage, "cannot keep " + where.string() + ": what it leads to is not UTF-8"};
  to.links.push_back({std::move(way), std::move(*target)});
  return {};
}

error not_as_saved(const fs::path& where, const std::string& how) {
  return {ec::storage, where.string() + " is not as it was saved: " + how};
}

expected<void> check_directory(const guarded_directory& root, const std::string& way) {
  const auto path = root.path() / way;
  auto about = files::look_beneath(root.number(), way, path, ec::unreadable);
  if (!about)
    return about.error();
  if (!S_ISDIR(about->st_mode))
    return not_as_saved(path, "it is no directory");
  return {};
}

/// Opens a file for hashing.
expected<store::descriptor> open_file(const guarded_directory& root, const std::string& way) {
  store::descriptor opened{beneath::open(root.number(), way, O_RDONLY | O_NONBLOCK | O_NOCTTY)};
  if (opened.number() < 0)
    return files::not_reached(root.path() / way, "read", errno, ec::unreadable);
  return opened;
}

sliced<expected<void>> checking_file(const guarded_directory& root, const shipped_file& known) {
  const auto path = root.path() / known.path;
  auto about = files::look_beneath(root.number(), known.path, path, ec::unreadable);
  if (!about)
    co_return about.error();
  if (!S_ISREG(about->st_mode))
    co_return not_as_saved(path, "it is no regular file");
  if (static_cast<std::uint64_t>(about->st_size) != known.size)
    co_return not_as_saved(path, "it has " + std::to_string(about->st_size) + " bytes, and had "
                                     + std::to_string(known.size));
  auto opened = open_file(root, known.path);
  if (!opened)
    co_return opened.error();
  auto digest = co_await digesting_open(std::move(*opened), path, known.size);
  if (!digest && digest.error().code != ec::refused)
    co_return digest.error();
  if (!digest || digest->hash != known.hash || digest->size != known.size)
    co_return not_as_saved(path, "its checksum does not fit");
  co_return expected<void>{};
}

expected<void> check_link(const guarded_directory& root, const checkpoint_link& known) {
  const auto path = root.path() / known.path;
  const store::descriptor place{beneath::open(root.number(), known.path, O_PATH)};
  if (place.number() < 0)
    return files::not_reached(path, "read the link", errno, ec::unreadable);
  auto target = target_of(place, path, ec::unreadable);
  if (!target)
    return target.error();
  if (*target != known.target)
    return not_as_saved(path, "it leads to " + *target);
  return {};
}

sliced<expected<void>> checking_content(const guarded_directory& root,
                                        const checkpoint_manifest& known) {
  for (const auto& x : known.directories) {
    auto good = check_directory(root, x);
    if (!good)
      co_return good;
    co_await next_slice{};
  }
  for (const auto& x : known.files) {
    auto good = co_await checking_file(root, x);
    if (!good)
      co_return good;
    co_await next_slice{};
  }
  for (const auto& x : known.links) {
    auto good = check_link(root, x);
    if (!good)
      co_return good;
    co_await next_slice{};
  }
  co_return expected<void>{};
}

/// Whether `directory` ends in `location`, name by name.
bool lies_at(const fs::path& directory, const fs::path& location) {
  const auto whole = directory.lexically_normal();
  auto name = whole.end();
  for (auto wanted = location.end(); wanted != location.begin();) {
    if (name == whole.begin() || *--name != *--wanted)
      return false;
  }
  return true;
}

/// Reads at most `most` bytes.
expected<std::string> read_text(const store::descriptor& from, const fs::path& file,
                                std::size_t most) {
  struct ::stat about {};
  if (::fstat(from.number(), &about) != 0 || !S_ISREG(about.st_mode))
    return error{ec::unreadable, file.string() + " is no regular file"};
  if (static_cast<std::uint64_t>(about.st_size) > most)
    return error{ec::unreadable, file.string() + " is too long"};
  std::string result(static_cast<std::size_t>(about.st_size), '\0');
  for (std::size_t done = 0; done < result.size();) {
    auto count = ::read(from.number(), result.data() + done, result.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return error{ec::unreadable, "cannot read " + file.string() + ": " + std::strerror(errno)};
    if (count == 0) {
      result.resize(done);
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  return result;
}

/// A directory still to be scanned, with its path relative to the checkpoint.
struct open_branch {
  std::string way;
  std::size_t depth = 0;
};

/// Lists everything, so that exceeded limits are known before anything is hashed.
sliced<expected<checkpoint_manifest>> listing(const guarded_directory& root,
                                              checkpoint_limits limits) {
  checkpoint_manifest result;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::vector<open_branch> open{{{}, 0}};
  while (!open.empty()) {
    const auto branch = std::move(open.back());
    open.pop_back();
    auto shallow = checkpoint_limits::check_depth(branch.depth);
    if (!shallow)
      co_return shallow.error();
    const auto where = root.path() / branch.way;
    auto names = files::directory_list::open(root.number(), branch.way, where, ec::storage);
    if (!names)
      co_return names.error();
    for (;;) {
      auto next = names->next();
      if (!next)
        co_return next.error();
      if (!*next)
        break;
      const auto& name = (*next)->name;
      auto way = branch.way.empty() ? name : branch.way + '/' + name;
      if (way == checkpoint_manifest_name)
        continue;
      const auto directories = result.directories.size();
      const auto files = result.files.size();
      auto added = add_entry(result, names->number(), name, std::move(way), where / name);
      if (!added)
        co_return added.error();
      if (result.directories.size() > directories)
        open.push_back({result.directories.back(), branch.depth + 1});
      bytes += result.files.size() > files ? result.files.back().size : 0;
      auto fit = limits.check(bytes, ++count);
      if (!fit)
        co_return fit.error();
      co_await next_slice{};
    }
  }
  co_return result;
}

void sort_lists(checkpoint_manifest& what) {
  std::sort(what.directories.begin(), what.directories.end(), files::path_before);
  auto by_path = [](const auto& a, const auto& b) { return files::path_before(a.path, b.path); };
  std::sort(what.files.begin(), what.files.end(), by_path);
  std::sort(what.links.begin(), what.links.end(), by_path);
}

/// The content of the manifest's file of an open checkpoint; empty if there is none.
expected<std::optional<std::string>> manifest_of(const guarded_directory& held) {
  const auto file = held.path() / checkpoint_manifest_name;
  const store::descriptor opened{
      beneath::open(held.number(), checkpoint_manifest_name, O_RDONLY | O_NONBLOCK | O_NOCTTY)};
  if (opened.number() < 0 && errno == ENOENT)
    return std::optional<std::string>{};
  if (opened.number() < 0)
    return files::not_reached(file, "read", errno, ec::unreadable);
  auto text = read_text(opened, file, max_manifest_bytes);
  if (!text)
    return text.error();
  return std::optional{std::move(*text)};
}

} // namespace

sliced<expected<checkpoint_manifest>>
scanning_held(const guarded_directory& held, std::uint64_t iteration, checkpoint_limits limits) {
  auto result = co_await listing(held, limits);
  if (!result)
    co_return result;
  result->iteration = iteration;
  for (auto& file : result->files) {
    auto opened = open_file(held, file.path);
    expected<file_digest> digest = opened ? expected<file_digest>{file_digest{}} : opened.error();
    if (opened)
      digest = co_await digesting_open(std::move(*opened), held.path() / file.path, file.size);
    if (!digest) {
      const auto code = digest.error().code;
      const auto stays = code == ec::shortage || (!opened && code == ec::refused);
      co_return error{stays ? code : ec::storage, digest.error().detail};
    }
    file.size = digest->size;
    file.hash = std::move(digest->hash);
    co_await next_slice{};
  }
  sort_lists(*result);
  co_await next_slice{};
  co_return result;
}

sliced<expected<checkpoint_manifest>>
scanning_checkpoint(fs::path directory, std::uint64_t iteration, checkpoint_limits limits) {
  auto held = hold_checkpoint(directory);
  if (!held)
    co_return held.error();
  co_return co_await scanning_held(held->self, iteration, limits);
}

expected<checkpoint_manifest> scan_checkpoint(const fs::path& directory, std::uint64_t iteration) {
  return *finish(scanning_checkpoint(directory, iteration, {}));
}

expected<std::optional<std::string>> read_checkpoint_manifest(const fs::path& directory) {
  auto held = hold_checkpoint(directory);
  if (!held)
    return held.error();
  return manifest_of(held->self);
}

expected<std::optional<checkpoint_manifest>> listed_content(const guarded_directory& held,
                                                            std::string* text) {
  auto found = manifest_of(held);
  if (!found)
    return found.error();
  if (!*found)
    return std::optional<checkpoint_manifest>{};
  auto known = checkpoint_manifest_from_text(**found);
  if (!known)
    return error{known.error().code,
                 (held.path() / checkpoint_manifest_name).string() + ": " + known.error().detail};
  if (text != nullptr)
    *text = std::move(**found);
  return std::optional{std::move(*known)};
}

namespace {

sliced<expected<std::optional<checkpoint_manifest>>> verifying(fs::path directory, bool anywhere) {
  auto held = hold_checkpoint(directory);
  if (!held)
    co_return held.error();
  auto known = listed_content(held->self, nullptr);
  if (!known || !*known)
    co_return known;
  if (!anywhere && !lies_at(directory, (*known)->location))
    co_return error{ec::storage, directory.string() + " is another checkpoint: the one of "
                                     + (*known)->location};
  co_await next_slice{};
  auto good = co_await checking_content(held->self, **known);
  if (!good)
    co_return good.error();
  co_return known;
}

} // namespace

sliced<expected<std::optional<checkpoint_manifest>>> verifying_checkpoint(fs::path directory) {
  return verifying(std::move(directory), false);
}

expected<std::optional<checkpoint_manifest>> verify_checkpoint(const fs::path& directory) {
  return *finish(verifying_checkpoint(directory));
}

expected<std::optional<checkpoint_manifest>> verify_checkpoint_copy(const fs::path& directory) {
  return *finish(verifying(directory, true));
}

} // namespace tune
