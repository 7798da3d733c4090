// SPDX-License-Identifier: BSD-3-Clause
#include "head/uploaded_files.hpp"

#include "console/text.hpp"
#include "tune/core/text.hpp"
#include "tune/io/files/descriptor.hpp"
#include "tune/io/json.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;

struct upload_closing {
  void operator()(::archive* x) const { ::archive_read_free(x); }
};

error bad_entry(std::string_view name, const std::string& why) {
  return {ec::bad_option, "the archive: " + in_quotes(std::string{name}) + ": " + why};
}

bool is_control_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

/// Takes an archive apart, entry by entry.
class upload_reader {
public:
  explicit upload_reader(const upload_limits& limits) : limits_{limits} {}

  expected<std::vector<uploaded_file>> read(std::string_view archive) {
    auto* all = archive_.get();
    ::archive_read_support_format_tar(all);
    if (::archive_read_open_memory(all, archive.data(), archive.size()) != ARCHIVE_OK)
      return no_archive();
    for (;;) {
      ::archive_entry* entry = nullptr;
      const auto status = ::archive_read_next_header(all, &entry);
      if (status == ARCHIVE_EOF)
        return finished();
      if (status == ARCHIVE_RETRY)
        continue;
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return no_archive();
      if (auto done = take(entry); !done)
        return done.error();
    }
  }

private:
  const upload_limits& limits_;
  std::unique_ptr<::archive, upload_closing> archive_{::archive_read_new()};
  std::vector<uploaded_file> files_;
  std::set<std::string> directories_;
  std::set<std::string> names_;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;

  error no_archive() const {
    const auto* why = ::archive_error_string(archive_.get());
    return {ec::bad_syntax, std::string{"the body is no tar archive"} + (why == nullptr ? "" : ": ")
                                + (why == nullptr ? "" : printable(why))};
  }

  expected<std::vector<uploaded_file>> finished() {
    if (files_.empty())
      return error{ec::bad_syntax, "the archive has no files"};
    for (const auto& x : files_)
      if (directories_.contains(x.path))
        return bad_entry(x.path, "is a file and a directory");
    return std::move(files_);
  }

  expected<void> take(::archive_entry* entry) {
    const auto* given = ::archive_entry_pathname(entry);
    const std::string shown = given == nullptr ? "" : given;
    if (++entries_ > 2 * limits_.files)
      return error{ec::bad_option,
                   "the archive: more than " + std::to_string(2 * limits_.files) + " entries"};
    if (::archive_entry_hardlink(entry) != nullptr)
      return bad_entry(shown, "links are not taken: send the file itself");
    const auto type = ::archive_entry_filetype(entry);
    if (type == AE_IFLNK)
      return bad_entry(shown, "links are not taken: send the file itself");
    if (type != AE_IFREG && type != AE_IFDIR)
      return bad_entry(shown, "neither a file nor a directory");
    auto path = path_from(shown);
    if (!path)
      return path.error();
    if (type == AE_IFDIR) {
      note_parents(*path + "/");
      return {};
    }
    return take_file(entry, std::move(*path));
  }

  /// The path without what means nothing.
  expected<std::string> path_from(const std::string& shown) const {
    if (shown.starts_with('/'))
      return bad_entry(shown, "a path has to be relative");
    if (!is_utf8(shown) || std::any_of(shown.begin(), shown.end(), is_control_byte))
      return bad_entry(shown, "a name has to be UTF-8 without control characters");
    std::string result;
    std::size_t depth = 0;
    for (const auto& part : fs::path{shown}) {
      const auto name = part.string();
      if (name.empty() || name == ".")
        continue;
      if (name == "..")
        return bad_entry(shown, "a path must not lead out by ..");
      if (name.size() > limits_.name || ++depth > limits_.depth + 1)
        return bad_entry(shown, "names have at most " + std::to_string(limits_.name)
                                    + " bytes, and files at most " + std::to_string(limits_.depth)
                                    + " directories around them");
      result += (result.empty() ? "" : "/") + name;
    }
    return result;
  }

  void note_parents(const std::string& path) {
    for (auto at = path.find('/'); at != path.npos; at = path.find('/', at + 1))
      directories_.insert(path.substr(0, at));
  }

  expected<void> take_file(::archive_entry* entry, std::string path) {
    if (path.empty())
      return bad_entry("", "a file needs a name");
    if (!names_.insert(path).second)
      return bad_entry(path, "is there twice");
    if (files_.size() == limits_.files)
      return error{ec::bad_option,
                   "the archive: more than " + std::to_string(limits_.files) + " files"};
    const auto size = ::archive_entry_size(entry);
    if (size < 0 || static_cast<std::uint64_t>(size) > limits_.bytes - bytes_)
      return error{ec::bad_option, "the archive: files of more than "
                                       + std::to_string(limits_.bytes) + " bytes together"};
    uploaded_file result{std::move(path), std::string(static_cast<std::size_t>(size), '\0'),
                         (::archive_entry_perm(entry) & 0100) != 0};
    bytes_ += result.bytes.size();
    note_parents(result.path);
    if (auto done = read_bytes(result); !done)
      return done;
    files_.push_back(std::move(result));
    return {};
  }

  /// Copies the blocks to their places; between them are holes.
  expected<void> read_bytes(uploaded_file& to) {
    for (;;) {
      const void* data = nullptr;
      std::size_t size = 0;
      ::la_int64_t at = 0;
      const auto status = ::archive_read_data_block(archive_.get(), &data, &size, &at);
      if (status == ARCHIVE_EOF)
        return {};
      if (status == ARCHIVE_RETRY)
        continue;
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return no_archive();
      if (at < 0 || static_cast<std::size_t>(at) > to.bytes.size()
          || size > to.bytes.size() - static_cast<std::size_t>(at))
        return bad_entry(to.path, "is longer than it says");
      std::memcpy(to.bytes.data() + at, data, size);
    }
  }
};

error not_written(const fs::path& path) {
  return {ec::storage, path.string() + ": " + std::strerror(errno)};
}

expected<void> write_one(const uploaded_file& x, const fs::path& to) {
  const store::descriptor file{::open(to.c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                      x.executable ? 0700 : 0600)};
  if (file.number() < 0)
    return not_written(to);
  for (std::string_view left = x.bytes; !left.empty();) {
    const auto count = ::write(file.number(), left.data(), left.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return not_written(to);
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

} // namespace

expected<std::vector<uploaded_file>> files_in_archive(std::string_view archive,
                                                      const upload_limits& limits) {
  return upload_reader{limits}.read(archive);
}

expected<std::string> ini_file_in(const std::vector<uploaded_file>& all,
                                  const std::string& wanted) {
  std::vector<std::string> found;
  for (const auto& x : all) {
    if (x.path == wanted)
      return wanted;
    if (x.path.find('/') == x.path.npos && x.path.ends_with(".ini"))
      found.push_back(x.path);
  }
  std::string names;
  for (std::size_t i = 0; i < found.size() && i < 5; ++i)
    names += (names.empty() ? "" : ", ") + printable(found[i]);
  if (!wanted.empty())
    return error{ec::bad_option, "file: the archive has no " + in_quotes(wanted)
                                     + (names.empty() ? "" : "; at its top there are " + names)};
  if (found.size() == 1)
    return found.front();
  return error{ec::bad_option,
               found.empty() ? "the archive has no file NAME.ini at its top; file=PATH names one"
                             : "the archive has several INI files; file=PATH says which: " + names};
}

expected<void> write_files(const std::vector<uploaded_file>& all, const fs::path& into) {
  for (const auto& x : all) {
    const auto to = into / x.path;
    std::error_code why;
    fs::create_directories(to.parent_path(), why);
    if (why)
      return error{ec::storage, to.parent_path().string() + ": " + why.message()};
    if (auto done = write_one(x, to); !done)
      return done;
  }
  return {};
}

} // namespace tune::cli
