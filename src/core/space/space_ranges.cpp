// SPDX-License-Identifier: BSD-3-Clause
#include "formula.hpp"
#include "space_words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune {

namespace {

/// Draws farther from the mean do not occur. [standard deviations]
constexpr double farthest = 9;

/// Interval of a parameter's values, or of the lengths of its lists.
struct measure {
  bool is_length;

  using answer = std::optional<interval>;

  answer operator()(const constant& x) const { return all_of({x.what}); }
  answer operator()(const choice_of& x) const { return all_of(x.options); }
  answer operator()(const grid_of& x) const { return all_of(x.options); }
  answer operator()(const permutation_of& x) const {
    auto size = static_cast<double>(x.items.size());
    return is_length ? answer{{size, size}} : std::nullopt;
  }
  answer operator()(const subset_of& x) const {
    return is_length ? answer{{0, static_cast<double>(x.items.size())}} : std::nullopt;
  }
  answer operator()(const float_range& x) const { return number({x.low, x.high}); }
  answer operator()(const int_range& x) const {
    return number(
        {static_cast<double>(x.low), static_cast<double>(x.step > 1 ? x.high : x.high - 1)});
  }
  answer operator()(const normal_range& x) const {
    return number({x.mean - farthest * x.sd, x.mean + farthest * x.sd});
  }
  answer operator()(const dependent_range&) const { return std::nullopt; }

private:
  [[nodiscard]] answer number(interval x) const { return is_length ? std::nullopt : answer{x}; }

  [[nodiscard]] std::optional<double> one(const value& x) const {
    if (!is_length)
      return number_of(x);
    const auto* list = x.as_list();
    return list == nullptr ? std::nullopt : std::optional{static_cast<double>(list->size())};
  }

  [[nodiscard]] answer all_of(const std::vector<value>& options) const {
    answer result;
    for (const auto& x : options) {
      auto number = one(x);
      if (!number)
        return std::nullopt;
      result = result ? interval{std::min(result->low, *number), std::max(result->high, *number)}
                      : interval{*number, *number};
    }
    return result;
  }
};

/// Range between bounds that are themselves only known to lie in an interval; ignores the scale.
std::optional<domain> widest_between(const dependent_range& what, double low, double high) {
  if (auto found = range_between(what, low, high))
    return found;
  auto plain = what;
  plain.log = false;
  return range_between(plain, what.log && what.whole ? std::fmax(low, 1) : low, high);
}

} // namespace

const dependent_range& search_space::written(const range& x) const {
  return *std::get_if<dependent_range>(&parameters_[x.parameter].what);
}

std::optional<error>
search_space::find_range_parents(const std::map<std::string, std::size_t, std::less<>>& known) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto& x = parameters_[i];
    const auto* depends = std::get_if<dependent_range>(&x.what);
    if (depends == nullptr)
      continue;
    range made;
    made.parameter = i;
    for (const auto& name : names_of(*depends)) {
      auto parent = known.find(name);
      if (parent == known.end())
        return about(x.name,
                     "its range reads " + in_quotes(name) + ", which is not a parameter"
                         + hint(name, parameters_),
                     ec::unknown_name);
      if (parent->second == i)
        return about(x.name, "its range reads itself", ec::bad_option);
      if (parameters_[parent->second].numbers_runs)
        return about(x.name,
                     "its range reads " + in_quotes(name)
                         + ", which tells runs of one configuration apart",
                     ec::bad_option);
      made.reads.push_back(parent->second);
    }
    ranges_.push_back(std::move(made));
  }
  return std::nullopt;
}

/// Determines how wide ranges may be, parents first, and reports those that are always empty.
std::optional<error> search_space::lay_out_ranges() {
  if (ranges_.empty())
    return std::nullopt;
  std::vector<std::size_t> rank(parameters_.size());
  for (std::size_t k = 0; k < order_.size(); ++k)
    rank[order_[k]] = k;
  std::sort(ranges_.begin(), ranges_.end(),
            [&](const range& x, const range& y) { return rank[x.parameter] < rank[y.parameter]; });
  range_numbers_.assign(parameters_.size(), independent);
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    if (auto wrong = lay_out(ranges_[k]))
      return wrong;
    range_numbers_[ranges_[k].parameter] = k;
  }
  return look_for_empty_ranges();
}

std::optional<error> search_space::lay_out(range& x) const {
  const auto& what = written(x);
  const auto& name = parameters_[x.parameter].name;
  auto first = what.low.names().size();
  std::optional<error> wrong;
  auto span = [&](const expression& bound, std::size_t offset) {
    auto result = bound.span([&](std::size_t n, bool is_length) {
      auto p = x.reads[offset + n];
      auto found = std::visit(measure{is_length}, widest(p));
      if (!found && !wrong)
        wrong = about(name,
                      "its range reads " + in_quotes(parameters_[p].name) + ", which is no "
                          + (is_length ? "list: " : "number: ")
                          + shortened(to_text(parameters_[p].what)),
                      ec::bad_option);
      return found;
    });
    if (!result && !wrong)
      wrong = about(name, "its bound " + bound.text() + " may have no end", ec::bad_option);
    return result.value_or(interval{});
  };
  auto low = span(what.low, 0);
  auto high = span(what.high, first);
  if (wrong)
    return wrong;
  auto found = widest_between(what, low.low, high.high);
  if (!found)
    return about(name,
                 "its range " + to_text(parameters_[x.parameter].what)
                     + " is empty: " + why_empty(what, {low.low, high.high}),
                 ec::bad_option);
  x.widest = std::move(*found);
  // Every range holds what lies between the innermost bounds.
  auto suits_log = !what.log || (what.whole ? low.low >= 1 : low.low > 0);
  x.is_certain = are_there(x) && suits_log && !meets(what, low.high, high.low)
                 && range_between(what, low.high, high.low);
  return std::nullopt;
}

/// Whether everything that a range reads is present whenever its parameter is.
bool search_space::are_there(const range& x) const {
  const auto& own = parameters_[x.parameter].active_if;
  return std::all_of(x.reads.begin(), x.reads.end(), [&](std::size_t p) {
    const auto& rule = parameters_[p].active_if;
    auto is_there = !rule || (own && own->text() == rule->text());
    return is_there && (!is_dependent(p) || ranges_[range_numbers_[p]].is_certain);
  });
}

const std::vector<std::size_t>& search_space::range_parents(std::size_t i) const {
  static const std::vector<std::size_t> none;
  return is_dependent(i) ? ranges_[range_numbers_[i]].reads : none;
}

std::optional<domain> search_space::range_of(std::size_t i,
                                             std::span<const value* const> read) const {
  const auto& what = *std::get_if<dependent_range>(&parameters_[i].what);
  auto found = bounds_of(what, read);
  if (!found.low || !found.high)
    return std::nullopt;
  return range_between(what, *found.low, *found.high);
}

std::optional<domain> search_space::range_here(std::size_t i,
                                               const std::vector<value>& values) const {
  return range_here(i, values, active(values));
}

std::optional<domain> search_space::range_here(std::size_t i, const std::vector<value>& values,
                                               const std::vector<bool>& alive) const {
  std::vector<const value*> read;
  for (auto p : range_parents(i))
    read.push_back(alive[p] ? &values[p] : nullptr);
  return range_of(i, read);
}

const domain& search_space::widest(std::size_t i) const {
  return is_dependent(i) ? ranges_[range_numbers_[i]].widest : parameters_[i].what;
}

const std::string& search_space::where_bounds_meet(std::size_t i) const {
  static const std::string nowhere;
  return is_dependent(i) ? ranges_[range_numbers_[i]].meeting : nowhere;
}

void search_space::place(std::vector<value>& values, std::span<const double> at) const {
  if (ranges_.empty())
    return;
  std::vector<bool> alive(parameters_.size(), true);
  std::vector<const value*> read;
  auto pointers = [&](const std::vector<std::size_t>& parents) {
    read.clear();
    for (auto p : parents)
      read.push_back(alive[p] ? &values[p] : nullptr);
    return std::span<const value* const>{read};
  };
  for (auto i : order_) {
    if (const auto& rule = parameters_[i].active_if)
      alive[i] = rule->decide(pointers(parents_[i])).value_or(false);
    if (!alive[i] || !is_dependent(i) || std::isnan(at[i]))
      continue;
    auto here = range_of(i, pointers(range_parents(i)));
    values[i] = here ? at_quantile(*here, at[i]) : value{};
  }
}

std::vector<value> search_space::draw(rng& from) const {
  std::vector<value> result(parameters_.size());
  std::vector<double> at(ranges_.empty() ? 0 : result.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto u = from.unit();
    if (is_dependent(i))
      at[i] = u;
    else
      result[i] = at_quantile(parameters_[i].what, u);
  }
  place(result, at);
  return result;
}

bool search_space::in_ranges(const std::vector<value>& values,
                             const std::vector<bool>& alive) const {
  return std::all_of(ranges_.begin(), ranges_.end(), [&](const range& x) {
    if (!alive[x.parameter])
      return true;
    auto here = range_here(x.parameter, values, alive);
    return here && tune::contains(*here, values[x.parameter]);
  });
}

} // namespace tune
