// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt/perturbation.hpp"

#include "../../space/scanner.hpp"

#include "tune/core/plugin/options.hpp"

#include <algorithm>
#include <cmath>

namespace tune::pbt {

namespace {

const std::vector<value>* list_of(const domain& what) {
  if (const auto* x = std::get_if<choice_of>(&what))
    return &x->options;
  const auto* x = std::get_if<grid_of>(&what);
  return x != nullptr ? &x->options : nullptr;
}

change moved_in_list(const std::string& name, const std::vector<value>& list, const value& now,
                     const perturbation_settings& by, dice& with) {
  auto resample = with.unit() < by.resample_probability;
  auto here = std::find(list.begin(), list.end(), now);
  if (resample || here == list.end())
    return {name, now, list[with.below(list.size())], "resampled"};
  auto up = with.below(2) == 1;
  if (up ? here + 1 == list.end() : here == list.begin())
    return {name, now, now, up ? "last in list" : "first in list"};
  return {name, now, up ? *(here + 1) : *(here - 1), up ? "next in list" : "previous in list"};
}

/// Whether a product lies outside the domain.
struct beyond {
  double x;

  bool operator()(const float_range& d) const { return x < d.low || x > d.high; }
  bool operator()(const int_range& d) const {
    auto last = d.step > 1 ? d.high : d.high - 1;
    auto whole = std::nearbyint(x);
    return whole < static_cast<double>(d.low) || whole > static_cast<double>(last);
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

change scaled(const mutable_parameter& what, const value& now, double number, double factor) {
  auto product = number * factor;
  if (!std::isfinite(product))
    product = number;
  auto to = nearest_in(what.what, product);
  auto how = "×" + to_text(value{factor});
  if (std::visit(beyond{product}, what.what))
    how += ", kept within the bounds";
  return {what.name, now, std::move(to), std::move(how)};
}

/// Splits at commas outside of brackets and quotes.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> result;
  std::size_t begin = 0;
  auto depth = 0;
  auto quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      result.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (auto last = trimmed(text.substr(std::min(begin, text.size()))); !last.empty())
    result.push_back(last);
  return result;
}

error about(std::string_view name, const std::string& what, ec code = ec::bad_option) {
  return {code, "mutate: \"" + std::string{name} + "\": " + what};
}

error unknown(std::string_view name, const search_space& space) {
  std::vector<std::string> names;
  for (const auto& x : space.parameters())
    names.push_back(x.name);
  auto near = nearest_name(name, names);
  return about(name,
               "is not a parameter" + (near.empty() ? "" : "; did you mean \"" + near + "\"?"),
               ec::unknown_name);
}

/// Whether all values that can be drawn from `inner` lie in `outer`: its list, or its two ends.
bool lies_inside(const domain& inner, const domain& outer) {
  if (const auto* list = list_of(inner))
    return std::all_of(list->begin(), list->end(),
                       [&](const value& x) { return contains(outer, x); });
  if (list_of(outer) != nullptr || std::holds_alternative<normal_range>(inner)) {
    auto all = all_values(inner, 10'000);
    return std::holds_alternative<normal_range>(outer)
           || (all && std::all_of(all->begin(), all->end(), [&](const value& x) {
                 return contains(outer, x);
               }));
  }
  constexpr auto nearly_all = 1 - 0x1p-53;
  return contains(outer, at_quantile(inner, 0)) && contains(outer, at_quantile(inner, nearly_all));
}

const domain& widest(const search_space& space, const parameter& of) {
  return space.widest(static_cast<std::size_t>(&of - space.parameters().data()));
}

expected<mutable_parameter> read_one(std::string_view text, const search_space* space) {
  auto colon = text.find(':');
  std::string name{trimmed(text.substr(0, colon))};
  const auto* known = space != nullptr ? space->find(name) : nullptr;
  if (space != nullptr && known == nullptr)
    return unknown(name, *space);
  if (colon == text.npos) {
    if (known == nullptr)
      return about(name, "needs a domain, such as uniform(0, 1)");
    if (std::holds_alternative<constant>(known->what))
      return about(name, "is always " + to_text(known->what) + ": give it a domain in [space]");
    return mutable_parameter{name, known->what};
  }
  auto own = parse_domain(trimmed(text.substr(colon + 1)));
  if (!own)
    return about(name, own.error().detail, own.error().code);
  if (std::holds_alternative<dependent_range>(*own))
    return about(name, to_text(*own)
                           + " depends on other parameters, which only a domain in [space] can");
  if (std::holds_alternative<constant>(*own))
    return about(name, to_text(*own) + " is one value, no domain");
  if (known != nullptr && !lies_inside(*own, widest(*space, *known)))
    return about(name, to_text(*own) + " is not inside " + to_text(known->what));
  return mutable_parameter{name, std::move(*own)};
}

std::vector<mutable_parameter> all_that_vary(const search_space* space) {
  std::vector<mutable_parameter> result;
  if (space == nullptr)
    return result;
  for (const auto& x : space->parameters()) {
    if (!std::holds_alternative<constant>(x.what))
      result.push_back({x.name, x.what});
  }
  return result;
}

/// Notes the changes made by a custom function after all others.
void compare(const object& before, const object& after, std::vector<change>& changes) {
  auto note = [&](const std::string& name, const value& from, const value& to) {
    auto known = std::find_if(changes.begin(), changes.end(),
                              [&](const change& x) { return x.parameter == name; });
    if (known == changes.end())
      changes.push_back({name, from, to, "custom"});
    else
      *known = {name, known->from, to, known->how + ", custom"};
  };
  for (const auto& [name, to] : flatten(after)) {
    const auto* from = find_parameter(before, name);
    if (from == nullptr || !(*from == to))
      note(name, from == nullptr ? value{} : *from, to);
  }
  for (const auto& [name, from] : flatten(before)) {
    if (find_parameter(after, name) == nullptr)
      note(name, from, {});
  }
}

} // namespace

change perturbed(const mutable_parameter& what, const value& now, const perturbation_settings& by,
                 dice& with) {
  if (const auto* list = list_of(what.what))
    return moved_in_list(what.name, *list, now, by, with);
  auto resample = with.unit() < by.resample_probability;
  auto number = now.as_bool() != nullptr ? std::nullopt : now.number();
  if (resample || !number || !std::isfinite(*number))
    return {what.name, now, at_quantile(what.what, with.unit()), "resampled"};
  return scaled(what, now, *number, by.factors[with.below(by.factors.size())]);
}

expected<std::vector<mutable_parameter>> read_mutations(std::string_view text,
                                                        const search_space* space) {
  if (trimmed(text).empty())
    return all_that_vary(space);
  std::vector<mutable_parameter> result;
  for (auto part : parts_of(text)) {
    auto one = read_one(part, space);
    if (!one)
      return one.error();
    auto twice = std::any_of(result.begin(), result.end(),
                             [&](const mutable_parameter& x) { return x.name == one->name; });
    if (twice)
      return about(one->name, "is named twice");
    result.push_back(std::move(*one));
  }
  return result;
}

expected<std::vector<double>> read_factors(std::string_view text) {
  std::vector<double> result;
  for (auto part : parts_of(text)) {
    auto number = parse_number(part);
    if (!number || !std::isfinite(*number) || *number <= 0)
      return error{ec::bad_option,
                   "perturbation_factors: \"" + std::string{part} + "\" must be a number above 0"};
    result.push_back(*number);
  }
  if (result.empty())
    return error{ec::bad_option, "perturbation_factors: at least one is needed, such as 1.2, 0.8"};
  return result;
}

namespace {

const mutable_parameter* named(const std::vector<mutable_parameter>& all, std::string_view name) {
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const mutable_parameter& x) { return x.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// Mutates parameters with dependent ranges, within the ranges that follow from the changes so far.
void mutate_dependent(const search_space& space, const object& from, std::vector<change>& changes,
                      const perturbation_settings& by, dice& with) {
  auto values = changed_values(space, from, changes);
  for (auto i : space.order()) {
    const auto& name = space.parameters()[i].name;
    const auto* wanted = space.is_dependent(i) ? named(by.mutate, name) : nullptr;
    const auto* now = wanted != nullptr ? find_parameter(from, name) : nullptr;
    if (now == nullptr)
      continue;
    auto own = !std::holds_alternative<dependent_range>(wanted->what);
    auto range = own ? std::optional{wanted->what} : space.range_here(i, values);
    if (!range)
      continue;
    changes.push_back(perturbed({name, *range}, *now, by, with));
    values[i] = changes.back().to;
  }
}

/// Whether a parameter is mutated after those that its range depends on.
bool is_late(const search_space* space, std::string_view name) {
  const auto* known = space != nullptr && space->has_dependent() ? space->find(name) : nullptr;
  return known != nullptr && std::holds_alternative<dependent_range>(known->what);
}

} // namespace

explored perturbation::explore(const heritage& what, dice& with) const {
  static const object nothing;
  const auto& from = what.donor.config != nullptr ? *what.donor.config : nothing;
  std::vector<change> changes;
  for (const auto& x : settings_.mutate) {
    // Parameters that are inactive in the donor are not mutated.
    const auto* now = is_late(space_.get(), x.name) ? nullptr : find_parameter(from, x.name);
    if (now != nullptr)
      changes.push_back(perturbed(x, *now, settings_, with));
  }
  if (space_ != nullptr && space_->has_dependent())
    mutate_dependent(*space_, from, changes, settings_, with);
  auto result = settle(space_.get(), from, std::move(changes), with, settings_.mutate);
  if (!settings_.custom)
    return result;
  auto after = settings_.custom(result.config, what);
  if (space_ != nullptr) {
    if (auto why = space_->reject(after, false)) {
      result.note = "the custom exploration was refused: " + why->detail;
      return result;
    }
  }
  compare(result.config, after, result.changes);
  result.config = std::move(after);
  return result;
}

} // namespace tune::pbt
