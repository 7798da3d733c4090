// Reads a checkpoint as a stream of bytes, for another node; checkpoint_scan.cpp verifies one.
// SPDX-License-Identifier: BSD-3-Clause
#include "files/directory_list.hpp"
#include "held_checkpoint.hpp"
#include "held_scan.hpp"

#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/process/shortage.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

error unreadable(const fs::path& file, int why) {
  return {fault_of(why, ec::unreadable),
          "cannot read " + file.string() + ": " + std::strerror(why)};
}

/// A manifest as text and as a value.
struct listed_checkpoint {
  std::string text;
  checkpoint_manifest content;
};

expected<listed_checkpoint> list_of(const guarded_directory& held) {
  std::string text;
  auto known = listed_content(held, &text);
  if (!known)
    return known.error();
  if (*known)
    return listed_checkpoint{std::move(text), std::move(**known)};
  // The receiver does not need the iteration.
  auto found = *finish(scanning_held(held, 0, {}));
  if (!found)
    return found.error();
  auto made = to_text(*found);
  return listed_checkpoint{std::move(made), std::move(*found)};
}

} // namespace

struct checkpoint_reader::parts {
  guarded_directory root;
  listed_checkpoint listed;
  stream_outline outline = {};
  /// Offset of each file in the stream; sorted.
  std::vector<std::uint64_t> begins = {};
  /// Index of the file that was read last.
  std::size_t current = 0;
  std::optional<store::descriptor> opened = {};

  parts(guarded_directory at, listed_checkpoint what)
      : root{std::move(at)}, listed{std::move(what)} {}

  expected<void> open_file(std::size_t index) {
    if (opened && current == index)
      return {};
    const auto& known = listed.content.files[index];
    const auto path = root.path() / known.path;
    // Opening fails if the file's name, or one on the way to it, has become a link.
    store::descriptor file{beneath::open(root.number(), known.path, O_RDONLY | O_NONBLOCK)};
    struct stat about {};
    if (file.number() < 0 || ::fstat(file.number(), &about) != 0)
      return files::not_reached(path, "read", errno, ec::unreadable);
    if (!S_ISREG(about.st_mode) || static_cast<std::uint64_t>(about.st_size) != known.size)
      return error{ec::storage, path.string() + " is not as it was saved"};
    opened.emplace(std::move(file));
    current = index;
    return {};
  }

  /// Appends the part of the stream's bytes [offset, end) that is in this file.
  expected<void> read_file(std::size_t index, std::uint64_t offset, std::uint64_t end,
                           std::string& to) {
    if (auto ready = open_file(index); !ready)
      return ready;
    const auto begin = begins[index];
    const auto stop = std::min(end, begin + listed.content.files[index].size);
    while (offset < stop) {
      const auto old = to.size();
      to.resize(old + static_cast<std::size_t>(stop - offset));
      const auto count = ::pread(opened->number(), to.data() + old, to.size() - old,
                                 static_cast<::off_t>(offset - begin));
      const auto why = errno;
      to.resize(old + static_cast<std::size_t>(std::max<::ssize_t>(count, 0)));
      if (count < 0 && why != EINTR)
        return unreadable(root.path() / listed.content.files[index].path, why);
      if (count == 0)
        return error{ec::storage, (root.path() / listed.content.files[index].path).string()
                                      + " became shorter while it was read"};
      offset += static_cast<std::uint64_t>(std::max<::ssize_t>(count, 0));
    }
    return {};
  }
};

checkpoint_reader::checkpoint_reader(std::unique_ptr<parts> all) : parts_{std::move(all)} {}
checkpoint_reader::checkpoint_reader(checkpoint_reader&&) noexcept = default;
checkpoint_reader& checkpoint_reader::operator=(checkpoint_reader&&) noexcept = default;
checkpoint_reader::~checkpoint_reader() = default;

expected<checkpoint_reader> checkpoint_reader::open(fs::path directory) {
  auto held = hold_checkpoint(directory);
  if (!held)
    return held.error();
  auto listed = list_of(held->self);
  if (!listed)
    return listed.error();
  return over(std::make_unique<parts>(std::move(held->self), std::move(*listed)));
}

expected<checkpoint_reader> checkpoint_reader::of(fs::path directory, checkpoint_manifest content) {
  auto held = guarded_directory::open(directory.parent_path(), directory.filename());
  if (!held)
    return held.error();
  auto text = to_text(content);
  return over(std::make_unique<parts>(std::move(*held),
                                      listed_checkpoint{std::move(text), std::move(content)}));
}

expected<checkpoint_reader> checkpoint_reader::over(std::unique_ptr<parts> all) {
  auto& outline = all->outline;
  outline.manifest_hash = sha256_of(all->listed.text);
  outline.manifest_size = outline.bytes = all->listed.text.size();
  for (const auto& file : all->listed.content.files) {
    all->begins.push_back(outline.bytes);
    outline.bytes += file.size;
  }
  return checkpoint_reader{std::move(all)};
}

const stream_outline& checkpoint_reader::outline() const {
  return parts_->outline;
}

expected<std::string> checkpoint_reader::read(std::uint64_t offset, std::size_t size) {
  auto& my = *parts_;
  if (size == 0 || offset >= my.outline.bytes || size > my.outline.bytes - offset)
    return error{ec::refused, "the checkpoint has no such bytes"};
  std::string result;
  result.reserve(size);
  const auto end = offset + size;
  if (offset < my.outline.manifest_size)
    result = my.listed.text.substr(static_cast<std::size_t>(offset), size);
  auto next = std::upper_bound(my.begins.begin(), my.begins.end(), offset + result.size());
  auto index = static_cast<std::size_t>(next - my.begins.begin());
  index -= index > 0 ? 1 : 0;
  for (; result.size() < size && index < my.begins.size(); ++index) {
    if (auto done = my.read_file(index, offset + result.size(), end, result); !done)
      return done.error();
  }
  return result;
}

} // namespace tune
