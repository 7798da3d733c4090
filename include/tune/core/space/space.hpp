/// The search space: parameters in the order of declaration, with their conditions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/condition.hpp"
#include "tune/core/space/domain.hpp"
#include "tune/core/space/space_constraint.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// One parameter.
struct parameter {
  /// Path of the value, parts joined by '.': "optimizer.lr" makes a nested object.
  std::string name;
  domain what;
  /// Absent from the configuration where this does not hold.
  std::optional<condition> active_if;
  /// It tells runs of one configuration apart: nothing is searched in it, and a configuration may
  /// lack it.
  bool numbers_runs = false;
};

/// What the user wrote about one parameter.
struct parameter_text {
  std::string name;
  /// "loguniform(1e-5, 0.1) if optimizer == sgd".
  std::string text;
  /// See `parameter`.
  bool numbers_runs = false;
};

/// Parameters whose conditions refer to each other without cycles.
class search_space {
public:
  /// @errors for unknown names in conditions (with the nearest), cycles (naming the members),
  ///         doubled names, a name that is a prefix of another, names that `why_no_name`
  ///         refuses, lists without values; `detail` starts with the parameter's name in quotes.
  /// @param keeping What configurations must keep. It must read parameters alone, and some of
  /// 10,000
  ///                random configurations must keep it.
  [[nodiscard]] static expected<search_space> make(std::vector<parameter> parameters,
                                                   std::optional<space_constraint> keeping = {});

  /// Splits `… if condition`, parses both parts, then `make`. The line named `constraint` is no
  /// parameter: it says what configurations must keep.
  [[nodiscard]] static expected<search_space> parse(const std::vector<parameter_text>& lines);

  /// In the order of declaration.
  [[nodiscard]] const std::vector<parameter>& parameters() const { return parameters_; }
  /// Indices into `parameters()`, each after those its condition reads.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
  /// Indices of the parameters that the condition of parameter `i` reads.
  [[nodiscard]] const std::vector<std::size_t>& parents(std::size_t i) const { return parents_[i]; }
  /// The parameter named `name`; null where there is none.
  [[nodiscard]] const parameter* find(std::string_view name) const;

  /// Builds a configuration: nested objects in the order of declaration, inactive ones left out.
  /// @param values One per parameter, as `parameters()`; those of inactive ones are ignored.
  [[nodiscard]] object assemble(const std::vector<value>& values) const;

  /// Tells which parameters are active given all values. An inactive parent counts as absent: its
  /// comparisons are undecided, and a parameter is active only where its condition is decided and
  /// true (`a == x or b == y` can still hold while `b` is inactive).
  [[nodiscard]] std::vector<bool> active(const std::vector<value>& values) const;

  /// What configurations must keep; null where there is nothing.
  [[nodiscard]] const space_constraint* constraint() const {
    return constraint_ ? &*constraint_ : nullptr;
  }
  /// Whether the configuration of these values keeps the constraint; inactive parameters are
  /// absent.
  /// @param values One per parameter, as `parameters()`.
  [[nodiscard]] bool allows(const std::vector<value>& values) const;

  /// Why `config` is not a configuration of this space (unknown key, value outside its domain,
  /// inactive parameter given, active one missing, the constraint not kept); nothing if it is.
  /// Missing parameters are allowed if `partial`. The `detail` starts with the parameter's name in
  /// quotes.
  [[nodiscard]] std::optional<error> reject(const object& config, bool partial) const;

private:
  std::vector<parameter> parameters_;
  std::vector<std::size_t> order_;
  /// For each parameter the indices of what its condition reads, as `condition::names()`.
  std::vector<std::vector<std::size_t>> parents_;
  std::optional<space_constraint> constraint_;
  /// Indices of what the constraint reads, as `space_constraint::names()`.
  std::vector<std::size_t> constrained_;

  [[nodiscard]] std::optional<error> constrain(space_constraint by);
};

/// The name of the line of `[space]` that is a constraint.
inline constexpr std::string_view constraint_line = "constraint";

/// The value at a dotted path of a configuration: "optimizer.lr". A key that itself contains the
/// dots is found first. Null where absent.
[[nodiscard]] const value* find_parameter(const object& config, std::string_view name);

/// Flattens nested objects: pairs of dotted name and value, in order.
[[nodiscard]] std::vector<std::pair<std::string, value>> flatten(const object& config);

} // namespace tune
