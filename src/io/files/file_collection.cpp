// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/file_collection.hpp"

#include "manifest_order.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <system_error>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

std::string name_of(const declared_file& x) {
  return x.key + ": \"" + x.pattern + '"';
}

error fault(const declared_file& x, const std::string& why) {
  return {ec::bad_option, name_of(x) + ": " + why};
}

/// A pattern without its leading "..", and the number of these.
struct climb {
  std::size_t up = 0;
  std::string rest;
};

expected<climb> climb_of(const declared_file& x) {
  climb result;
  const std::string_view text = x.pattern;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('/', begin), text.size());
    const auto part = text.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".")
      continue;
    if (part != "..") {
      result.rest += (result.rest.empty() ? "" : "/") + std::string{part};
      continue;
    }
    if (!result.rest.empty())
      return fault(x, "\"..\" behind a name; write the path without it");
    ++result.up;
  }
  return result;
}

/// An absolute path rewritten relative to `base`.
std::string against(const fs::path& base, const std::string& pattern) {
  auto result = fs::path{pattern}.lexically_relative(base).string();
  return result.empty() ? "." : result;
}

expected<std::vector<climb>> climbs_of(const fs::path& base,
                                       std::span<const declared_file> patterns) {
  const auto depth
      = static_cast<std::size_t>(std::distance(base.begin(), base.end())) - 1; // without "/"
  std::vector<climb> result;
  for (const auto& x : patterns) {
    if (x.pattern.empty())
      return fault(x, "the pattern is empty");
    if (x.pattern.front() == '/')
      return fault(x, "absolute paths are not shipped, since they would mean another file on "
                      "workers; against the directory of the INI file it is \""
                          + against(base, x.pattern) + '"');
    auto way = climb_of(x);
    if (!way)
      return way.error();
    if (way->up > 0 && way->up >= depth)
      return fault(x, "leads from " + base.string()
                          + " up to the root of the file system, which is not shipped; put the "
                            "file, or the INI file, into a directory that holds both");
    result.push_back(std::move(*way));
  }
  return result;
}

} // namespace

expected<file_collection> collect_files(const fs::path& base,
                                        std::span<const declared_file> patterns,
                                        const reading_rules& how) {
  std::error_code why;
  const auto real_base = fs::canonical(base, why);
  if (why)
    return error{ec::unreadable, "files: cannot read " + base.string() + ": " + why.message()};
  auto ways = climbs_of(real_base, patterns);
  if (!ways)
    return ways.error();
  std::size_t up = 0;
  for (const auto& way : *ways)
    up = std::max(up, way.up);

  file_collection result{real_base, {}, {}};
  std::vector<std::string> names; // from the root to the base
  for (std::size_t i = 0; i < up; ++i) {
    names.insert(names.begin(), result.root.filename().string());
    result.root = result.root.parent_path();
  }
  std::vector<named_pattern> below;
  for (std::size_t i = 0; i < ways->size(); ++i) {
    const auto& way = (*ways)[i];
    std::string pattern;
    for (std::size_t j = 0; j + way.up < up; ++j)
      pattern += literal_pattern(names[j]) + '/';
    pattern += way.rest.empty() ? "." : way.rest;
    below.push_back({std::move(pattern), name_of(patterns[i])});
  }
  for (const auto& name : names)
    result.base += (result.base.empty() ? "" : "/") + name;
  if (auto bad = result.base.empty() ? std::string{} : files::path_fault(result.base); !bad.empty())
    return error{ec::bad_option, "files: " + real_base.string() + ": " + bad};
  auto manifest = make_manifest(result.root, below, how);
  if (!manifest)
    return manifest.error();
  result.manifest = std::move(*manifest);
  return result;
}

} // namespace tune
