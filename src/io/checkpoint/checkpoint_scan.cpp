// What lies in a checkpoint's directory, beside what its manifest says.
// SPDX-License-Identifier: BSD-3-Clause
#include "../files/manifest_order.hpp"
#include "../store/posix.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_scan.hpp"
#include "tune/io/files/file_mode.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/shortage.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace tune {

namespace fs = std::filesystem;

namespace {

error failed(const std::string& doing, const fs::path& where, const std::error_code& why) {
  return {fault_of(why.value(), ec::storage),
          "cannot " + doing + " " + where.string() + ": " + why.message()};
}

/// A file that is listed and not yet hashed has no hash.
expected<void> add_file(checkpoint_manifest& to, const fs::path& file, std::string name) {
  struct stat about {};
  if (::lstat(file.c_str(), &about) != 0)
    return store::system_error(file, "look at", errno);
  to.files.push_back({std::move(name),
                      static_cast<std::uint32_t>(about.st_mode) & executable_bits,
                      static_cast<std::uint64_t>(about.st_size),
                      {}});
  return {};
}

expected<void> add_entry(checkpoint_manifest& to, const fs::directory_entry& entry,
                         std::string name) {
  if (auto why = files::path_fault(name); !why.empty())
    return error{ec::storage, "cannot keep " + entry.path().string() + ": " + why};
  std::error_code why;
  if (entry.is_symlink(why)) {
    auto target = fs::read_symlink(entry.path(), why).string();
    if (why)
      return failed("read the link", entry.path(), why);
    // From JSON it could not be made again.
    if (!is_utf8(target))
      return error{ec::storage,
                   "cannot keep " + entry.path().string() + ": what it leads to is not UTF-8"};
    to.links.push_back({std::move(name), std::move(target)});
  } else if (entry.is_directory(why)) {
    to.directories.push_back(std::move(name));
  } else if (entry.is_regular_file(why)) {
    return add_file(to, entry.path(), std::move(name));
  }
  if (why)
    return failed("look at", entry.path(), why);
  return {};
}

error not_as_saved(const fs::path& where, const std::string& how) {
  return {ec::storage, where.string() + " is not as it was saved: " + how};
}

/// What the path itself names. @errors `ec::unreadable`.
expected<struct stat> look_at(const fs::path& path) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0)
    return error{ec::unreadable, "cannot read " + path.string() + ": " + std::strerror(errno)};
  return about;
}

expected<void> check_directory(const fs::path& path) {
  auto about = look_at(path);
  if (!about)
    return about.error();
  if (!S_ISDIR(about->st_mode))
    return not_as_saved(path, "it is no directory");
  return {};
}

sliced<expected<void>> checking_file(fs::path path, shipped_file known) {
  auto about = look_at(path);
  if (!about)
    co_return about.error();
  if (!S_ISREG(about->st_mode))
    co_return not_as_saved(path, "it is no regular file");
  if (static_cast<std::uint64_t>(about->st_size) != known.size)
    co_return not_as_saved(path, "it has " + std::to_string(about->st_size) + " bytes, and had "
                                     + std::to_string(known.size));
  auto digest = co_await digesting(path, known.size);
  if (!digest && digest.error().code != ec::refused)
    co_return digest.error();
  if (!digest || digest->hash != known.hash || digest->size != known.size)
    co_return not_as_saved(path, "its checksum does not fit");
  co_return expected<void>{};
}

expected<void> check_link(const fs::path& path, const checkpoint_link& known) {
  std::error_code why;
  auto target = fs::read_symlink(path, why);
  if (why)
    return error{ec::unreadable, "cannot read the link " + path.string() + ": " + why.message()};
  if (target.string() != known.target)
    return not_as_saved(path, "it leads to " + target.string());
  return {};
}

sliced<expected<void>> checking_content(fs::path root, const checkpoint_manifest& known) {
  for (const auto& x : known.directories) {
    auto good = check_directory(root / x);
    if (!good)
      co_return good;
    co_await next_slice{};
  }
  for (const auto& x : known.files) {
    auto good = co_await checking_file(root / x.path, x);
    if (!good)
      co_return good;
    co_await next_slice{};
  }
  for (const auto& x : known.links) {
    auto good = check_link(root / x.path, x);
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
expected<std::string> read_text(const fs::path& file, std::size_t most) {
  auto opened = store::open_file(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, "read");
  if (!opened)
    return store::when_read(opened.error());
  struct stat about {};
  if (::fstat(opened->number(), &about) != 0 || !S_ISREG(about.st_mode))
    return error{ec::unreadable, file.string() + " is no regular file"};
  if (static_cast<std::uint64_t>(about.st_size) > most)
    return error{ec::unreadable, file.string() + " is too long"};
  std::string result(static_cast<std::size_t>(about.st_size), '\0');
  for (std::size_t done = 0; done < result.size();) {
    auto count = ::read(opened->number(), result.data() + done, result.size() - done);
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

} // namespace

namespace {

/// A directory that is still to be looked through.
struct open_branch {
  fs::path where;
  std::size_t depth = 0;
};

/// Lists all of it, so that what is too much is known before anything is hashed.
sliced<expected<checkpoint_manifest>> listing(fs::path root, checkpoint_limits limits) {
  checkpoint_manifest result;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::vector<open_branch> open{{root, 0}};
  while (!open.empty()) {
    const auto branch = std::move(open.back());
    open.pop_back();
    auto shallow = checkpoint_limits::check_depth(branch.depth);
    if (!shallow)
      co_return shallow.error();
    std::error_code why;
    for (fs::directory_iterator i{branch.where, why}; !why && i != fs::end(i); i.increment(why)) {
      auto name = i->path().lexically_relative(root).generic_string();
      if (name == checkpoint_manifest_name)
        continue;
      const auto directories = result.directories.size();
      const auto files = result.files.size();
      auto added = add_entry(result, *i, std::move(name));
      if (!added)
        co_return added.error();
      if (result.directories.size() > directories)
        open.push_back({i->path(), branch.depth + 1});
      bytes += result.files.size() > files ? result.files.back().size : 0;
      auto fit = limits.check(bytes, ++count);
      if (!fit)
        co_return fit.error();
      co_await next_slice{};
    }
    if (why)
      co_return failed("read", branch.where, why);
  }
  co_return result;
}

void sort_lists(checkpoint_manifest& what) {
  std::sort(what.directories.begin(), what.directories.end(), files::path_before);
  auto by_path = [](const auto& a, const auto& b) { return files::path_before(a.path, b.path); };
  std::sort(what.files.begin(), what.files.end(), by_path);
  std::sort(what.links.begin(), what.links.end(), by_path);
}

} // namespace

sliced<expected<checkpoint_manifest>>
scanning_checkpoint(fs::path directory, std::uint64_t iteration, checkpoint_limits limits) {
  auto result = co_await listing(directory, limits);
  if (!result)
    co_return result;
  result->iteration = iteration;
  for (auto& file : result->files) {
    auto digest = co_await digesting(directory / file.path, file.size);
    if (!digest) {
      const auto is_passing = digest.error().code == ec::shortage;
      co_return error{is_passing ? ec::shortage : ec::storage, digest.error().detail};
    }
    file.size = digest->size;
    file.hash = std::move(digest->hash);
    co_await next_slice{};
  }
  sort_lists(*result);
  co_await next_slice{};
  co_return result;
}

expected<checkpoint_manifest> scan_checkpoint(const fs::path& directory, std::uint64_t iteration) {
  return *finish(scanning_checkpoint(directory, iteration, {}));
}

expected<std::optional<std::string>> read_checkpoint_manifest(const fs::path& directory) {
  if (auto alone = check_unmounted(directory); !alone)
    return alone.error();
  auto about = look_at(directory);
  if (!about)
    return about.error();
  if (!S_ISDIR(about->st_mode))
    return error{ec::unreadable, directory.string() + " is no directory"};
  const auto file = directory / checkpoint_manifest_name;
  struct stat found {};
  if (::lstat(file.c_str(), &found) != 0 && errno == ENOENT)
    return std::optional<std::string>{};
  auto text = read_text(file, max_manifest_bytes);
  if (!text)
    return text.error();
  return std::optional{std::move(*text)};
}

sliced<expected<std::optional<checkpoint_manifest>>> verifying_checkpoint(fs::path directory) {
  auto text = read_checkpoint_manifest(directory);
  if (!text)
    co_return text.error();
  if (!*text)
    co_return std::optional<checkpoint_manifest>{};
  auto known = checkpoint_manifest_from_text(**text);
  if (!known)
    co_return error{known.error().code,
                    (directory / checkpoint_manifest_name).string() + ": " + known.error().detail};
  if (!lies_at(directory, known->location))
    co_return error{ec::storage,
                    directory.string() + " is another checkpoint: the one of " + known->location};
  co_await next_slice{};
  auto good = co_await checking_content(directory, *known);
  if (!good)
    co_return good.error();
  co_return std::optional{std::move(*known)};
}

expected<std::optional<checkpoint_manifest>> verify_checkpoint(const fs::path& directory) {
  return *finish(verifying_checkpoint(directory));
}

} // namespace tune
