/// The one data type of configurations and metrics: null, bool, integer, float, text, list, object.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tune {

class value;

/// An ordered set of named values. Names are unique; order is that of insertion.
///
/// Look-up is linear: configurations and reports have few entries.
class object {
public:
  using entry = std::pair<std::string, value>;

  object();
  object(std::initializer_list<entry> entries);
  /// Makes an object of many entries at once, in time n log n. For repeated names the last value
  /// wins, in the place of the first.
  [[nodiscard]] static object of(std::vector<entry> entries);
  object(const object&);
  object(object&&) noexcept;
  object& operator=(const object&);
  object& operator=(object&&) noexcept;
  ~object();

  /// The value named `name`, or null if there is none.
  [[nodiscard]] const value* find(std::string_view name) const;
  [[nodiscard]] value* find(std::string_view name);
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// Replaces the value of `name`, or appends it.
  value& set(std::string_view name, value what);
  /// Removes `name`. @returns whether it was there.
  bool erase(std::string_view name);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const entry* begin() const;
  [[nodiscard]] const entry* end() const;

  friend bool operator==(const object&, const object&);

private:
  std::vector<entry> entries_;
};

/// A configuration value or a metric.
///
/// Numbers keep their kind: `int64` and `double` are never mixed up. NaN and infinities are legal.
/// Equality is exact, by bits; all NaNs become the same NaN, so that records can be compared and
/// read back from JSON unchanged.
class value {
public:
  using list = std::vector<value>;

  value() = default;
  value(std::nullptr_t) {}
  value(bool x) : content_{x} {}
  value(std::int64_t x) : content_{x} {}
  value(int x) : content_{std::int64_t{x}} {}
  value(double x) : content_{x == x ? x : std::numeric_limits<double>::quiet_NaN()} {}
  value(std::string x) : content_{std::move(x)} {}
  value(std::string_view x) : content_{std::string{x}} {}
  value(const char* x) : content_{std::string{x}} {}
  value(list x) : content_{std::move(x)} {}
  value(object x) : content_{std::move(x)} {}

  [[nodiscard]] bool is_null() const { return content_.index() == 0; }
  [[nodiscard]] const bool* as_bool() const { return std::get_if<bool>(&content_); }
  [[nodiscard]] const std::int64_t* as_int() const { return std::get_if<std::int64_t>(&content_); }
  [[nodiscard]] const double* as_double() const { return std::get_if<double>(&content_); }
  [[nodiscard]] const std::string* as_string() const { return std::get_if<std::string>(&content_); }
  [[nodiscard]] const list* as_list() const { return std::get_if<list>(&content_); }
  [[nodiscard]] const object* as_object() const { return std::get_if<object>(&content_); }
  [[nodiscard]] object* as_object() { return std::get_if<object>(&content_); }

  /// The value of an integer, float or bool as a number; empty for the other kinds.
  [[nodiscard]] std::optional<double> number() const;

  /// The content, for visitors.
  using storage
      = std::variant<std::monostate, bool, std::int64_t, double, std::string, list, object>;
  [[nodiscard]] const storage& content() const { return content_; }

  friend bool operator==(const value&, const value&);

private:
  storage content_;
};

/// A configuration, shared by all users and never changed.
using config_ptr = std::shared_ptr<const object>;

/// The metrics of one report, shared and never changed.
using metrics_ptr = std::shared_ptr<const object>;

/// Looks up `path`, whose parts are joined by '/': nested objects are entered. A name that itself
/// contains '/' is found first. @returns null if nothing is found.
[[nodiscard]] const value* find_path(const object& where, std::string_view path);

/// Renders `what` for people and log lines: `0.01`, `adam`, `[1, 2]`. Floats are shortest
/// round-trip; texts are bare. Not JSON.
[[nodiscard]] std::string to_text(const value& what);

} // namespace tune
