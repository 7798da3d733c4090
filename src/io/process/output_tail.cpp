// SPDX-License-Identifier: BSD-3-Clause
#include "output_tail.hpp"

#include "tune/core/printable.hpp"
#include "tune/core/trial/error_line.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tune {

namespace {

/// Bytes kept of the beginning and of the end.
constexpr std::size_t head_size = 2048;
constexpr std::size_t tail_size = 8192;
constexpr std::size_t longest_last_line = 500;

/// Keeps tabs: they are harmless and align columns.
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

void output_tail::count_lines(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    in_line_ = in_line_ || bytes.substr(0, end).find_first_not_of('\r') != bytes.npos;
    if (end == bytes.npos)
      return;
    lines_ += std::exchange(in_line_, false) ? 1 : 0;
    bytes.remove_prefix(end + 1);
  }
}

void output_tail::add(std::string_view bytes) {
  count_lines(bytes);
  head_ += bytes.substr(0, head_size - head_.size());
  if (bytes.size() >= tail_size) {
    tail_.assign(bytes.substr(bytes.size() - tail_size));
    return;
  }
  // Trim rarely: only at twice the size.
  tail_.append(bytes);
  if (tail_.size() > 2 * tail_size)
    tail_.erase(0, tail_.size() - tail_size);
}

std::vector<std::string> output_tail::last_lines(std::size_t count) const {
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

std::vector<std::string> output_tail::first_lines(std::uint64_t count) const {
  std::vector<std::string> result;
  std::string_view rest{head_};
  while (result.size() < count && !rest.empty()) {
    const auto stop = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, stop);
    while (line.ends_with('\r'))
      line.remove_suffix(1);
    if (!line.empty())
      result.push_back(readable(line));
    rest.remove_prefix(std::min(stop + 1, rest.size()));
  }
  return result;
}

std::vector<std::string> output_tail::telling_lines(std::size_t first, std::size_t last) const {
  const auto end = last_lines(std::numeric_limits<std::size_t>::max());
  const auto all = std::max<std::uint64_t>(lines_ + (in_line_ ? 1 : 0), end.size());
  const auto last_begin = all - std::min(last, end.size());
  auto result = first_lines(std::min<std::uint64_t>(first, last_begin));
  std::uint64_t next = result.size();
  auto show = [&](std::uint64_t number) {
    if (number > next)
      result.push_back(gap_text(number - next));
    if (number < all)
      result.push_back(end[number - (all - end.size())]);
    next = number + 1;
  };
  if (!end.empty()) {
    // The line behind it may go on with it, or tell which runtime wrote it.
    const auto telling
        = all - end.size() + telling_line_in(std::vector<std::string_view>{end.begin(), end.end()});
    for (auto i = telling; i < std::min(telling + 2, last_begin); ++i) {
      if (i >= next)
        show(i);
    }
  }
  for (auto i = last_begin; i < all; ++i)
    show(i);
  return result;
}

} // namespace tune
