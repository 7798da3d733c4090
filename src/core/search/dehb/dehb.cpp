// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/dehb/dehb.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/core/search/learner/user_point.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune::dehb {

namespace {

/// Children that were tried already, before any free configuration is taken.
constexpr std::uint64_t most_children = 32;
/// Larger populations are refused as mistakes.
constexpr int most_in_rung = 10'000;

using learning::ending;

/// Ends of a parameter's range; empty if it is not a range of positive numbers.
std::optional<std::pair<double, double>> range_of(const domain& what) {
  std::pair<double, double> ends;
  if (const auto* whole = std::get_if<int_range>(&what)) {
    auto highest = whole->step > 1 ? whole->high : whole->high - 1;
    ends = {static_cast<double>(whole->low), static_cast<double>(highest)};
  } else if (const auto* real = std::get_if<float_range>(&what)) {
    ends = {real->low, real->high};
  }
  return ends.first > 0 ? std::optional{ends} : std::nullopt;
}

/// Index of the parameter.
expected<std::size_t> parameter_of(const search_space& space, const std::string& name) {
  const auto& all = space.parameters();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name)
      return i;
    names.push_back(all[i].name);
  }
  auto near = nearest_name(name, names);
  return error{ec::unknown_name, "budget: there is no parameter \"" + name + "\""
                                     + (near.empty() ? "" : "; did you mean \"" + near + "\"?")};
}

expected<plan> plan_of(const plan_settings& what, const search_space& space) {
  if (what.budget.empty())
    return plan{what.population};
  auto number = parameter_of(space, what.budget);
  if (!number)
    return number.error();
  const auto& x = space.parameters()[*number];
  auto refuse = [&](const std::string& why) {
    return error{ec::bad_option, "budget: \"" + x.name + "\" " + why};
  };
  if (std::holds_alternative<dependent_range>(x.what))
    return refuse("must not depend on other parameters: its range is " + to_text(x.what));
  auto range = range_of(x.what);
  if (!range)
    return refuse("must be a range of positive numbers, such as randint(1, 28)");
  if (x.active_if)
    return refuse("must not depend on other parameters");
  if (range->second < range->first * what.reduction_factor)
    return refuse("spans less than one reduction_factor: the highest must be "
                  + to_text(value{what.reduction_factor}) + " times the lowest at least");
  if (plan::trials_of_first_rung(range->first, range->second, what.reduction_factor) > most_in_rung)
    return refuse("spans so much that more than " + std::to_string(most_in_rung)
                  + " trials would have to be compared at its lowest: raise that, or "
                    "reduction_factor");
  return plan{range->first, range->second, what.reduction_factor};
}

std::optional<std::size_t> axis_of(const encoding& space, const std::string& name) {
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    if (space.parameter_of(i).name == name)
      return i;
  }
  return std::nullopt;
}

merit merit_of(const learning::result& what) {
  merit result;
  if (what.how != ending::finished)
    return result;
  result.missed = 0;
  for (auto x : what.missed)
    result.missed += x;
  result.loss = what.value;
  return result;
}

} // namespace

expected<generator> generator::make(const plan_settings& what, settings how,
                                    const searcher_context& about) {
  if (about.objectives > 1)
    return error{ec::bad_option,
                 "dehb optimises 1 objective, not " + std::to_string(about.objectives)};
  auto space = encoding::make(about.space, "dehb");
  if (!space)
    return space.error();
  auto points = initial_points::make(*about.space, about.points);
  if (!points)
    return points.error();
  auto order = plan_of(what, *about.space);
  if (!order)
    return order.error();
  auto axis = axis_of(*space, what.budget);
  return generator{axis, std::move(*order), how, about, std::move(*points), std::move(*space)};
}

generator::generator(std::optional<std::size_t> budget, plan what, settings how,
                     const searcher_context& about, initial_points points, encoding space)
    : seed_{about.seed}
    , points_{std::move(points)}
    , space_{std::make_shared<const encoding>(std::move(space))}
    , budget_{budget}
    , state_{std::move(what), how, space_->dimensions() - (budget ? 1 : 0), about.seed}
    , past_{space_} {}

searcher_traits generator::traits() const {
  searcher_traits result;
  result.ahead = 1;
  result.objectives = 1;
  result.learns = true;
  result.prompt = true;
  return result;
}

double generator::coordinate_of(std::size_t budget) const {
  const auto& axis = space_->at(*budget_);
  auto amount = state_.schedule().budgets()[budget];
  auto is_whole = std::holds_alternative<int_range>(space_->parameter_of(*budget_).what);
  auto rounded = static_cast<std::int64_t>(std::llround(amount));
  return axis.snapped(*axis.coordinate(is_whole ? value{rounded} : value{amount}));
}

cube_point generator::canonical(const attempt& of) const {
  cube_point latent(space_->dimensions());
  auto gene = of.genes.begin();
  for (std::size_t i = 0; i < latent.size(); ++i) {
    const auto& axis = space_->at(i);
    if (budget_ == i)
      latent[i] = coordinate_of(of.what.budget);
    else if (axis.is_category())
      latent[i] = std::min(axis.cells() - 1, std::floor(*gene++ * axis.cells()));
    else
      latent[i] = *gene++;
  }
  return space_->canonical(latent);
}

/// Genes of a configuration that was not made from genes.
genome generator::genes_of(const cube_point& canonical, rng& chance) const {
  auto latent = space_->filled(canonical, chance);
  genome result;
  for (std::size_t i = 0; i < latent.size(); ++i) {
    const auto& axis = space_->at(i);
    if (budget_ != i)
      result.push_back(axis.is_category() ? (latent[i] + 0.5) / axis.cells() : latent[i]);
  }
  return result;
}

proposal generator::propose(const ask& question) const {
  std::vector<suggestion> result;
  learning::outlook from{past_, seed_};
  // Populations may be large: the state is copied only if several suggestions are wanted at once.
  std::optional<evolution> later;
  while (result.size() < question.count) {
    auto found = next(from, later ? *later : state_);
    if (!found)
      break;
    result.push_back({found->config, std::move(found->origin)});
    if (result.size() == question.count)
      break;
    if (!later)
      later = state_;
    if (found->what)
      later->begin(*found->what);
  }
  if (!result.empty())
    return result;
  // Either a rung has to end first, or a lost configuration may be tried again.
  if (past_.has_pending())
    return nothing_yet{};
  return exhausted{"all configurations of the space were tried"};
}

std::optional<generator::choice> generator::next(learning::outlook& from,
                                                 const evolution& state) const {
  auto found
      = from.number() < points_.size() ? std::optional{point(from, state)} : evolved(from, state);
  if (!found)
    return std::nullopt;
  if (found->config == nullptr)
    found->config = std::make_shared<const object>(space_->decoded(found->at));
  from.add(found->at);
  return found;
}

generator::choice generator::point(const learning::outlook& from, const evolution& state) const {
  auto number = static_cast<std::size_t>(from.number());
  auto given = learning::user_point_of(points_, number, *space_, seed_);
  choice made{
      std::move(given.at), {}, std::move(given.config), learning::user_point_origin(number)};
  if (budget_) {
    const auto& name = space_->parameter_of(*budget_).name;
    auto at = *parameter_of(space_->space(), name);
    auto lowest = coordinate_of(0);
    if (points_.fixed(number, at) == nullptr) {
      const auto amount = space_->at(*budget_).at(lowest);
      std::vector<const value*> fixed(space_->space().parameters().size());
      for (std::size_t i = 0; i < fixed.size(); ++i)
        fixed[i] = i == at ? &amount : points_.fixed(number, i);
      auto values = space_->values(made.at, fixed);
      made.config = std::make_shared<const object>(space_->space().assemble(values));
      made.at = space_->encoded(*made.config).value_or(made.at);
    }
    if (made.at[*budget_] != lowest)
      return made;
  }
  auto what = state.begun() < state.schedule().first_rung() ? state.next(0) : std::nullopt;
  if (what) {
    rng chance{seed_, "dehb points", number};
    what->genes = genes_of(made.at, chance);
  }
  made.what = std::move(what);
  return made;
}

std::string generator::origin_of(const attempt& what) const {
  std::string result = what.from                                    ? "dehb: promoted"
                       : what.what.is_first && what.what.below == 0 ? "random"
                                                                    : "dehb";
  if (budget_)
    result += " at " + to_text(space_->at(*budget_).at(coordinate_of(what.what.budget)));
  return result;
}

std::optional<generator::choice> generator::evolved(const learning::outlook& from,
                                                    const evolution& state) const {
  for (std::uint64_t again = 0; again < most_children; ++again) {
    auto made = state.next(again);
    if (!made)
      return std::nullopt;
    auto at = canonical(*made);
    if (from.is_taken(at))
      continue;
    auto origin = origin_of(*made);
    return choice{std::move(at), std::move(made), {}, std::move(origin)};
  }
  auto free = learning::free_point(from);
  return free ? std::optional{choice{std::move(*free), {}, {}, "random"}} : std::nullopt;
}

void generator::apply(const searcher_fact& what) {
  // Repeats the suggestion with the knowledge of that time, before the fact is applied.
  if (const auto* told = std::get_if<suggested_fact>(&what.what))
    remember(*told);
  auto before = past_.results().size();
  past_.apply(what);
  const auto* seen = std::get_if<observation>(&what.what);
  if (seen != nullptr && seen->how != outcome::running)
    hear_of_end(*seen, past_.results().size() > before ? &past_.results().back() : nullptr);
}

void generator::remember(const suggested_fact& what) {
  const auto* list = std::get_if<std::vector<suggestion>>(&what.what);
  if (list == nullptr)
    return;
  learning::outlook from{past_, seed_};
  auto id = what.first;
  for (const auto& told : *list) {
    auto made = next(from, state_);
    if (made && made->what && *made->config == *told.config) {
      state_.begin(*made->what);
      open_[id] = {std::move(*made->what), space_->key(made->at)};
    }
    ++id.number;
  }
}

/// @param result Null if there is nothing to learn from it.
void generator::hear_of_end(const observation& what, const learning::result* result) {
  auto found = open_.extract(what.trial);
  if (found.empty())
    return;
  auto& trial = found.mapped();
  if (what.how == outcome::lost) {
    state_.give_back(std::move(trial.what));
    return;
  }
  // A scheduler may have changed the configuration.
  if (result != nullptr && space_->key(result->at) != trial.key) {
    rng chance{seed_, "dehb changed", what.trial.number};
    trial.what.genes = genes_of(result->at, chance);
  }
  state_.end(trial.what, result != nullptr ? merit_of(*result) : merit{});
}

void generator::describe(fingerprint& into) const {
  past_.describe(into);
  state_.describe(into);
  into.add(std::uint64_t{open_.size()});
}

} // namespace tune::dehb
