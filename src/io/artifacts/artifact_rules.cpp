// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/artifacts/artifact_rules.hpp"

#include <algorithm>
#include <array>
#include <fnmatch.h>

namespace tune {

namespace {

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto part = path.substr(begin, end - begin);
    if (!part.empty() && part != ".")
      result.emplace_back(part);
    begin = end + 1;
  }
  return result;
}

bool matches_part(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

/// Whether the common leading parts match, and none of the path's further parts is hidden.
bool begins_alike(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  const auto common = std::min(pattern.size(), path.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (!matches_part(pattern[i], path[i]))
      return false;
  }
  return std::none_of(path.begin() + static_cast<std::ptrdiff_t>(common), path.end(),
                      [](const std::string& name) { return name.front() == '.'; });
}

/// Whether `text` is an ending of the runtime's output files, after "stdout.": "1.4" for one
/// attempt, "rank1" for a rank, "rank1.1.4" for both.
bool is_of_attempt(std::string_view text) {
  constexpr std::string_view rank = "rank";
  if (text.starts_with(rank))
    text.remove_prefix(rank.size());
  return !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
}

} // namespace

expected<void> check_artifact_pattern(std::string_view pattern) {
  const auto shown = "\"" + std::string{pattern} + "\" ";
  if (pattern.empty())
    return error{ec::bad_option, "a pattern is empty"};
  if (pattern.front() == '/')
    return error{ec::bad_option, shown + "must stand below the trial's directory, not be absolute"};
  for (const auto& part : parts_of(pattern)) {
    if (part == "..")
      return error{ec::bad_option, shown + "leads out of the trial's directory"};
  }
  return {};
}

bool matches_artifact(std::string_view pattern, std::string_view path) {
  const auto wanted = parts_of(pattern);
  const auto names = parts_of(path);
  return wanted.size() <= names.size() && begins_alike(wanted, names);
}

bool may_match_below(std::string_view pattern, std::string_view directory) {
  return begins_alike(parts_of(pattern), parts_of(directory));
}

bool is_runtime_name(std::string_view first) {
  static constexpr std::array<std::string_view, 6> names{
      "params.json", "result.jsonl", "progress.csv", "error.txt", "stdout", "stderr"};
  for (const std::string_view stream : {"stdout.", "stderr."}) {
    if (first.starts_with(stream) && is_of_attempt(first.substr(stream.size())))
      return true;
  }
  return std::find(names.begin(), names.end(), first) != names.end()
         || first.starts_with(".params.json") || first.starts_with("attempt_")
         || first.starts_with(".tune_");
}

} // namespace tune
