// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/output_bound.hpp"

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace tune {

namespace {

constexpr std::string_view gap_begin = "\n[";
constexpr std::string_view gap_end = " bytes left out here]\n";
/// Longer than any such line.
constexpr std::size_t longest_gap = 64;

/// @returns fewer bytes where the file ends, or cannot be read.
std::string bytes_at(int descriptor, std::uint64_t where, std::uint64_t count) {
  std::string result(count, '\0');
  std::size_t done = 0;
  while (done < result.size()) {
    const auto got = ::pread(descriptor, result.data() + done, result.size() - done,
                             static_cast<::off_t>(where + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    done += static_cast<std::size_t>(got);
  }
  result.resize(done);
  return result;
}

/// @returns `errno` if not all of it can be written, else 0.
int put_at(int descriptor, std::uint64_t where, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count
        = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<::off_t>(where));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 ? errno : EIO;
    where += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

struct gap {
  std::uint64_t left_out = 0;
  /// Length of its line; 0 if there is none.
  std::uint64_t length = 0;
};

gap gap_at(int descriptor, std::uint64_t where) {
  const auto text = bytes_at(descriptor, where, longest_gap);
  std::string_view rest{text};
  const auto left_out = take_output_gap(rest);
  return {left_out, text.size() - rest.size()};
}

struct cut_plan {
  /// Bytes of the beginning that stay.
  std::uint64_t front = 0;
  /// The end that is kept: where it is now, and its size.
  std::uint64_t from = 0;
  std::uint64_t end_size = 0;
  std::uint64_t left_out = 0;
};

/// @returns nothing if the file is within its cap.
std::optional<cut_plan> plan_of(int descriptor, std::uint64_t cap, std::uint64_t newest) {
  struct stat about {};
  if (::fstat(descriptor, &about) != 0)
    return std::nullopt;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  const auto end_size = output_end_size(cap);
  const auto front = cap - end_size;
  if (size <= cap)
    return std::nullopt;
  // What came before was left out by an earlier cut, or by the first attempt itself.
  const auto earlier = gap_at(descriptor, front);
  const auto behind = front + earlier.length;
  if (size - behind <= end_size)
    return std::nullopt;
  const auto from = size - end_size;
  auto left_out = earlier.left_out + (from - behind);
  // The newest attempt was cut where it was written: what is missing there was left out, too.
  if (newest > 0 && newest < size && newest + front >= behind) {
    const auto own = gap_at(descriptor, newest + front);
    if (newest + front + own.length <= from)
      left_out += own.left_out - own.length;
  }
  return cut_plan{front, from, end_size, left_out};
}

} // namespace

std::uint64_t output_end_size(std::uint64_t cap) {
  return std::min(cap / 4, longest_output_end);
}

std::string output_gap(std::uint64_t left_out) {
  return std::string{gap_begin} + std::to_string(left_out) + std::string{gap_end};
}

std::uint64_t take_output_gap(std::string_view& text) {
  std::uint64_t result = 0;
  if (!text.starts_with(gap_begin))
    return 0;
  auto rest = text.substr(gap_begin.size());
  const auto [end, why] = std::from_chars(rest.data(), rest.data() + rest.size(), result);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (why != std::errc{} || !rest.starts_with(gap_end))
    return 0;
  text = rest.substr(gap_end.size());
  return result;
}

expected<void> keep_within_cap(const guarded_directory& where, const std::string& name,
                               std::uint64_t cap, std::uint64_t newest) {
  if (!where.has_file(name))
    return {};
  auto opened = where.read(name);
  if (!opened)
    return opened.error();
  const auto plan = plan_of(opened->number(), cap, newest);
  if (!plan)
    return {};
  const auto end = bytes_at(opened->number(), plan->from, plan->end_size);
  const auto file = where.path() / name;
  if (end.size() != plan->end_size)
    return error{ec::unreadable, "cannot read the end of " + file.string()};
  auto writable = where.update(name);
  if (!writable)
    return writable.error();
  const auto to = writable->file.number();
  auto why = ::ftruncate(to, static_cast<::off_t>(plan->front)) == 0 ? 0 : errno;
  if (why == 0)
    why = put_at(to, plan->front, output_gap(plan->left_out) + end);
  if (why != 0)
    return error{ec::storage, "cannot write " + file.string() + ": " + std::strerror(why)};
  return {};
}

} // namespace tune
