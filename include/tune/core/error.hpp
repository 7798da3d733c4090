/// Errors as values: a closed list of kinds, an error, and `expected`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tune {

/// Reasons an operation can fail. Starts at 1; 0 means success on the wire. Values are only ever
/// appended.
enum class ec : std::uint8_t {
  /// An option has a value outside its documented range.
  bad_option = 1,
  /// A text does not follow its grammar.
  bad_syntax,
  /// A name is not known where it is used.
  unknown_name,
  /// A file or directory cannot be read.
  unreadable,
  /// The event is not legal in the trial's current status.
  illegal_transition,
  /// No node of the cluster could ever satisfy the request.
  impossible_request,
  /// The database, a directory or the disk failed.
  storage,
  /// The operation is refused to protect data or the network.
  refused,
  /// A process could not be started or controlled.
  process,
  /// A peer broke its protocol.
  protocol,
  /// The user's code failed.
  user_code,
  /// A limit on time ran out.
  timeout,
  /// The program itself is at fault.
  internal,
  /// A peer cannot be reached, but may be reachable later.
  unreachable,
  /// This machine lacks the processes, descriptors or memory for it, but may have them later.
  shortage,
};

/// The enumerator's name, e.g. "bad_option".
[[nodiscard]] std::string_view to_text(ec code);

/// A failed operation: its kind, and the facts a user needs to fix it (file, key, value, range).
struct error {
  ec code = ec::internal;
  std::string detail;

  friend bool operator==(const error&, const error&) = default;
};

/// "detail", or the kind's name where there is no detail.
[[nodiscard]] std::string to_text(const error& what);

/// A value or the reason why there is none.
template <class T>
class [[nodiscard]] expected {
public:
  using value_type = T;

  expected(T value) : content_{std::in_place_index<0>, std::move(value)} {}
  expected(tune::error why) : content_{std::in_place_index<1>, std::move(why)} {}

  [[nodiscard]] bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  [[nodiscard]] T& operator*() & {
    assert(has_value());
    return *std::get_if<0>(&content_);
  }
  [[nodiscard]] const T& operator*() const& {
    assert(has_value());
    return *std::get_if<0>(&content_);
  }
  [[nodiscard]] T&& operator*() && {
    assert(has_value());
    return std::move(*std::get_if<0>(&content_));
  }
  [[nodiscard]] T* operator->() { return std::get_if<0>(&content_); }
  [[nodiscard]] const T* operator->() const { return std::get_if<0>(&content_); }

  /// The reason why there is no value; must not be called when there is one.
  [[nodiscard]] const tune::error& error() const {
    assert(!has_value());
    return *std::get_if<1>(&content_);
  }

private:
  std::variant<T, tune::error> content_;
};

/// Success without a value, or the reason of the failure.
template <>
class [[nodiscard]] expected<void> {
public:
  using value_type = void;

  expected() = default;
  expected(tune::error why) : why_{std::move(why)}, ok_{false} {}

  [[nodiscard]] bool has_value() const { return ok_; }
  explicit operator bool() const { return ok_; }

  /// The reason of the failure; must not be called on success.
  [[nodiscard]] const tune::error& error() const {
    assert(!ok_);
    return why_;
  }

private:
  tune::error why_;
  bool ok_ = true;
};

} // namespace tune
