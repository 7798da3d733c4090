/// Reads the fields of an object from an untrusted source.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tune {

/// A missing field or a wrong type reads as an empty value; the first such fault is kept.
class field_reader {
public:
  /// @param from Must outlive the reader. @param what Beginning of fault texts: "in a hello".
  field_reader(const object& from, std::string what) : from_{from}, what_{std::move(what)} {}

  /// The field's value. `T` is bool, std::int64_t, double, std::string, object or value::list.
  template <class T>
  T get(std::string_view name) {
    const auto* found = from_.find(name);
    if (found != nullptr) {
      if (const auto* fit = std::get_if<T>(&found->content()))
        return *fit;
    }
    fail(std::string{name} + (found == nullptr ? " is missing" : " has a wrong type"));
    return T{};
  }

  /// The field's value; empty if the field is missing or null.
  template <class T>
  std::optional<T> get_if(std::string_view name) {
    const auto* found = from_.find(name);
    if (found == nullptr || found->is_null())
      return std::nullopt;
    return get<T>(name);
  }

  /// A whole number that is not negative.
  std::uint64_t get_count(std::string_view name) {
    auto number = get<std::int64_t>(name);
    if (number < 0)
      fail(std::string{name} + " is negative");
    return static_cast<std::uint64_t>(number < 0 ? 0 : number);
  }

  void fail(const std::string& what) {
    if (!fault_)
      fault_ = error{ec::bad_option, what_ + ": " + what};
  }

  /// `ec::bad_option` naming the first faulty field; empty if there is none.
  [[nodiscard]] const std::optional<error>& fault() const { return fault_; }

private:
  const object& from_;
  std::string what_;
  std::optional<error> fault_;
};

} // namespace tune
