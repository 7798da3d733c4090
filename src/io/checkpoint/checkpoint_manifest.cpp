// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/checkpoint_manifest.hpp"

#include "files/manifest_order.hpp"

#include "tune/io/files/file_mode.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace tune {

namespace {

constexpr std::int64_t format_version = 1;
constexpr std::string_view before_sum = ",\"sha256\":\"";
constexpr std::string_view after_sum = "\"}\n";
constexpr std::size_t hex_digits = 64;

error fault(const std::string& what) {
  return {ec::protocol, "bad manifest of a checkpoint: " + what};
}

void append_path(std::string& to, std::string_view path) {
  to += "{\"path\":";
  append_json_string(to, path);
}

template <class List, class Append>
void append_list(std::string& to, std::string_view name, const List& all, Append append) {
  to += ",\"" + std::string{name} + "\":[";
  for (const auto& x : all) {
    if (&x != all.data())
      to += ',';
    append(x);
  }
  to += ']';
}

/// The text before the checksum.
std::string body_of(const checkpoint_manifest& what) {
  auto result = "{\"tune_checkpoint\":" + std::to_string(format_version)
                + ",\"iteration\":" + std::to_string(what.iteration);
  if (!what.location.empty()) {
    result += ",\"location\":";
    append_json_string(result, what.location);
  }
  append_list(result, "directories", what.directories,
              [&](const std::string& x) { append_json_string(result, x); });
  append_list(result, "files", what.files, [&](const shipped_file& x) {
    append_path(result, x.path);
    result += ",\"mode\":" + std::to_string(x.mode) + ",\"size\":" + std::to_string(x.size)
              + ",\"sha256\":\"" + x.hash + "\"}";
  });
  append_list(result, "links", what.links, [&](const checkpoint_link& x) {
    append_path(result, x.path);
    result += ",\"target\":";
    append_json_string(result, x.target);
    result += '}';
  });
  return result;
}

// -- Reading.

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

const value::list* list_at(const object& of, std::string_view key) {
  const auto* found = of.find(key);
  return found == nullptr ? nullptr : found->as_list();
}

/// @errors `ec::protocol` for a path that may not be in a manifest.
expected<std::string> path_from(const std::string* path) {
  if (path == nullptr)
    return fault("an entry has no path");
  if (auto why = files::path_fault(*path); !why.empty())
    return fault("\"" + *path + "\": " + why);
  if (*path == checkpoint_manifest_name)
    return fault("it lists itself");
  return *path;
}

expected<std::string> directory_from(const value& entry) {
  return path_from(entry.as_string());
}

expected<shipped_file> file_from(const value& entry) {
  const auto* fields = entry.as_object();
  if (fields == nullptr)
    return fault("a file is no object");
  auto path = path_from(text_at(*fields, "path"));
  if (!path)
    return path.error();
  const auto* hash = text_at(*fields, "sha256");
  const auto mode = number_at(*fields, "mode");
  const auto size = number_at(*fields, "size");
  if (!mode || (*mode & ~std::uint64_t{executable_bits}) != 0)
    return fault("\"" + *path + "\": the mode has more than executable bits");
  if (!size || *size > max_file_bytes)
    return fault("\"" + *path + "\": the size is out of range");
  if (hash == nullptr || !is_sha256(*hash))
    return fault("\"" + *path + "\": the hash is not 64 hex digits");
  return shipped_file{std::move(*path), static_cast<std::uint32_t>(*mode), *size, *hash};
}

expected<checkpoint_link> link_from(const value& entry) {
  const auto* fields = entry.as_object();
  if (fields == nullptr)
    return fault("a link is no object");
  auto path = path_from(text_at(*fields, "path"));
  if (!path)
    return path.error();
  const auto* target = text_at(*fields, "target");
  if (target == nullptr || target->empty() || target->size() > max_path_bytes
      || target->find('\0') != std::string::npos)
    return fault("\"" + *path + "\": the link leads nowhere");
  return checkpoint_link{std::move(*path), *target};
}

template <class T, class Read>
expected<std::vector<T>> list_from(const object& of, std::string_view name, Read read) {
  const auto* all = list_at(of, name);
  if (all == nullptr)
    return fault("it has no list of " + std::string{name});
  if (all->size() > max_checkpoint_entries)
    return fault("it lists more than " + std::to_string(max_checkpoint_entries) + " "
                 + std::string{name});
  std::vector<T> result;
  for (const auto& entry : *all) {
    auto one = read(entry);
    if (!one)
      return one.error();
    result.push_back(std::move(*one));
  }
  return result;
}

/// Checks that each path occurs once and is in a directory that is listed before it.
expected<void> check_tree(const checkpoint_manifest& what) {
  std::unordered_set<std::string_view> directories;
  std::unordered_set<std::string_view> all;
  auto add = [&](const std::string& path) -> expected<void> {
    if (!all.insert(path).second)
      return fault("\"" + path + "\" is listed twice");
    const auto end = path.rfind('/');
    if (end != std::string::npos && !directories.contains(std::string_view{path}.substr(0, end)))
      return fault("\"" + path + "\" lies in no directory of the list");
    return {};
  };
  for (const auto& x : what.directories) {
    if (auto good = add(x); !good)
      return good;
    directories.insert(x);
  }
  for (const auto& x : what.files) {
    if (auto good = add(x.path); !good)
      return good;
  }
  for (const auto& x : what.links) {
    if (auto good = add(x.path); !good)
      return good;
  }
  return {};
}

/// Verifies the checksum. @returns the text without it.
expected<std::string_view> checked_body(std::string_view text) {
  constexpr auto tail = before_sum.size() + hex_digits + after_sum.size();
  if (text.size() <= tail || !text.ends_with(after_sum))
    return fault("it is cut short");
  const auto body = text.substr(0, text.size() - tail);
  const auto rest = text.substr(body.size());
  if (!rest.starts_with(before_sum))
    return fault("it has no checksum");
  if (rest.substr(before_sum.size(), hex_digits) != sha256_of(body))
    return fault("its checksum does not fit");
  return body;
}

} // namespace

std::uint64_t checkpoint_manifest::bytes() const {
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const shipped_file& x) { return sum + x.size; });
}

std::string to_text(const checkpoint_manifest& what) {
  auto result = body_of(what);
  auto sum = sha256_of(result);
  result += before_sum;
  result += sum;
  result += after_sum;
  return result;
}

expected<checkpoint_manifest> checkpoint_manifest_from_text(std::string_view text) {
  constexpr std::size_t most_depth = 4;
  auto body = checked_body(text);
  if (!body)
    return body.error();
  auto read = object_from_json(std::string{*body} + '}', json_position::plain,
                               {max_manifest_bytes, most_depth});
  if (!read)
    return fault(read.error().detail);
  if (number_at(*read, "tune_checkpoint") != format_version)
    return fault("its version is not " + std::to_string(format_version));
  auto iteration = number_at(*read, "iteration");
  if (!iteration)
    return fault("it names no iteration");
  auto directories = list_from<std::string>(*read, "directories", directory_from);
  if (!directories)
    return directories.error();
  auto listed = list_from<shipped_file>(*read, "files", file_from);
  if (!listed)
    return listed.error();
  auto links = list_from<checkpoint_link>(*read, "links", link_from);
  if (!links)
    return links.error();
  checkpoint_manifest result{*iteration, std::move(*directories), std::move(*listed),
                             std::move(*links)};
  if (const auto* location = text_at(*read, "location"))
    result.location = *location;
  if (auto good = check_tree(result); !good)
    return good.error();
  return result;
}

} // namespace tune
