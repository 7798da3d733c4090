// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/printable.hpp"
#include "tune/io/object_store/object_store.hpp"

#include <algorithm>

namespace tune {

namespace {

constexpr std::size_t shortest_bucket = 3;
constexpr std::size_t longest_bucket = 63;
/// Leaves room for what lies below: keys have 1024 bytes at most.
constexpr std::size_t longest_prefix = 512;

bool is_bucket_name(std::string_view x) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  return x.size() >= shortest_bucket && x.size() <= longest_bucket
         && std::all_of(x.begin(), x.end(), fits) && x.front() != '.' && x.front() != '-';
}

/// Whether each part between slashes is a name.
bool is_key_prefix(std::string_view x) {
  while (!x.empty()) {
    const auto part = x.substr(0, x.find('/'));
    if (part.empty() || part == "." || part == "..")
      return false;
    x.remove_prefix(std::min(part.size() + 1, x.size()));
  }
  return true;
}

} // namespace

bucket_place bucket_place::below(std::string_view name) const {
  return {bucket, (prefix.empty() ? prefix : prefix + "/") + std::string{name}};
}

expected<bucket_place> bucket_place_from(std::string_view text) {
  if (!text.starts_with(bucket_scheme))
    return error{ec::bad_option, "must be a place such as s3://bucket/prefix"};
  text.remove_prefix(bucket_scheme.size());
  const auto slash = std::min(text.find('/'), text.size());
  bucket_place result{std::string{text.substr(0, slash)}, std::string{text.substr(slash)}};
  if (!is_bucket_name(result.bucket))
    return error{ec::bad_option,
                 "must name a bucket of 3 to 63 lower-case letters, digits, '-', '.' and '_', as in"
                 " s3://bucket/prefix"};
  if (result.prefix.starts_with('/'))
    result.prefix.erase(0, 1);
  if (result.prefix.ends_with('/'))
    result.prefix.pop_back();
  if (result.prefix.size() > longest_prefix || printable(result.prefix) != result.prefix
      || result.prefix.find_first_of("?#") != std::string::npos || !is_key_prefix(result.prefix))
    return error{ec::bad_option, "must have a prefix of at most 512 bytes without '?', '#', and"
                                 " parts that are empty, '.' or '..'"};
  return result;
}

std::string to_text(const bucket_place& x) {
  return std::string{bucket_scheme} + x.bucket + (x.prefix.empty() ? "" : "/" + x.prefix);
}

} // namespace tune
