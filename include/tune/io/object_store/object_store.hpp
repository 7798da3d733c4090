/// A bucket of an S3-compatible object store.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A bucket, and what the keys of all objects that are meant begin with.
struct bucket_place {
  std::string bucket;
  /// Without a slash at either end; may be empty.
  std::string prefix;

  /// The place below this one.
  [[nodiscard]] bucket_place below(std::string_view name) const;
  friend bool operator==(const bucket_place&, const bucket_place&) = default;
};

/// How a text that names a place in a bucket begins.
inline constexpr std::string_view bucket_scheme = "s3://";

/// Reads "s3://bucket" or "s3://bucket/prefix".
/// @errors `ec::bad_option` with the fault.
[[nodiscard]] expected<bucket_place> bucket_place_from(std::string_view text);
/// The text that names the place.
[[nodiscard]] std::string to_text(const bucket_place& x);

/// Why `text` is no address of a server; empty if it is one. [http://host:port or https://host]
[[nodiscard]] std::string why_no_endpoint(std::string_view text);

struct bucket_settings {
  /// Address of the server; empty: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, or Amazon's of the
  /// region.
  std::string endpoint = {};
  /// Empty: `AWS_REGION`, `AWS_DEFAULT_REGION`, or us-east-1.
  std::string region = {};
  /// How long a request may still take; empty: as long as bytes come or go.
  std::function<std::chrono::milliseconds()> time_left = {};
};

/// An object that a listing has.
struct listed_object {
  std::string key;
  std::uint64_t size = 0;
  /// Unix time of its last change, by the server's clock. [s]
  std::int64_t changed_s = 0;
};

/// Notes that are kept with an object. Names have lower-case letters and '-' only.
using object_notes = std::map<std::string, std::string>;

/// Most bytes of one file that is stored: an upload has 10,000 parts, each in memory while it is
/// sent.
inline constexpr std::uint64_t max_object_bytes = std::uint64_t{10'000} * (64U << 20U);

/// Keys are relative to the place: "a/b". For use by one thread; all functions block on the
/// network, and try what may pass three times.
///
/// The credentials are looked for anew with each request: `AWS_ACCESS_KEY_ID` with
/// `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, or those of `AWS_PROFILE` in
/// `AWS_SHARED_CREDENTIALS_FILE` (~/.aws/credentials). No error names more of them than the id.
///
/// @errors of all: `ec::unreachable` if a later try may succeed; `ec::refused` if the server
/// refuses,
///         with its code, or there are no credentials.
class object_store {
public:
  object_store(bucket_place where, bucket_settings how);
  object_store(object_store&&) noexcept;
  object_store& operator=(object_store&&) noexcept;
  ~object_store();

  [[nodiscard]] const bucket_place& place() const;

  /// Stores a file. Nobody sees a part of it.
  /// @param hash The SHA-256 that its content must have; empty: any.
  /// @errors also `ec::unreadable` if it cannot be read; `ec::storage` if it has another hash, or
  ///         changed meanwhile; `ec::refused` for one above `max_object_bytes`.
  [[nodiscard]] expected<void> put_file(const std::string& key, const std::filesystem::path& file,
                                        const std::string& hash = {},
                                        const object_notes& notes = {});
  /// Writes an object into an open file, which is empty. @param shown Its path in error texts.
  /// @returns the SHA-256 of what was written.
  /// @errors also `ec::storage`, and `ec::unreadable` if there is no such object.
  [[nodiscard]] expected<std::string> get_file(const std::string& key, const store::descriptor& to,
                                               const std::filesystem::path& shown);
  /// The notes of an object; nothing if there is no such object.
  [[nodiscard]] expected<std::optional<object_notes>> look(const std::string& key);
  /// All objects whose keys begin with `prefix`, in the order of their keys.
  [[nodiscard]] expected<std::vector<listed_object>> list(const std::string& prefix);
  /// Removes an object; one that is not there is no error.
  [[nodiscard]] expected<void> remove(const std::string& key);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace tune
