// SPDX-License-Identifier: BSD-3-Clause
#include "client/archive_unpacker.hpp"

#include "console/text.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;
using store::descriptor;

/// [bytes]
constexpr std::size_t block_size = 256 * 1024;
/// Rights that the owner of a copy has at least.
constexpr ::mode_t files_of_owner = 0600;
constexpr ::mode_t directories_of_owner = 0700;

struct unpacking_closing {
  void operator()(::archive* x) const { ::archive_read_free(x); }
};

/// Whether each part of the path is a name.
bool leads_down(const fs::path& path) {
  return !path.empty() && path.is_relative()
         && std::none_of(path.begin(), path.end(),
                         [](const auto& x) { return x.empty() || x == "." || x == ".."; });
}

class unpacker {
public:
  unpacker(const descriptor& from, const descriptor& into, fs::path shown, std::mutex& steps)
      : from_{from}, into_{into}, shown_{std::move(shown)}, steps_{steps} {}

  expected<void> run() {
    auto* all = archive_.get();
    ::archive_read_support_format_tar(all);
    if (::archive_read_open_fd(all, from_.number(), block_size) != ARCHIVE_OK)
      return makes_no_sense();
    for (;;) {
      ::archive_entry* entry = nullptr;
      const auto status = ::archive_read_next_header(all, &entry);
      if (status == ARCHIVE_EOF)
        return drain();
      if (status == ARCHIVE_RETRY)
        continue;
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return makes_no_sense();
      if (auto made = make(entry); !made)
        return made;
    }
  }

private:
  const descriptor& from_;
  const descriptor& into_;
  fs::path shown_;
  std::mutex& steps_;
  std::unique_ptr<::archive, unpacking_closing> archive_{::archive_read_new()};
  /// The directory of the newest entry: the next one often lies there, too.
  fs::path parent_;
  std::optional<descriptor> parent_directory_;

  error makes_no_sense() {
    const auto* why = ::archive_error_string(archive_.get());
    return {ec::protocol, std::string{"the archive makes no sense"} + (why == nullptr ? "" : ": ")
                              + (why == nullptr ? "" : printable(why))};
  }

  error not_made(const fs::path& path) const {
    return {ec::storage, (shown_ / path).string() + ": " + std::strerror(errno)};
  }

  /// Reads what fills the last block, so that its writer comes to an end.
  expected<void> drain() {
    std::array<char, 4096> rest{};
    for (std::size_t seen = 0; seen < block_size;) {
      const auto count = ::read(from_.number(), rest.data(), rest.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return {};
      seen += static_cast<std::size_t>(count);
    }
    return error{ec::protocol, "more than an archive has come"};
  }

  expected<void> make(::archive_entry* entry) {
    const auto* name = ::archive_entry_pathname(entry);
    const std::string text = name == nullptr ? "" : name;
    const fs::path path = text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
    if (!leads_down(path))
      return error{ec::protocol, "the archive has a bad name: '" + printable(text) + "'"};
    if (auto opened = open_parent(path); !opened)
      return opened;
    const auto type = ::archive_entry_filetype(entry);
    if (::archive_entry_hardlink(entry) != nullptr
        || (type != AE_IFREG && type != AE_IFDIR && type != AE_IFLNK))
      return error{ec::protocol, "the archive has something other than files, directories and "
                                 "links: "
                                     + printable(text)};
    if (type == AE_IFREG)
      return make_file(entry, path);
    return type == AE_IFDIR ? make_directory(entry, path) : make_link(entry, path);
  }

  expected<void> open_parent(const fs::path& path) {
    if (parent_directory_ && parent_ == path.parent_path())
      return {};
    parent_ = path.parent_path();
    parent_directory_.emplace(beneath::open(into_.number(), parent_, O_PATH | O_DIRECTORY));
    if (parent_directory_->number() < 0)
      return not_made(path);
    return {};
  }

  expected<void> make_directory(::archive_entry* entry, const fs::path& path) {
    const auto mode = (::archive_entry_perm(entry) & 0777) | directories_of_owner;
    std::lock_guard step{steps_};
    if (::mkdirat(parent_directory_->number(), path.filename().c_str(), mode) != 0)
      return not_made(path);
    return {};
  }

  expected<void> make_link(::archive_entry* entry, const fs::path& path) {
    const auto* target = ::archive_entry_symlink(entry);
    if (target == nullptr)
      return makes_no_sense();
    std::lock_guard step{steps_};
    if (::symlinkat(target, parent_directory_->number(), path.filename().c_str()) != 0)
      return not_made(path);
    return {};
  }

  expected<void> make_file(::archive_entry* entry, const fs::path& path) {
    const auto mode = (::archive_entry_perm(entry) & 0777) | files_of_owner;
    auto file = create(path, mode);
    if (file.number() < 0)
      return not_made(path);
    const void* data = nullptr;
    std::size_t size = 0;
    ::la_int64_t at = 0;
    for (;;) {
      const auto status = ::archive_read_data_block(archive_.get(), &data, &size, &at);
      if (status == ARCHIVE_EOF)
        return end(file, entry, path);
      if (status == ARCHIVE_RETRY)
        continue;
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return makes_no_sense();
      if (!write(file, static_cast<const char*>(data), size, at))
        return not_made(path);
    }
  }

  descriptor create(const fs::path& path, ::mode_t mode) {
    std::lock_guard step{steps_};
    return descriptor{::openat(parent_directory_->number(), path.filename().c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
  }

  bool write(const descriptor& file, const char* data, std::size_t size, ::off_t at) {
    while (size > 0) {
      std::lock_guard step{steps_};
      const auto count = ::pwrite(file.number(), data, size, at);
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return false;
      data += count;
      at += count;
      size -= static_cast<std::size_t>(count);
    }
    return true;
  }

  /// Holes at the end have no data.
  expected<void> end(const descriptor& file, ::archive_entry* entry, const fs::path& path) {
    const std::array<::timespec, 2> times{
        {{0, UTIME_OMIT}, {::archive_entry_mtime(entry), ::archive_entry_mtime_nsec(entry)}}};
    std::lock_guard step{steps_};
    if (::ftruncate(file.number(), ::archive_entry_size(entry)) != 0)
      return not_made(path);
    // A file system may know no such times.
    static_cast<void>(::futimens(file.number(), times.data()));
    return {};
  }
};

} // namespace

expected<void> unpack(const descriptor& from, const descriptor& into, const fs::path& shown,
                      std::mutex& steps) {
  return unpacker{from, into, shown, steps}.run();
}

} // namespace tune::cli
