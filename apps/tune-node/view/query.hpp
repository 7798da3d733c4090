/// Requests to the read model, and the reading of their parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tune::cli {

/// A GET below `/api/v1`.
struct view_request {
  /// The parts of the path, decoded.
  std::vector<std::string> path;
  std::multimap<std::string, std::string> query;
};

/// Why there is no answer.
struct view_fault {
  /// Of HTTP: 400, 404, 500, 503 (ask again in a second).
  int status = 500;
  /// For programs: "bad_query", "not_found", "busy", "unreadable", …
  std::string code;
  /// For people. Holds text from outside.
  std::string detail;
};

using view_answer = std::variant<value, view_fault>;

/// The fault for an error of a reader: 503 where another process's lock was in the way.
[[nodiscard]] view_fault fault_of(const error& why);
[[nodiscard]] view_fault bad_query(std::string why);
[[nodiscard]] view_fault not_found(std::string what);

/// Reads parameters; the first fault is kept.
class query_reader {
public:
  explicit query_reader(const view_request& from) : from_{from} {}

  /// The last value of that name; empty: not given.
  [[nodiscard]] std::string text(const std::string& name) const;
  /// A whole number between `least` and `most`; more than `most` counts as `most`.
  [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t otherwise,
                                     std::uint64_t least, std::uint64_t most);
  /// A trial by its number, "42" or "00042"; empty: not given.
  [[nodiscard]] std::optional<trial_id> trial(const std::string& name);
  /// One of the words; the first where it is not given.
  [[nodiscard]] std::string one_of(const std::string& name, const std::vector<std::string>& words);

  [[nodiscard]] const std::optional<view_fault>& fault() const { return fault_; }

private:
  const view_request& from_;
  std::optional<view_fault> fault_;

  void refuse(const std::string& name, const std::string& why);
};

/// Reads a trial's number.
[[nodiscard]] std::optional<trial_id> trial_from(const std::string& text);

/// A place in a list, opaque to clients.
[[nodiscard]] std::string cursor_text(const value::list& place);
/// The same list again; empty if the text is none of ours.
[[nodiscard]] std::optional<value::list> cursor_from(const std::string& text);

} // namespace tune::cli
