// SPDX-License-Identifier: BSD-3-Clause
#include "../store/posix.hpp"
#include "file_copy.hpp"

#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/files/sha256.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr ::mode_t plain_mode = 0644;
constexpr ::mode_t directory_mode = 0755;

error not_announced(const std::string& what) {
  return {ec::protocol, "not the checkpoint that was announced: " + what};
}

/// @errors `ec::refused`.
expected<void> check_outline(const stream_outline& x, const checkpoint_limits& limits) {
  if (!is_sha256(x.manifest_hash) || x.manifest_size == 0 || x.bytes < x.manifest_size)
    return error{ec::refused, "the announcement of the checkpoint makes no sense"};
  if (x.manifest_size > max_travelling_manifest)
    return error{ec::refused, "the list of the checkpoint's files is longer than "
                                  + std::to_string(max_travelling_manifest) + " bytes"};
  if (x.bytes > max_file_bytes)
    return error{ec::refused, "the checkpoint is too large to be brought here"};
  return limits.check(x.bytes - x.manifest_size, 0);
}

expected<void> make_room(const fs::path& directory, std::uint64_t bytes) {
  std::error_code why;
  fs::create_directories(directory.parent_path(), why);
  if (why)
    return error{ec::storage,
                 "cannot make " + directory.parent_path().string() + ": " + why.message()};
  if (auto room = check_room(directory.parent_path(), bytes); !room)
    return room;
  return {};
}

/// Makes the directory. @returns that above it.
expected<store::descriptor> make_directory(const fs::path& directory) {
  const auto parent = directory.parent_path();
  store::descriptor above{::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (above.number() < 0)
    return store::system_error(parent, "open the directory", errno);
  if (::mkdirat(above.number(), directory.filename().c_str(), directory_mode) != 0)
    return store::system_error(directory, "make the directory", errno);
  return above;
}

} // namespace

struct checkpoint_writer::parts {
  fs::path directory;
  /// What it was made in: programs may lead the path elsewhere.
  store::descriptor above{-1};
  stream_outline outline;
  checkpoint_limits limits;
  std::uint64_t written = 0;
  std::string text;
  checkpoint_manifest content;
  /// The file that is being written, by its place in the list.
  std::size_t index = 0;
  std::optional<store::descriptor> opened;
  std::uint64_t in_file = 0;
  sha256 sum{};
  bool complete = false;
  bool kept = false;

  ~parts() {
    opened.reset();
    if (!kept)
      static_cast<void>(remove_tree(above.number(), directory.filename(), directory));
  }

  expected<void> take_list() {
    if (sha256_of(text) != outline.manifest_hash)
      return not_announced("the list of its files is another one");
    auto read = checkpoint_manifest_from_text(text);
    if (!read)
      return read.error();
    content = std::move(*read);
    if (content.bytes() != outline.bytes - outline.manifest_size)
      return not_announced("its files have another size");
    const auto entries = content.files.size() + content.directories.size() + content.links.size();
    if (auto fit = limits.check(content.bytes(), entries); !fit)
      return fit;
    return lay_out();
  }

  expected<void> lay_out() {
    const auto file = directory / checkpoint_manifest_name;
    auto list = open_new(file, plain_mode);
    if (!list)
      return list.error();
    if (auto done = store::write_all(*list, file, text); !done)
      return done;
    text = {};
    for (const auto& x : content.directories) {
      if (::mkdir((directory / x).c_str(), directory_mode) != 0)
        return store::system_error(directory / x, "make the directory", errno);
    }
    return open_next();
  }

  static expected<store::descriptor> open_new(const fs::path& file, ::mode_t mode) {
    store::descriptor result{
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
    if (result.number() < 0)
      return store::system_error(file, "write", errno);
    return result;
  }

  /// Begins the next file that has content, and makes the empty ones before it.
  expected<void> open_next() {
    for (; index < content.files.size(); ++index) {
      const auto& file = content.files[index];
      auto made = open_new(directory / file.path, plain_mode | file.mode);
      if (!made)
        return made.error();
      opened.emplace(std::move(*made));
      in_file = 0;
      if (file.size > 0)
        return {};
      if (auto done = end_file(); !done)
        return done;
    }
    return make_links();
  }

  expected<void> end_file() {
    opened.reset();
    if (sum.finish() != content.files[index].hash)
      return not_announced("the checksum of " + content.files[index].path + " does not fit");
    return {};
  }

  expected<void> make_links() {
    for (const auto& x : content.links) {
      std::error_code why;
      fs::create_symlink(x.target, directory / x.path, why);
      if (why)
        return error{ec::storage,
                     "cannot make " + (directory / x.path).string() + ": " + why.message()};
    }
    complete = true;
    return {};
  }

  /// @returns how many of the bytes the open file took.
  expected<std::size_t> write_file(std::string_view bytes) {
    const auto& file = content.files[index];
    const auto part = bytes.substr(
        0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file.size - in_file)));
    if (auto done = store::write_all(*opened, directory / file.path, part); !done)
      return done.error();
    sum.update(part);
    in_file += part.size();
    if (in_file < file.size)
      return part.size();
    if (auto done = end_file(); !done)
      return done.error();
    ++index;
    if (auto done = open_next(); !done)
      return done.error();
    return part.size();
  }

  expected<void> append(std::string_view bytes) {
    if (bytes.size() > outline.bytes - written)
      return not_announced("more came than that");
    const auto of_list = static_cast<std::size_t>(std::min<std::uint64_t>(
        bytes.size(), outline.manifest_size - std::min(outline.manifest_size, written)));
    text += bytes.substr(0, of_list);
    written += of_list;
    bytes.remove_prefix(of_list);
    if (of_list > 0 && written == outline.manifest_size) {
      if (auto done = take_list(); !done)
        return done;
    }
    while (!bytes.empty()) {
      auto taken = write_file(bytes);
      if (!taken)
        return taken.error();
      written += *taken;
      bytes.remove_prefix(*taken);
    }
    return {};
  }
};

checkpoint_writer::checkpoint_writer(std::unique_ptr<parts> all) : parts_{std::move(all)} {}
checkpoint_writer::checkpoint_writer(checkpoint_writer&&) noexcept = default;
checkpoint_writer& checkpoint_writer::operator=(checkpoint_writer&&) noexcept = default;
checkpoint_writer::~checkpoint_writer() = default;

expected<checkpoint_writer> checkpoint_writer::begin(fs::path directory,
                                                     stream_outline expected_stream,
                                                     const checkpoint_limits& limits) {
  if (auto sane = check_outline(expected_stream, limits); !sane)
    return sane.error();
  if (auto made = make_room(directory, expected_stream.bytes); !made)
    return made.error();
  auto above = make_directory(directory);
  if (!above)
    return above.error();
  auto all = std::make_unique<parts>();
  all->directory = std::move(directory);
  all->above = std::move(*above);
  all->outline = std::move(expected_stream);
  all->limits = limits;
  return checkpoint_writer{std::move(all)};
}

expected<void> checkpoint_writer::append(std::string_view bytes) {
  return parts_->append(bytes);
}

std::uint64_t checkpoint_writer::written() const {
  return parts_->written;
}

bool checkpoint_writer::is_complete() const {
  return parts_->complete;
}

std::uint64_t checkpoint_writer::bytes() const {
  return parts_->content.bytes();
}

const checkpoint_manifest& checkpoint_writer::content() const {
  return parts_->content;
}

void checkpoint_writer::release() {
  parts_->kept = true;
}

} // namespace tune
