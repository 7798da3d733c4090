// SPDX-License-Identifier: BSD-3-Clause
#include "digits/digits_mlp.hpp"

#include <limits>

namespace tune::examples {

namespace {

/// Reads entries of one configuration and keeps the first fault.
class reader {
public:
  explicit reader(const object& config) : config_{config} {}

  /// @param above Whether `low` itself is refused.
  void number(const char* name, double low, bool above, double high, double& to) {
    auto* x = config_.find(name);
    if (!x)
      return;
    auto n = x->number();
    if (n && (above ? *n > low : *n >= low) && *n < high)
      to = *n;
    else
      refuse(name, *x,
             std::string{above ? "a number > " : "a number >= "} + to_text(value{low})
                 + (high < std::numeric_limits<double>::infinity()
                        ? " and < " + to_text(value{high})
                        : std::string{}));
  }

  template <class Integer>
  void whole(const char* name, std::int64_t low, std::int64_t high, Integer& to) {
    auto* x = config_.find(name);
    if (!x)
      return;
    if (auto* n = x->as_int(); n && *n >= low && *n <= high)
      to = static_cast<Integer>(*n);
    else
      refuse(name, *x, "a whole number in " + std::to_string(low) + ".." + std::to_string(high));
  }

  void kind(const char* name, optimizer_kind& to) {
    auto* x = config_.find(name);
    if (!x)
      return;
    auto text = to_text(*x);
    if (text == "sgd")
      to = optimizer_kind::sgd;
    else if (text == "adam")
      to = optimizer_kind::adam;
    else
      refuse(name, *x, "sgd or adam");
  }

  void path(const char* name, std::filesystem::path& to) {
    auto* x = config_.find(name);
    if (!x)
      return;
    if (auto* text = x->as_string())
      to = *text;
    else
      refuse(name, *x, "the path of a file");
  }

  [[nodiscard]] const std::optional<error>& fault() const { return fault_; }

private:
  void refuse(const char* name, const value& what, const std::string& wanted) {
    if (!fault_)
      fault_ = error{ec::bad_option,
                     std::string{name} + " = " + to_text(what) + ": expected " + wanted};
  }

  const object& config_;
  std::optional<error> fault_;
};

} // namespace

expected<digits_options> read_digits_options(const object& config, digits_options defaults) {
  constexpr auto any = std::numeric_limits<double>::infinity();
  auto result = std::move(defaults);
  auto from = reader{config};
  from.number("lr", 0, true, any, result.optimizer.lr);
  from.kind("optimizer", result.optimizer.kind);
  from.number("momentum", 0, false, 1, result.optimizer.momentum);
  from.number("weight_decay", 0, false, any, result.optimizer.weight_decay);
  from.whole("hidden", 1, 4096, result.hidden);
  from.whole("layers", 1, 8, result.layers);
  from.number("dropout", 0, false, 1, result.dropout);
  from.whole("batch", 1, 1797, result.batch);
  from.whole("seed", 0, std::numeric_limits<std::int64_t>::max(), result.seed);
  from.path("data", result.data);
  if (from.fault())
    return *from.fault();
  return result;
}

} // namespace tune::examples
