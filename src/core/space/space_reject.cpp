// SPDX-License-Identifier: BSD-3-Clause
#include "scanner.hpp"
#include "space_words.hpp"

#include <algorithm>
#include <set>

namespace tune {

namespace {

/// The values that a configuration gives to parameters; null where it gives none.
class reading {
public:
  explicit reading(const std::vector<parameter>& known) : given(known.size()), known_{known} {
    for (std::size_t i = 0; i < known.size(); ++i) {
      std::string_view name = known[i].name;
      index_.emplace(name, i);
      for (auto dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1))
        groups_.insert(name.substr(0, dot));
    }
  }

  /// @returns an error for a key that has no place in the space.
  std::optional<error> read(const object& config, const std::string& prefix = {}) {
    for (const auto& [key, what] : config) {
      auto path = prefix + key;
      if (auto i = index_.find(path); i != index_.end()) {
        if (given[i->second] != nullptr)
          return about(path, "is given twice", ec::bad_option);
        given[i->second] = &what;
      } else if (!groups_.contains(path)) {
        return about(path, "is not a parameter" + hint(path, known_), ec::unknown_name);
      } else if (const auto* inner = what.as_object()) {
        if (auto why = read(*inner, path + '.'))
          return why;
      } else {
        return about(path, "holds parameters and must be an object", ec::bad_option);
      }
    }
    return std::nullopt;
  }

  std::vector<const value*> given;

private:
  const std::vector<parameter>& known_;
  std::map<std::string_view, std::size_t, std::less<>> index_;
  std::set<std::string_view, std::less<>> groups_;
};

enum class activity { yes, no, unknown };

activity activity_of(const parameter& x, const std::vector<std::size_t>& parents,
                     const std::vector<activity>& states, const std::vector<const value*>& values) {
  if (!x.active_if)
    return activity::yes;
  std::vector<const value*> read;
  auto open = false;
  for (auto p : parents) {
    read.push_back(states[p] == activity::no ? nullptr : values[p]);
    open = open || states[p] == activity::unknown
           || (read.back() == nullptr && states[p] != activity::no);
  }
  // A given value that turns out inactive could only make "false" undecided: inactive either way.
  auto decided = x.active_if->decide(read);
  if (decided == false || (!decided && !open))
    return activity::no;
  return open ? activity::unknown : activity::yes;
}

/// Text of a value for which a domain has no place: texts are quoted if they could be taken for
/// numbers, and floats among other kinds cannot be taken for whole numbers (`1.0`). Where floats
/// are drawn the user may have written `1`.
std::string shown(const value& x, const domain& in) {
  auto by_kind = x.as_string() != nullptr || (x.as_double() != nullptr && !draws_floats(in));
  return by_kind ? literal_text(x) : to_text(x);
}

/// Why a given value is outside of its parameter's domain; empty if it is not.
/// @param states Must be known for the parameters that this one reads.
std::string why_outside(const search_space& space, std::size_t i,
                        const std::vector<activity>& states,
                        const std::vector<const value*>& values) {
  const auto& what = space.parameters()[i].what;
  auto not_in = [&](const domain& x) {
    return tune::contains(x, *values[i])
               ? std::string{}
               : shortened(shown(*values[i], what)) + " is not in " + shortened(to_text(what));
  };
  const auto* depends = std::get_if<dependent_range>(&what);
  if (depends == nullptr)
    return not_in(what);
  std::vector<const value*> read;
  for (auto p : space.range_parents(i)) {
    read.push_back(states[p] == activity::no ? nullptr : values[p]);
    // A parameter that was left out may still take any value.
    if (states[p] != activity::no && values[p] == nullptr)
      return not_in(space.widest(i));
  }
  auto range = space.range_of(i, read);
  if (!range)
    return shown(*values[i], what) + " is not in " + to_text(what)
           + ", which is empty here: " + why_empty(*depends, bounds_of(*depends, read));
  auto why = not_in(*range);
  return why.empty() ? why : why + ", which is " + to_text(*range) + " here";
}

} // namespace

std::optional<error> search_space::reject(const object& config, bool partial) const {
  reading from{parameters_};
  if (auto why = from.read(config))
    return why;
  std::vector<activity> states(parameters_.size(), activity::unknown);
  for (auto i : order_) {
    const auto& x = parameters_[i];
    auto*& given = from.given[i];
    states[i] = activity_of(x, parents_[i], states, from.given);
    if (given != nullptr && states[i] == activity::no)
      return about(x.name, "is given, but not active: its condition is " + x.active_if->text(),
                   ec::bad_option);
    if (given != nullptr) {
      if (auto why = why_outside(*this, i, states, from.given); !why.empty())
        return about(x.name, why, ec::bad_option);
    }
    if (given != nullptr || states[i] == activity::no)
      continue;
    if (x.numbers_runs)
      continue;
    if (!partial)
      return about(x.name, "is missing", ec::bad_option);
    // A parameter that was left out and is constant will have its only value.
    if (const auto* only = std::get_if<constant>(&x.what))
      given = &only->what;
  }
  if (!constraint_)
    return std::nullopt;
  std::vector<const value*> read;
  for (auto p : constrained_)
    read.push_back(from.given[p]);
  if (constraint_->allows(read))
    return std::nullopt;
  return about(constraint_line, constraint_->text() + " is not kept", ec::bad_option);
}

} // namespace tune
