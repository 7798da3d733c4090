// SPDX-License-Identifier: BSD-3-Clause
#include "file_copy.hpp"
#include "files/directory_list.hpp"
#include "held_checkpoint.hpp"
#include "posix/posix.hpp"

#include "tune/io/checkpoint/checkpoint_stream.hpp"
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

/// Creates missing parts of the folder for the directory.
expected<guarded_directory> make_folder(const fs::path& directory) {
  const auto trusted = trusted_above(directory);
  std::error_code why;
  fs::create_directories(trusted, why);
  if (why)
    return error{ec::storage, "cannot make " + trusted.string() + ": " + why.message()};
  const auto way = directory.parent_path().lexically_relative(trusted);
  return guarded_directory::make(trusted, way == "." ? fs::path{} : way);
}

/// Creates the directory after checking that there is room for `bytes`.
expected<held_checkpoint> make_received_directory(const fs::path& directory, std::uint64_t bytes) {
  auto folder = make_folder(directory);
  if (!folder)
    return folder.error();
  if (auto room = check_room(*folder, bytes); !room)
    return room.error();
  if (::mkdirat(folder->number(), directory.filename().c_str(), directory_mode) != 0)
    return store::system_error(directory, "make the directory", errno);
  auto self = folder->enter(directory.filename());
  if (!self)
    return self.error();
  return held_checkpoint{std::move(*folder), std::move(*self)};
}

} // namespace

struct checkpoint_writer::parts {
  held_checkpoint held;
  stream_outline outline;
  checkpoint_limits limits;
  std::uint64_t written = 0;
  std::string text;
  checkpoint_manifest content;
  /// Index of the file being written.
  std::size_t index = 0;
  std::optional<store::descriptor> opened;
  std::uint64_t in_file = 0;
  sha256 sum{};
  bool complete = false;
  bool kept = false;

  parts(held_checkpoint where, stream_outline expected_stream, const checkpoint_limits& most)
      : held{std::move(where)}, outline{std::move(expected_stream)}, limits{most} {}
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;
  ~parts() {
    opened.reset();
    if (!kept)
      static_cast<void>(held.folder.remove_tree(held.name()));
  }

  [[nodiscard]] fs::path path_of(const std::string& way) const { return held.path() / way; }

  /// Opens the parent directory of a path.
  [[nodiscard]] expected<guarded_directory> parent_of(const fs::path& way) const {
    return held.self.enter(way.has_parent_path() ? way.parent_path() : ".");
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
    auto list = open_new(checkpoint_manifest_name, plain_mode);
    if (!list)
      return list.error();
    if (auto done = store::write_all(*list, path_of(checkpoint_manifest_name), text); !done)
      return done;
    text = {};
    for (const auto& x : content.directories) {
      auto parent = parent_of(x);
      if (!parent)
        return parent.error();
      if (::mkdirat(parent->number(), fs::path{x}.filename().c_str(), directory_mode) != 0)
        return store::system_error(path_of(x), "make the directory", errno);
    }
    return open_next();
  }

  [[nodiscard]] expected<store::descriptor> open_new(const std::string& way, ::mode_t mode) const {
    store::descriptor result{
        beneath::open(held.self.number(), way, O_WRONLY | O_CREAT | O_EXCL, mode)};
    if (result.number() < 0)
      return files::not_reached(path_of(way), "write", errno, ec::storage);
    return result;
  }

  /// Opens the next file that has content, and creates the empty ones before it.
  expected<void> open_next() {
    for (; index < content.files.size(); ++index) {
      const auto& file = content.files[index];
      auto made = open_new(file.path, plain_mode | file.mode);
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
      auto parent = parent_of(x.path);
      if (!parent)
        return parent.error();
      const auto name = fs::path{x.path}.filename();
      if (::symlinkat(x.target.c_str(), parent->number(), name.c_str()) != 0)
        return store::system_error(path_of(x.path), "make the link", errno);
    }
    complete = true;
    return {};
  }

  /// @returns how many of the bytes belonged to the open file.
  expected<std::size_t> write_file(std::string_view bytes) {
    const auto& file = content.files[index];
    const auto part = bytes.substr(
        0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file.size - in_file)));
    if (auto done = store::write_all(*opened, path_of(file.path), part); !done)
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

expected<checkpoint_writer> checkpoint_writer::begin(const fs::path& directory,
                                                     stream_outline expected_stream,
                                                     const checkpoint_limits& limits) {
  if (auto sane = check_outline(expected_stream, limits); !sane)
    return sane.error();
  auto held = make_received_directory(directory, expected_stream.bytes);
  if (!held)
    return held.error();
  return checkpoint_writer{
      std::make_unique<parts>(std::move(*held), std::move(expected_stream), limits)};
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
