// SPDX-License-Identifier: BSD-3-Clause
#include "output_file.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tune {

namespace {

/// Bytes kept for the last lines.
constexpr std::size_t tail_size = 4096;
constexpr std::size_t longest_last_line = 500;
/// Bytes that may wait for a file which cannot be opened for now.
constexpr std::size_t most_waiting = 1024 * 1024;

/// Tabs stay: they are harmless, and order what stands in columns.
std::string readable(std::string_view line) {
  line = line.substr(0, longest_last_line);
  std::string result;
  for (auto tab = line.find('\t'); tab != line.npos; tab = line.find('\t')) {
    result += printable(line.substr(0, tab)) + '\t';
    line.remove_prefix(tab + 1);
  }
  return result + printable(line);
}

} // namespace

output_file::output_file(std::filesystem::path path, std::uint64_t cap)
    : path_{std::move(path)}, cap_{cap} {}

/// @param may_wait A shortage of descriptors is no trouble yet.
void output_file::open(bool may_wait) {
  constexpr ::mode_t readable_by_all = 0644;
  // The thread reads for all trials of the node: one must not be able to make it wait.
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
  full_ = size_ > cap_;
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

void output_file::write(std::string_view bytes) {
  remember(bytes);
  if (path_.empty() || bytes.empty())
    return;
  if (!opened_)
    open(waiting_.size() + bytes.size() <= most_waiting);
  if (opened_)
    append(bytes);
  else
    waiting_.append(bytes);
}

void output_file::finish() {
  if (!waiting_.empty())
    open(false);
}

void output_file::append(std::string_view bytes) {
  if (full_ || !file_ || bytes.empty())
    return;
  auto room = size_ < cap_ ? cap_ - size_ : 0;
  if (bytes.size() <= room) {
    put(bytes);
    return;
  }
  put(bytes.substr(0, room));
  full_ = true;
  put("\n[output truncated after " + std::to_string(cap_) + " bytes]\n");
  file_.reset();
}

void output_file::close() {
  file_.reset();
}

void output_file::remember(std::string_view bytes) {
  if (bytes.size() >= tail_size) {
    tail_.assign(bytes.substr(bytes.size() - tail_size));
    return;
  }
  // Cut seldom: at twice the size.
  tail_.append(bytes);
  if (tail_.size() > 2 * tail_size)
    tail_.erase(0, tail_.size() - tail_size);
}

std::vector<std::string> output_file::last_lines(std::size_t count) const {
  std::vector<std::string> result;
  std::string_view rest{tail_};
  while (result.size() < count && !rest.empty()) {
    if (rest.ends_with('\n'))
      rest.remove_suffix(1);
    if (rest.ends_with('\r'))
      rest.remove_suffix(1);
    auto start = rest.rfind('\n');
    auto line = start == rest.npos ? rest : rest.substr(start + 1);
    if (!line.empty())
      result.push_back(readable(line));
    rest = start == rest.npos ? std::string_view{} : rest.substr(0, start + 1);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

} // namespace tune
