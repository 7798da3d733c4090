// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/space.hpp"

#include "space_words.hpp"

#include "tune/core/name.hpp"
#include "tune/core/space/object_parameters.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tune {

namespace {

bool is_empty_list(const domain& x) {
  const auto* choice = std::get_if<choice_of>(&x);
  const auto* grid = std::get_if<grid_of>(&x);
  return (choice && choice->options.empty()) || (grid && grid->options.empty());
}

/// Whether a text has a NUL byte: programs that get it as an argument or in the environment would
/// see
/// it cut off there.
bool has_nul(const domain& x) {
  auto cut_short = [](const value& what) {
    const auto* text = what.as_string();
    return text != nullptr && text->find('\0') != text->npos;
  };
  if (const auto* single = std::get_if<constant>(&x))
    return cut_short(single->what);
  const auto* choice = std::get_if<choice_of>(&x);
  const auto* grid = std::get_if<grid_of>(&x);
  return (choice != nullptr
          && std::any_of(choice->options.begin(), choice->options.end(), cut_short))
         || (grid != nullptr && std::any_of(grid->options.begin(), grid->options.end(), cut_short));
}

bool has_empty_part(std::string_view name) {
  return name.empty() || name.front() == '.' || name.back() == '.' || name.find("..") != name.npos;
}

expected<index_by_name> index_names(const std::vector<parameter>& parameters) {
  index_by_name result;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& name = parameters[i].name;
    if (auto why = why_no_name(name); !why.empty())
      return about(name, why, ec::bad_option);
    if (has_empty_part(name))
      return about(name, "a name must not be empty between its dots", ec::bad_syntax);
    if (is_empty_list(parameters[i].what))
      return about(name, "has no values", ec::bad_option);
    if (has_nul(parameters[i].what))
      return about(name,
                   "a text must not have a NUL byte (\\u0000): programs would see its front"
                   " only",
                   ec::bad_option);
    if (!result.emplace(name, i).second)
      return about(name, "is declared twice", ec::bad_option);
  }
  for (const auto& x : parameters) {
    for (auto dot = x.name.find('.'); dot != x.name.npos; dot = x.name.find('.', dot + 1)) {
      auto front = x.name.substr(0, dot);
      if (result.contains(front))
        return about(front, "cannot be a value and hold " + in_quotes(x.name), ec::bad_option);
    }
  }
  return result;
}

/// Indices of the parameters that each parameter's condition reads.
expected<std::vector<std::vector<std::size_t>>>
find_parents(const std::vector<parameter>& parameters, const index_by_name& known) {
  std::vector<std::vector<std::size_t>> result(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& x = parameters[i];
    if (!x.active_if)
      continue;
    for (const auto& name : x.active_if->names()) {
      auto parent = known.find(name);
      if (parent == known.end())
        return about(x.name,
                     "its condition reads " + in_quotes(name) + ", which is not a parameter"
                         + hint(name, parameters),
                     ec::unknown_name);
      if (parent->second == i)
        return about(x.name, "its condition reads itself", ec::bad_option);
      result[i].push_back(parent->second);
    }
  }
  return result;
}

/// Finds the cycle behind a parameter that could not be ordered.
/// @param parents Parameters that conditions and ranges read.
error circle(const std::vector<parameter>& parameters,
             const std::vector<std::vector<std::size_t>>& parents,
             const std::vector<std::size_t>& open) {
  auto at = static_cast<std::size_t>(
      std::find_if(open.begin(), open.end(), [](std::size_t n) { return n > 0; }) - open.begin());
  std::vector<std::size_t> path;
  std::vector<bool> seen(parameters.size());
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    at = *std::find_if(parents[at].begin(), parents[at].end(),
                       [&](std::size_t p) { return open[p] > 0; });
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  auto has_range = std::any_of(path.begin(), path.end(), [&](std::size_t i) {
    return std::holds_alternative<dependent_range>(parameters[i].what);
  });
  std::string text
      = has_range ? "ranges go round in a circle: " : "conditions go round in a circle: ";
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < std::min(path.size(), shown); ++i)
    text += parameters[path[i]].name + " reads ";
  if (path.size() > shown)
    text += "… reads ";
  return about(parameters[at].name, text + parameters[at].name, ec::bad_option);
}

/// Order with parents first, otherwise as declared.
expected<std::vector<std::size_t>> order_of(const std::vector<parameter>& parameters,
                                            const std::vector<std::vector<std::size_t>>& parents) {
  std::vector<std::vector<std::size_t>> children(parameters.size());
  std::vector<std::size_t> open(parameters.size());
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    open[i] = parents[i].size();
    for (auto p : parents[i])
      children[p].push_back(i);
    if (open[i] == 0)
      ready.insert(i);
  }
  std::vector<std::size_t> result;
  while (!ready.empty()) {
    auto i = *ready.begin();
    ready.erase(ready.begin());
    result.push_back(i);
    for (auto child : children[i]) {
      if (--open[child] == 0)
        ready.insert(child);
    }
  }
  if (result.size() < parameters.size())
    return circle(parameters, parents, open);
  return result;
}

/// Sets `path` in nested objects; creates missing ones.
void set_path(object& where, std::string_view path, const value& what) {
  auto dot = path.find('.');
  if (dot == path.npos) {
    where.set(path, what);
    return;
  }
  auto head = path.substr(0, dot);
  auto* inner = where.find(head);
  if (inner == nullptr)
    inner = &where.set(head, object{});
  set_path(*inner->as_object(), path.substr(dot + 1), what);
}

} // namespace

expected<search_space> search_space::make(std::vector<parameter> parameters,
                                          std::optional<space_constraint> keeping) {
  auto known = index_names(parameters);
  if (!known)
    return known.error();
  auto parents = find_parents(parameters, *known);
  if (!parents)
    return parents.error();
  search_space result;
  result.parameters_ = std::move(parameters);
  result.parents_ = std::move(*parents);
  if (auto wrong = result.find_range_parents(*known))
    return *wrong;
  auto order = order_of(result.parameters_, result.all_parents());
  if (!order)
    return order.error();
  result.order_ = std::move(*order);
  if (keeping) {
    if (auto wrong = result.constrain(std::move(*keeping)))
      return *wrong;
  }
  if (auto wrong = result.lay_out_ranges())
    return *wrong;
  if (auto wrong = result.look_for_allowed())
    return *wrong;
  return result;
}

/// Parameters that conditions and ranges read.
std::vector<std::vector<std::size_t>> search_space::all_parents() const {
  auto result = parents_;
  for (const auto& x : ranges_) {
    for (auto p : x.reads) {
      auto& to = result[x.parameter];
      if (std::find(to.begin(), to.end(), p) == to.end())
        to.push_back(p);
    }
  }
  return result;
}

std::optional<error> search_space::constrain(space_constraint by) {
  for (const auto& name : by.names()) {
    auto i = std::find_if(parameters_.begin(), parameters_.end(),
                          [&](const parameter& x) { return x.name == name; });
    if (i == parameters_.end())
      return about(constraint_line,
                   "it reads " + in_quotes(name) + ", which is not a parameter"
                       + hint(name, parameters_) + "; texts stand in quotes",
                   ec::unknown_name);
    constrained_.push_back(static_cast<std::size_t>(i - parameters_.begin()));
  }
  constraint_ = std::move(by);
  return std::nullopt;
}

/// Checks that some configurations satisfy the constraint.
std::optional<error> search_space::look_for_allowed() const {
  if (!constraint_)
    return std::nullopt;
  constexpr std::uint64_t draws = 10'000;
  for (std::uint64_t n = 0; n < draws; ++n) {
    rng from{0, "constraint of a space", n};
    if (allows(draw(from)))
      return std::nullopt;
  }
  return about(constraint_line,
               "none of 10,000 random configurations keeps " + constraint_->text()
                   + "; narrow the ranges",
               ec::bad_option);
}

bool search_space::allows(const std::vector<value>& values) const {
  if (!constraint_ && ranges_.empty())
    return true;
  auto alive = active(values);
  if (!in_ranges(values, alive))
    return false;
  if (!constraint_)
    return true;
  std::vector<const value*> read;
  for (auto p : constrained_)
    read.push_back(alive[p] ? &values[p] : nullptr);
  return constraint_->allows(read);
}

const parameter* search_space::find(std::string_view name) const {
  auto i = std::find_if(parameters_.begin(), parameters_.end(),
                        [&](const parameter& x) { return x.name == name; });
  return i == parameters_.end() ? nullptr : &*i;
}

std::vector<bool> search_space::active(const std::vector<value>& values) const {
  std::vector<bool> result(parameters_.size(), true);
  std::vector<const value*> read;
  for (auto i : order_) {
    const auto& rule = parameters_[i].active_if;
    if (!rule)
      continue;
    read.clear();
    for (auto p : parents_[i])
      read.push_back(result[p] ? &values[p] : nullptr);
    result[i] = rule->decide(read).value_or(false);
  }
  return result;
}

object search_space::assemble(const std::vector<value>& values) const {
  auto alive = active(values);
  object result;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (alive[i])
      set_path(result, parameters_[i].name, values[i]);
  }
  return result;
}

const value* find_parameter(const object& config, std::string_view name) {
  if (const auto* whole = config.find(name))
    return whole;
  for (auto dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    const auto* head = config.find(name.substr(0, dot));
    if (head == nullptr || head->as_object() == nullptr)
      continue;
    if (const auto* found = find_parameter(*head->as_object(), name.substr(dot + 1)))
      return found;
  }
  return nullptr;
}

std::vector<std::pair<std::string, value>> flatten(const object& config) {
  return flatten(config, {});
}

} // namespace tune
