// SPDX-License-Identifier: BSD-3-Clause
#include "output_file.hpp"

#include "tune/io/checkpoint/checkpoint_limits.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/process/output_bound.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tune {

namespace {

/// Limit on bytes that wait for a file that cannot be opened for now.
constexpr std::size_t most_waiting = 1024 * 1024;

constexpr std::uint64_t end_where_room_is_short = 4096;

} // namespace

output_file::output_file(std::filesystem::path path, std::uint64_t cap)
    : path_{std::move(path)}, cap_{cap}, end_size_{output_end_size(cap)} {}

/// @param may_wait Whether a shortage of descriptors is not yet an error.
void output_file::open(bool may_wait) {
  constexpr ::mode_t readable_by_all = 0644;
  // The thread writes for all trials of the job: no trial must be able to block it.
  auto directory = guarded_directory::holding(path_);
  auto opened = directory ? directory->append(path_.filename(), readable_by_all)
                          : expected<writable_file>{directory.error()};
  if (!opened && may_wait && opened.error().code == ec::shortage)
    return;
  opened_ = true;
  if (opened)
    use(std::move(*opened));
  else
    trouble_ = opened.error().detail;
  if (directory && size_ > cap_ - end_size_)
    read_old_end(*directory);
  append(std::exchange(waiting_, {}));
}

void output_file::use(writable_file what) {
  if (!what.replaced.empty())
    trouble_ = replaced_text(path_, what.replaced);
  file_.reset(std::move(what.file).release());
  struct stat about {};
  if (::fstat(file_.get(), &about) == 0)
    size_ = static_cast<std::uint64_t>(about.st_size);
}

void output_file::put(std::string_view bytes) {
  while (file_ && !bytes.empty()) {
    auto count = ::write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      trouble_ = "cannot write " + path_.string() + ": " + std::strerror(errno);
      file_.reset();
      return;
    }
    size_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Output must not use up the disk space that the record needs.
void output_file::check_room(std::size_t bytes) {
  constexpr std::uint64_t often = 64 * 1024;
  unchecked_ += bytes;
  if (lacks_room_ || (size_ > 0 && unchecked_ < often))
    return;
  unchecked_ = 0;
  struct statvfs disk {};
  if (::fstatvfs(file_.get(), &disk) != 0)
    return;
  const auto kept = room_kept_free(std::uint64_t{disk.f_blocks} * disk.f_frsize);
  if (std::uint64_t{disk.f_bavail} * disk.f_frsize >= kept + bytes)
    return;
  lacks_room_ = true;
  end_size_ = std::min(end_size_, end_where_room_is_short);
  cap_ = std::min(cap_, size_ + end_size_);
  trouble_ = "no room for " + path_.string() + ": what is left of the disk is kept for the record";
}

void output_file::write(std::string_view bytes) {
  if (!opened_)
    open(waiting_.size() + bytes.size() <= most_waiting);
  if (opened_)
    append(bytes);
  else
    waiting_.append(bytes);
}

/// Reads back the end that an earlier attempt wrote, to make room for the newest.
void output_file::read_old_end(const guarded_directory& where) {
  const auto begin = cap_ - end_size_;
  auto old = where.read(path_.filename());
  // Only a file written under another cap has more than that: its end is read.
  std::string text(std::min<std::uint64_t>(size_ - begin, 2 * longest_output_end), '\0');
  const auto at = static_cast<off_t>(size_ - text.size());
  const auto count = old ? ::pread(old->number(), text.data(), text.size(), at) : -1;
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  std::string_view rest{text};
  behind_ = take_output_gap(rest);
  const auto before = behind_;
  keep_for_end(rest);
  behind_ = std::max(behind_, before == 0 ? size_ - begin : behind_);
  has_old_end_ = true;
  size_ = begin;
}

void output_file::keep_for_end(std::string_view bytes) {
  behind_ += bytes.size();
  if (bytes.size() >= end_size_) {
    end_.assign(bytes.substr(bytes.size() - end_size_));
    return;
  }
  // Trim rarely: only at twice the size.
  end_.append(bytes);
  if (end_.size() > 2 * end_size_)
    end_.erase(0, end_.size() - end_size_);
}

void output_file::put_end() {
  if (behind_ == 0 || !file_)
    return;
  if (end_.size() > end_size_)
    end_.erase(0, end_.size() - end_size_);
  if (has_old_end_ && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) {
    trouble_ = "cannot write " + path_.string() + ": " + std::strerror(errno);
    return;
  }
  if (behind_ > end_.size())
    put(output_gap(behind_ - end_.size()));
  put(end_);
}

std::string output_file::finish() {
  if (!waiting_.empty())
    open(false);
  put_end();
  file_.reset();
  return trouble_;
}

void output_file::append(std::string_view bytes) {
  if (!file_ || bytes.empty())
    return;
  if (size_ + end_size_ < cap_)
    check_room(bytes.size());
  const auto most = cap_ - end_size_;
  const auto room = size_ < most ? most - size_ : 0;
  put(bytes.substr(0, room));
  if (bytes.size() > room && file_)
    keep_for_end(bytes.substr(room));
}

} // namespace tune
