// SPDX-License-Identifier: BSD-3-Clause
#include "output_tail.hpp"

#include "tune/core/printable.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tune {

namespace {

/// Bytes kept of the beginning and of the end.
constexpr std::size_t head_size = 2048;
constexpr std::size_t tail_size = 4096;
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

std::vector<std::string> output_tail::first_and_last_lines(std::size_t first,
                                                           std::size_t last) const {
  auto end = last_lines(last);
  const auto all = lines_ + (in_line_ ? 1 : 0);
  const auto left = all - std::min<std::uint64_t>(all, end.size());
  std::vector<std::string> result;
  std::string_view rest{head_};
  while (result.size() < std::min<std::uint64_t>(first, left) && !rest.empty()) {
    const auto stop = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, stop);
    while (line.ends_with('\r'))
      line.remove_suffix(1);
    if (!line.empty())
      result.push_back(readable(line));
    rest.remove_prefix(std::min(stop + 1, rest.size()));
  }
  if (left > result.size()) {
    const auto between = left - result.size();
    result.push_back("… (" + std::to_string(between) + (between == 1 ? " line" : " lines")
                     + " between)");
  }
  result.insert(result.end(), std::make_move_iterator(end.begin()),
                std::make_move_iterator(end.end()));
  return result;
}

} // namespace tune
