// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pb2/pb2.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/core/schedule/pb2/proposal.hpp"
#include "tune/core/stable_math.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tune::pb2 {

namespace {

bool varies(const parameter& what) {
  return !std::holds_alternative<constant>(what.what);
}

error unusable(const parameter& what, const std::string& why) {
  return {ec::bad_option, "explore = " + what.name + ": " + why
                              + "; pb2 explores continuous ranges alone: name those in explore, or "
                                "take pbt"};
}

expected<bounded_parameter> read_parameter(const parameter& what) {
  if (std::holds_alternative<dependent_range>(what.what))
    return unusable(what, "its range " + to_text(what.what) + " depends on other parameters");
  const auto* range = std::get_if<float_range>(&what.what);
  if (range == nullptr || range->step > 0)
    return unusable(what, to_text(what.what) + " is no continuous range");
  if (what.active_if)
    return unusable(what, "it has a condition");
  return bounded_parameter{what.name, *range};
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> result;
  while (!list.empty()) {
    auto end = std::min(list.find(','), list.size());
    auto name = list.substr(0, end);
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
    result.emplace_back(name);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return result;
}

error unknown(const std::string& name, const search_space& space) {
  std::vector<std::string> known;
  for (const auto& x : space.parameters())
    known.push_back(x.name);
  auto near = nearest_name(name, known);
  return {ec::unknown_name, "explore = " + name + ": the space has no such parameter"
                                + (near.empty() ? "" : "; did you mean \"" + near + "\"?")};
}

/// Number with three digits, for people.
std::string brief(double x) {
  std::array<char, 32> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x,
                           std::chars_format::general, 3)
                 .ptr;
  return {buffer.data(), end};
}

/// @param at Position of each value in its range.
std::vector<pbt::change> changes_to(const point& at, const object& from,
                                    const std::vector<bounded_parameter>& explored) {
  std::vector<pbt::change> result;
  for (std::size_t i = 0; i < explored.size(); ++i) {
    const auto* before = find_parameter(from, explored[i].name);
    result.push_back({explored[i].name, before == nullptr ? value{} : *before,
                      unscaled(explored[i].bounds, at[i]), "by the model"});
  }
  return result;
}

std::string note_of(const proposal& what) {
  return "by " + std::to_string(what.stretches) + " stretches of training: gain " + brief(what.mean)
         + " ± " + brief(what.sigma) + " standard deviations from the mean";
}

} // namespace

expected<std::vector<bounded_parameter>> read_bounded(std::string_view names,
                                                      const search_space* space) {
  if (space == nullptr)
    return error{ec::bad_option, "explore: pb2 must know the search space"};
  auto wanted = names_in(names);
  if (wanted.empty()) {
    for (const auto& x : space->parameters()) {
      if (varies(x))
        wanted.push_back(x.name);
    }
  }
  std::vector<bounded_parameter> result;
  for (const auto& name : wanted) {
    const auto* known = space->find(name);
    if (known == nullptr)
      return unknown(name, *space);
    auto read = read_parameter(*known);
    if (!read)
      return read.error();
    auto same = [&](const bounded_parameter& x) { return x.name == name; };
    if (std::none_of(result.begin(), result.end(), same))
      result.push_back(std::move(*read));
  }
  if (result.empty())
    return error{ec::bad_option, "explore: the space has no parameter that can vary"};
  return result;
}

double scaled(const float_range& within, double x) {
  auto share = within.log ? stable_log(x / within.low) / stable_log(within.high / within.low)
                          : (x - within.low) / (within.high - within.low);
  return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
}

double unscaled(const float_range& within, double u) {
  auto x = within.log ? within.low * stable_exp(u * stable_log(within.high / within.low))
                      : within.low + u * (within.high - within.low);
  return std::clamp(x, within.low, within.high);
}

std::optional<point> bandit::point_of(const config_ptr& config) const {
  point result;
  for (const auto& x : explored_) {
    const auto* known = config == nullptr ? nullptr : find_parameter(*config, x.name);
    auto number = known == nullptr ? std::nullopt : known->number();
    if (!number)
      return std::nullopt;
    result.push_back(scaled(x.bounds, *number));
  }
  return result;
}

void bandit::observe(const pbt::standing& what) {
  if (auto at = point_of(what.config))
    history_.reach(what.trial, {what.time, what.score, std::move(*at)});
}

void bandit::adopt(const pbt::standing& what) {
  if (auto at = point_of(what.config))
    history_.take_over(what.trial, {what.time, what.score, std::move(*at)});
}

pbt::explored bandit::explore(const pbt::heritage& what, pbt::dice& with) const {
  if (auto by_model = explore_later(what))
    return by_model(with);
  const auto& config = what.donor.config == nullptr ? object{} : *what.donor.config;
  auto result = pbt::settle(space_.get(), config, {}, with);
  result.note = "its donor has not trained for a whole interval yet";
  return result;
}

std::function<pbt::explored(pbt::dice&)> bandit::explore_later(const pbt::heritage& what) const {
  auto here = history_.last_of(what.donor.trial);
  if (!here)
    return {};
  auto config = what.donor.config == nullptr ? std::make_shared<const object>() : what.donor.config;
  question asked{here->first, here->second, history_.chosen()};
  for (const auto& x : what.siblings) {
    if (auto at = point_of(x))
      asked.chosen.push_back(std::move(*at));
  }
  return [space = space_, config, explored = explored_, all = history_.stretches(),
          asked = std::move(asked)](pbt::dice& with) {
    auto found = propose(all, asked, [&] { return with.unit(); });
    auto result = pbt::settle(space.get(), *config, changes_to(found.at, *config, explored), with);
    result.note = note_of(found);
    return result;
  };
}

} // namespace tune::pb2
