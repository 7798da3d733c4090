/// HTTP requests and responses as values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::http {

class byte_pipe;

/// The methods that some route knows; `other` is refused everywhere.
enum class method : std::uint8_t { get, head, post, del, other };

/// "GET", "HEAD", "POST", "DELETE", "".
[[nodiscard]] std::string_view to_text(method x);
/// Methods are case-sensitive.
[[nodiscard]] method method_from(std::string_view text);

struct header_field {
  std::string name;
  std::string value;
};

/// All header fields of a message, in their order.
class header_list {
public:
  void add(std::string name, std::string value) {
    fields_.push_back({std::move(name), std::move(value)});
  }
  /// The value of the only field of this name, whatever its case. Nothing if there is none, or
  /// several: which one another party would believe is unknown.
  [[nodiscard]] std::optional<std::string_view> only(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
  [[nodiscard]] const std::vector<header_field>& all() const { return fields_; }

private:
  std::vector<header_field> fields_;
};

using query_map = std::multimap<std::string, std::string>;

/// A request that was let in.
struct request {
  method what = method::get;
  /// Decoded segments of the path.
  std::vector<std::string> path;
  query_map query;
  header_list headers;
  std::string body;
  /// What the pattern of its route calls the segments of the path, by name; `path` for the rest
  /// of a pattern that ends in `{path...}`, joined by slashes.
  std::map<std::string, std::string> names;

  /// The first value of a query parameter; nothing if it is not given.
  [[nodiscard]] std::optional<std::string> asked(const std::string& name) const;
};

struct response {
  unsigned status = 200;
  header_list headers;
  std::string body;
  /// A body that lives as long as the program, sent instead of `body` if not empty.
  std::string_view fixed;
  /// A body that comes bit by bit, sent after `body`.
  std::shared_ptr<byte_pipe> stream;
  /// Length of what comes through `stream`; nothing: unknown. [bytes]
  std::optional<std::uint64_t> stream_size;
  /// Whether the connection is closed after it.
  bool closes = false;
};

/// "OK", "Not Found", …; "Unknown" for a status that this server does not use.
[[nodiscard]] std::string_view reason_of(unsigned status);

} // namespace tune::http
