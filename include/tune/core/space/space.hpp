/// The search space: parameters in the order of declaration, with their conditions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/condition.hpp"
#include "tune/core/space/dependent_range.hpp"
#include "tune/core/space/space_constraint.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// One parameter.
struct parameter {
  /// Path of the value, parts joined by '.': "optimizer.lr" makes a nested object.
  std::string name;
  domain what;
  /// The parameter is absent from configurations for which this does not hold.
  std::optional<condition> active_if;
  /// True if it tells runs of one configuration apart: it is not searched, and a configuration may
  /// lack it.
  bool numbers_runs = false;
};

/// The user's text about one parameter.
struct parameter_text {
  std::string name;
  /// "loguniform(1e-5, 0.1) if optimizer == sgd".
  std::string text;
  /// See `parameter`.
  bool numbers_runs = false;
};

/// Parameters whose conditions and ranges refer to each other without cycles.
class search_space {
public:
  /// @errors for unknown names in conditions and ranges (with the nearest), cycles (naming the
  ///         members), duplicate names, a name that is a prefix of another, names that
  ///         `why_no_name` refuses, lists without values, ranges that read non-numbers, that may be
  ///         unbounded, or that are empty or read absent parameters in some of 4,000 configurations
  ///         (fewer in large spaces), ends and corners among them; `detail` starts with the
  ///         parameter's name in quotes.
  /// @param keeping Constraint on configurations. It must read only parameters, and some of 10,000
  ///                random configurations must keep it.
  [[nodiscard]] static expected<search_space> make(std::vector<parameter> parameters,
                                                   std::optional<space_constraint> keeping = {});

  /// Splits `… if condition`, parses both parts, then calls `make`. The line named `constraint` is
  /// not a parameter: it constrains configurations.
  [[nodiscard]] static expected<search_space> parse(const std::vector<parameter_text>& lines);

  /// Parameters in the order of declaration.
  [[nodiscard]] const std::vector<parameter>& parameters() const { return parameters_; }
  /// Indices into `parameters()`, each after those that its condition and its range read.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
  /// Indices of the parameters that the condition of parameter `i` reads.
  [[nodiscard]] const std::vector<std::size_t>& parents(std::size_t i) const { return parents_[i]; }
  /// Whether ranges of some parameters depend on others.
  [[nodiscard]] bool has_dependent() const { return !ranges_.empty(); }
  /// Whether the range of parameter `i` does.
  [[nodiscard]] bool is_dependent(std::size_t i) const {
    return !ranges_.empty() && range_numbers_[i] != independent;
  }
  /// Indices of the parameters that the range of parameter `i` reads, in the order of `names_of`.
  [[nodiscard]] const std::vector<std::size_t>& range_parents(std::size_t i) const;
  /// The range of the dependent parameter `i` for given values of the parameters it reads. Empty if
  /// there is no such range.
  /// @param read One per `range_parents(i)`, null for absent ones.
  [[nodiscard]] std::optional<domain> range_of(std::size_t i,
                                               std::span<const value* const> read) const;
  /// The range of parameter `i` in the configuration of all values.
  /// @param values One per parameter, as `parameters()`; those of inactive ones are ignored.
  [[nodiscard]] std::optional<domain> range_here(std::size_t i,
                                                 const std::vector<value>& values) const;
  /// @param alive Result of `active(values)`.
  [[nodiscard]] std::optional<domain> range_here(std::size_t i, const std::vector<value>& values,
                                                 const std::vector<bool>& alive) const;
  /// A domain of all values that parameter `i` may have in any configuration, and perhaps more; its
  /// own domain if that depends on nothing.
  [[nodiscard]] const domain& widest(std::size_t i) const;
  /// Sets values of dependent parameters by their place in the ranges that hold here, parents
  /// first; null if there is no range.
  /// @param values One per parameter; those of independent and of inactive ones must be given.
  /// @param at     One per parameter: quantiles, in [0, 1), and NaN for values that stay.
  void place(std::vector<value>& values, std::span<const double> at) const;
  /// Draws one value per parameter. Uses one draw of `from` for each.
  [[nodiscard]] std::vector<value> draw(rng& from) const;
  /// An example in which the bounds of a range of whole numbers meet although the upper one is
  /// excluded, so that there is no choice: "layers = 1". Empty if none was seen.
  [[nodiscard]] const std::string& where_bounds_meet(std::size_t i) const;

  /// The parameter named `name`; null if there is none.
  [[nodiscard]] const parameter* find(std::string_view name) const;

  /// Builds a configuration: nested objects in the order of declaration, without inactive
  /// parameters.
  /// @param values One per parameter, as `parameters()`; those of inactive ones are ignored.
  [[nodiscard]] object assemble(const std::vector<value>& values) const;

  /// The active parameters, given all values. An inactive parent counts as absent: its comparisons
  /// are undecided, and a parameter is active only if its condition is decided and true (`a == x or
  /// b == y` can still hold while `b` is inactive).
  [[nodiscard]] std::vector<bool> active(const std::vector<value>& values) const;

  /// The constraint on configurations; null if there is none.
  [[nodiscard]] const space_constraint* constraint() const {
    return constraint_ ? &*constraint_ : nullptr;
  }
  /// Whether everything that is drawn and placed is allowed.
  [[nodiscard]] bool allows_all() const { return !constraint_ && are_certain_; }
  /// Whether the configuration of these values keeps the constraint, with dependent values in the
  /// ranges that hold for it; inactive parameters are absent.
  /// @param values One per parameter, as `parameters()`.
  [[nodiscard]] bool allows(const std::vector<value>& values) const;

  /// The reason why `config` is not a configuration of this space (unknown key, value outside its
  /// domain or the range that holds here, inactive parameter given, active one missing, constraint
  /// not kept); empty if it is one. Missing parameters are allowed if `partial`. The `detail`
  /// starts with the parameter's name in quotes.
  [[nodiscard]] std::optional<error> reject(const object& config, bool partial) const;

private:
  static constexpr std::size_t independent = static_cast<std::size_t>(-1);

  /// A range that depends on other parameters.
  struct range {
    std::size_t parameter = 0;
    std::vector<std::size_t> reads;
    domain widest = constant{};
    /// Whether every configuration has a nonempty range.
    bool is_certain = false;
    std::string meeting;
  };
  struct probe;

  std::vector<parameter> parameters_;
  std::vector<std::size_t> order_;
  /// For each parameter the indices of the names its condition reads, as `condition::names()`.
  std::vector<std::vector<std::size_t>> parents_;
  std::optional<space_constraint> constraint_;
  /// Indices of the parameters that the constraint reads, as `space_constraint::names()`.
  std::vector<std::size_t> constrained_;
  std::vector<range> ranges_;
  /// For each parameter its index in `ranges_`; empty if there are no ranges.
  std::vector<std::size_t> range_numbers_;
  bool are_certain_ = true;

  [[nodiscard]] std::optional<error> constrain(space_constraint by);
  [[nodiscard]] std::optional<error> look_for_allowed() const;
  [[nodiscard]] std::optional<error>
  find_range_parents(const std::map<std::string, std::size_t, std::less<>>& known);
  [[nodiscard]] std::vector<std::vector<std::size_t>> all_parents() const;
  [[nodiscard]] std::optional<error> lay_out_ranges();
  [[nodiscard]] std::optional<error> lay_out(range& x) const;
  [[nodiscard]] bool are_there(const range& x) const;
  [[nodiscard]] const dependent_range& written(const range& x) const;
  [[nodiscard]] bool in_ranges(const std::vector<value>& values,
                               const std::vector<bool>& alive) const;
  [[nodiscard]] std::optional<error> look_for_empty_ranges();
};

/// The name of the line of `[space]` that holds the constraint.
inline constexpr std::string_view constraint_line = "constraint";

/// The value at a dotted path of a configuration: "optimizer.lr". A key that itself contains the
/// dots is found first. Null if absent.
[[nodiscard]] const value* find_parameter(const object& config, std::string_view name);

/// Flattens nested objects: pairs of dotted name and value, in order.
[[nodiscard]] std::vector<std::pair<std::string, value>> flatten(const object& config);

} // namespace tune
