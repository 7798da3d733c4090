// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/file_manifest.hpp"

#include "manifest_order.hpp"

#include "tune/io/files/file_mode.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tune {

namespace files {

bool path_before(std::string_view a, std::string_view b) {
  auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

std::string path_fault(std::string_view path) {
  if (path.empty())
    return "the path is empty";
  if (path.size() > max_path_bytes)
    return "the path is longer than " + std::to_string(max_path_bytes) + " bytes";
  if (path.front() == '/')
    return "the path is absolute";
  if (path.find('\0') != std::string_view::npos)
    return "the path contains a zero byte";
  if (!is_utf8(path))
    return "the path is not UTF-8";
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..")
      return "the path has a part \"" + std::string{part} + "\"";
    begin = end + 1;
  }
  return {};
}

bool lies_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path[directory.size()] == '/'
         && path.starts_with(directory);
}

} // namespace files

namespace {

constexpr std::int64_t format_version = 1;

error fault(const std::string& what) {
  return {ec::protocol, "bad manifest: " + what};
}

const std::string* text_at(const object& of, std::string_view key) {
  const auto* found = of.find(key);
  return found == nullptr ? nullptr : found->as_string();
}

std::optional<std::uint64_t> number_at(const object& of, std::string_view key) {
  const auto* found = of.find(key);
  const auto* number = found == nullptr ? nullptr : found->as_int();
  if (number == nullptr || *number < 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

expected<shipped_file> file_from(const value& entry) {
  const auto* fields = entry.as_object();
  if (fields == nullptr)
    return fault("an entry is no object");
  const auto* path = text_at(*fields, "path");
  const auto* hash = text_at(*fields, "sha256");
  const auto mode = number_at(*fields, "mode");
  const auto size = number_at(*fields, "size");
  if (path == nullptr)
    return fault("an entry has no path");
  if (auto why = files::path_fault(*path); !why.empty())
    return fault("\"" + *path + "\": " + why);
  if (!mode || (*mode & ~std::uint64_t{executable_bits}) != 0)
    return fault("\"" + *path + "\": the mode has more than executable bits");
  if (!size || *size > max_file_bytes)
    return fault("\"" + *path + "\": the size is out of range");
  if (hash == nullptr || !is_sha256(*hash))
    return fault("\"" + *path + "\": the hash is not 64 hex digits");
  return shipped_file{*path, static_cast<std::uint32_t>(*mode), *size, *hash};
}

/// Checks two neighbours of the sorted list.
expected<void> check_neighbours(const shipped_file& first, const shipped_file& second) {
  if (first.path == second.path)
    return fault("\"" + first.path + "\" is listed twice");
  if (files::lies_below(second.path, first.path))
    return fault("\"" + first.path + "\" is a file and the directory of \"" + second.path + "\"");
  return {};
}

} // namespace

std::uint64_t file_manifest::bytes() const {
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const shipped_file& x) { return sum + x.size; });
}

std::string to_json(const file_manifest& what) {
  auto result = "{\"version\":" + std::to_string(format_version) + ",\"files\":[";
  for (const auto& x : what.files) {
    if (&x != what.files.data())
      result += ',';
    result += "{\"path\":";
    append_json_string(result, x.path);
    result += ",\"mode\":" + std::to_string(x.mode) + ",\"size\":" + std::to_string(x.size)
              + ",\"sha256\":\"" + x.hash + "\"}";
  }
  return result + "]}";
}

expected<file_manifest> manifest_from_json(std::string_view text) {
  constexpr std::size_t most_depth = 4;
  auto read = object_from_json(text, json_position::plain, {max_manifest_bytes, most_depth});
  if (!read)
    return fault(read.error().detail);
  if (number_at(*read, "version") != format_version)
    return fault("its version is not " + std::to_string(format_version));
  const auto* found = read->find("files");
  const auto* list = found == nullptr ? nullptr : found->as_list();
  if (list == nullptr)
    return fault("it has no list of files");
  if (list->size() > max_shipped_files)
    return fault("it lists more than " + std::to_string(max_shipped_files) + " files");
  file_manifest result;
  for (const auto& entry : *list) {
    auto file = file_from(entry);
    if (!file)
      return file.error();
    result.files.push_back(std::move(*file));
  }
  std::sort(result.files.begin(), result.files.end(),
            [](const auto& a, const auto& b) { return files::path_before(a.path, b.path); });
  for (std::size_t i = 1; i < result.files.size(); ++i) {
    if (auto good = check_neighbours(result.files[i - 1], result.files[i]); !good)
      return good.error();
  }
  return result;
}

} // namespace tune
