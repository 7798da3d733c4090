/// What an S3 server answers, as values. Private to the object store.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/object_store/object_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// The content of the first element of this name, with its entities resolved; nothing if there is
/// none. The answers of S3 have neither attributes that matter nor elements of a name in
/// themselves.
[[nodiscard]] std::optional<std::string> xml_text(std::string_view document, std::string_view name);

/// One page of a listing.
struct listing_page {
  std::vector<listed_object> objects;
  /// Where the next one begins; empty: this is the last.
  std::string next;
};

/// Reads the answer to ListObjectsV2 with `encoding-type=url`.
/// @errors `ec::protocol` with the fault.
[[nodiscard]] expected<listing_page> listing_page_from(std::string_view document);

/// Unix time of "2026-11-27T15:00:33.000Z"; 0 if it is none. [s]
[[nodiscard]] std::int64_t unix_time_from(std::string_view text);

/// The text without percent-encoding; '+' is a blank.
[[nodiscard]] std::string url_unescaped(std::string_view text);

/// A refusal.
struct s3_refusal {
  long status = 0;
  /// The answer's body; may be empty.
  std::string body;
  /// What was asked for: "s3://bucket/key".
  std::string what;
  /// Whose credentials were shown.
  std::string id;
  /// Region of the bucket, if the answer names it.
  std::string region;
};

/// The refusal as an error for people.
[[nodiscard]] error error_of(const s3_refusal& x);

} // namespace tune
