// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/content_store.hpp"

#include "incoming.hpp"

#include "tune/io/files/sha256.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t read_only = 0444;
constexpr ::mode_t owner_only = 0700;

/// Creates a directory unless it exists; its parent must exist.
expected<void> make_if_absent(const fs::path& path) {
  if (::mkdir(path.c_str(), owner_only) != 0 && errno != EEXIST)
    return store::system_error(path, "make the directory", errno);
  return {};
}

/// Whether the directory has only things that a store makes: "incoming", which is created first,
/// and directories named by two hash digits.
bool is_ours(const fs::path& root) {
  std::error_code why;
  if (fs::is_directory(fs::symlink_status(root / "incoming", why)))
    return true;
  for (fs::directory_iterator i{root, why}; !why && i != fs::end(i); i.increment(why)) {
    const auto name = i->path().filename().string();
    if (name.size() != 2 || name.find_first_not_of("0123456789abcdef") != name.npos)
      return false;
  }
  return true;
}

error not_a_hash(const std::string& text) {
  return {ec::protocol, "\"" + text + "\" is no SHA-256 hash"};
}

} // namespace

struct content_writer::parts {
  files::incoming_file to;
  fs::path place;
  std::string hash;
  std::uint64_t size;
  std::uint64_t written = 0;
  sha256 sum{};
};

content_writer::content_writer(std::unique_ptr<parts> all) : parts_{std::move(all)} {}
content_writer::content_writer(content_writer&&) noexcept = default;
content_writer& content_writer::operator=(content_writer&&) noexcept = default;
content_writer::~content_writer() = default;

expected<void> content_writer::append(std::uint64_t offset, std::string_view bytes) {
  auto& my = *parts_;
  if (offset != my.written)
    return error{ec::protocol, "bytes for " + std::to_string(offset) + " came where those for "
                                   + std::to_string(my.written) + " were due"};
  if (bytes.size() > my.size - my.written)
    return error{ec::protocol, "more than " + std::to_string(my.size) + " bytes came"};
  if (auto done = store::write_all(my.to.file(), my.to.path(), bytes); !done)
    return done;
  my.sum.update(bytes);
  my.written += bytes.size();
  return {};
}

std::uint64_t content_writer::written() const {
  return parts_->written;
}

expected<void> content_writer::commit() {
  auto& my = *parts_;
  if (my.written != my.size)
    return error{ec::protocol, "only " + std::to_string(my.written) + " of "
                                   + std::to_string(my.size) + " bytes came"};
  if (my.sum.finish() != my.hash)
    return error{ec::protocol, "the content is not " + my.hash};
  if (::fsync(my.to.file().number()) != 0)
    return store::system_error(my.to.path(), "sync", errno);
  if (auto made = make_if_absent(my.place.parent_path()); !made)
    return made;
  // A power failure may lose the name; the content is then sent again, but never wrong.
  return std::move(my.to).rename_to(my.place, read_only);
}

expected<content_store> content_store::open(fs::path root) {
  std::error_code why;
  if (!is_ours(root))
    return error{ec::storage, root.string()
                                  + " is there, which was not made for shipped files: these are "
                                    "removed from it in time: give another --work, or move it "
                                    "away"};
  if (root.has_parent_path())
    fs::create_directories(root.parent_path(), why);
  if (why)
    return error{ec::storage, root.string() + ": cannot make the directory: " + why.message()};
  for (const auto& directory : {root, root / "incoming"}) {
    if (auto made = make_if_absent(directory); !made)
      return made.error();
  }
  files::sweep(root / "incoming");
  return content_store{std::move(root)};
}

bool content_store::has(const std::string& hash, std::uint64_t size) const {
  struct stat about = {};
  return is_sha256(hash) && ::lstat(path_of(hash).c_str(), &about) == 0 && S_ISREG(about.st_mode)
         && static_cast<std::uint64_t>(about.st_size) == size;
}

fs::path content_store::path_of(const std::string& hash) const {
  return root_ / hash.substr(0, 2) / hash;
}

expected<content_writer> content_store::begin(const std::string& hash, std::uint64_t size) const {
  if (!is_sha256(hash))
    return not_a_hash(hash);
  // The directories may have been removed.
  for (const auto& directory : {root_, root_ / "incoming"}) {
    if (auto made = make_if_absent(directory); !made)
      return made.error();
  }
  auto file = files::incoming_file::make(root_ / "incoming");
  if (!file)
    return file.error();
  return content_writer{std::unique_ptr<content_writer::parts>{
      new content_writer::parts{std::move(*file), path_of(hash), hash, size}}};
}

expected<void> content_store::verify(const std::string& hash) const {
  if (!is_sha256(hash))
    return not_a_hash(hash);
  auto found = digest_file(path_of(hash));
  if (!found)
    return found.error();
  if (found->hash == hash)
    return {};
  std::error_code ignored;
  fs::remove(path_of(hash), ignored);
  return error{ec::storage, path_of(hash).string() + " was spoilt"};
}

std::uint64_t content_store::shrink(std::uint64_t most) const {
  struct content {
    fs::file_time_type used;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<content> all;
  std::uint64_t sum = 0;
  std::error_code why;
  for (fs::recursive_directory_iterator i{root_, why}; !why && i != fs::end(i); i.increment(why)) {
    std::error_code failed;
    const auto name = i->path().filename().string();
    // Files elsewhere do not belong to the store.
    if (!is_sha256(name) || i->path() != path_of(name) || !i->is_regular_file(failed))
      continue;
    content found{i->last_write_time(failed), 0, i->path()};
    if (!failed)
      found.size = i->file_size(failed);
    if (failed)
      continue;
    sum += found.size;
    all.push_back(std::move(found));
  }
  std::sort(all.begin(), all.end(), [](const content& a, const content& b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  std::uint64_t removed = 0;
  for (const auto& x : all) {
    if (sum - removed <= most)
      break;
    std::error_code failed;
    if (fs::remove(x.path, failed))
      removed += x.size;
  }
  return removed;
}

} // namespace tune
