// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/cma_es/cma_es.hpp"

#include "tune/core/search/learner/ranking.hpp"
#include "tune/core/search/learner/user_point.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune::cma_es {

namespace {

/// Repeated draws of configurations that were tried already, before one is taken at random.
constexpr int most_draws = 32;
/// Size up to which populations double.
constexpr std::size_t most_population = 1024;
/// Share of the best results of other experiments that is used, and the deviation around each.
constexpr double warm_share = 0.1;
constexpr double warm_deviation = 0.1;

} // namespace

expected<generator> generator::make(settings how, const searcher_context& about) {
  if (about.objectives > 1)
    return error{ec::bad_option,
                 "cma_es optimises 1 objective, not " + std::to_string(about.objectives)};
  auto space = encoding::make(about.space, "cma_es");
  if (!space)
    return space.error();
  auto points = initial_points::make(*about.space, about.points);
  if (!points)
    return points.error();
  return generator{how, about, std::move(*points), std::move(*space)};
}

generator::generator(settings how, const searcher_context& about, initial_points points,
                     encoding space)
    : how_{how}
    , seed_{about.seed}
    , points_{std::move(points)}
    , space_{std::make_shared<const encoding>(std::move(space))}
    , past_{space_} {
  run_ = std::make_shared<strategy>(
      *space_, start{population(), cube_point(space_->dimensions(), 0.5), how_.sigma, {}});
}

std::size_t generator::population() const {
  return how_.population > 0 ? how_.population : usual_population(space_->dimensions());
}

searcher_traits generator::traits() const {
  searcher_traits result;
  result.ahead = 1;
  result.objectives = 1;
  result.learns = true;
  result.prompt = true;
  return result;
}

proposal generator::propose(const ask& question) const {
  std::vector<suggestion> result;
  learning::outlook from{past_, seed_};
  auto run = present();
  while (result.size() < question.count) {
    auto found = next(from, *run);
    if (!found)
      break;
    result.push_back({std::move(found->config), std::move(found->origin)});
  }
  if (!result.empty())
    return result;
  // A pending trial may get lost, and its configuration may be tried again.
  if (past_.has_pending())
    return nothing_yet{};
  return exhausted{"all configurations of the space were tried"};
}

std::optional<generator::choice> generator::next(learning::outlook& from,
                                                 const strategy& run) const {
  auto found = from.number() < points_.size() ? point(from, run) : drawn(from, run);
  if (!found)
    return std::nullopt;
  if (found->config == nullptr)
    found->config = std::make_shared<const object>(space_->decoded(found->at));
  from.add(found->at);
  return found;
}

generator::choice generator::point(const learning::outlook& from, const strategy& run) const {
  auto number = static_cast<std::size_t>(from.number());
  auto given = learning::user_point_of(points_, number, *space_, seed_);
  choice made;
  made.from = run.given(given.at);
  made.at = std::move(given.at);
  made.config = std::move(given.config);
  made.origin = learning::user_point_origin(number);
  return made;
}

std::optional<generator::choice> generator::drawn(const learning::outlook& from,
                                                  const strategy& run) const {
  rng chance{seed_, "cma_es", from.number()};
  if (from.number() == points_.size() && strangers_ < 2 * population()) {
    auto middle = run.middle(chance);
    auto at = run.canonical(middle);
    if (!from.is_taken(at))
      return choice{std::move(at), std::move(middle), {}, "middle"};
  }
  for (int i = 0; i < most_draws; ++i) {
    auto x = run.draw(chance);
    auto at = run.canonical(x);
    if (!from.is_taken(at))
      return choice{std::move(at), std::move(x), {}, "cma_es"};
  }
  auto free = learning::free_point(from);
  return free ? std::optional{choice{std::move(*free), {}, {}, "random"}} : std::nullopt;
}

std::shared_ptr<const strategy> generator::present() const {
  if (has_drawn() || strangers_ < 2 * population())
    return run_;
  return std::make_shared<const strategy>(*space_, warm_start());
}

/// Start at the best results of earlier experiments.
start generator::warm_start() const {
  start made{population(), cube_point(space_->dimensions(), 0.5), how_.sigma, {}};
  layout axes{*space_};
  auto order = learning::ranking(past_.results());
  auto count = static_cast<std::size_t>(std::ceil(warm_share * static_cast<double>(order.size())));
  auto n = axes.numbers.size();
  rng chance{seed_, "cma_es warm start", 0};
  std::vector<cube_point> best;
  for (std::size_t k = 0; k < count; ++k)
    best.push_back(space_->filled(past_.results()[order[k]].at, chance));
  if (n == 0 || best.empty())
    return made;
  auto share = 1 / static_cast<double>(count);
  for (auto i : axes.numbers) {
    made.mean[i] = 0;
    for (const auto& x : best)
      made.mean[i] += share * x[i];
  }
  made.sigma = warm_deviation;
  made.covariance.assign(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    auto i = axes.numbers[a];
    made.covariance[a * n + a] = 1;
    for (std::size_t b = 0; b < n; ++b) {
      auto j = axes.numbers[b];
      for (const auto& x : best)
        made.covariance[a * n + b] += share * (x[i] - made.mean[i]) * (x[j] - made.mean[j])
                                      / (warm_deviation * warm_deviation);
    }
  }
  return made;
}

void generator::apply(const searcher_fact& what) {
  // Repeats the draw with the knowledge of that time, before the fact is applied.
  if (const auto* told = std::get_if<suggested_fact>(&what.what))
    remember(*told);
  auto before = past_.results().size();
  past_.apply(what);
  const auto* seen = std::get_if<observation>(&what.what);
  if (seen != nullptr && seen->how != outcome::running)
    hear_of_end(seen->trial, past_.results().size() > before ? &past_.results().back() : nullptr);
}

/// Repeats the draw of a proposal to learn how it came about; nothing was heard in between.
void generator::remember(const suggested_fact& what) {
  const auto* list = std::get_if<std::vector<suggestion>>(&what.what);
  if (list == nullptr)
    return;
  auto run = present();
  learning::outlook from{past_, seed_};
  auto id = what.first;
  auto ends = false;
  for (const auto& told : *list) {
    auto made = next(from, *run);
    if (made && *made->config == *told.config) {
      ends = ends || !made->from;
    } else {
      made.reset();
      if (auto at = space_->encoded(*told.config))
        made = choice{*at, run->given(*at), told.config, told.origin};
    }
    if (made && made->from)
      open_[id] = {*made->from, space_->key(made->at), run_number_};
    ++id.number;
  }
  if (run != run_)
    run_ = std::make_shared<strategy>(*run);
  if (ends && how_.restarts)
    restart(2 * run_->population());
}

/// @param what Null if there is nothing to learn from it.
void generator::hear_of_end(trial_id of, const learning::result* what) {
  auto found = open_.extract(of);
  if (what == nullptr)
    return;
  if (found.empty()) {
    strangers_ += !has_drawn() && what->how == learning::ending::finished;
    return;
  }
  auto& trial = found.mapped();
  if (trial.run != run_number_)
    return;
  // A scheduler may have changed the configuration.
  if (space_->key(what->at) != trial.key)
    trial.drawn = run_->given(what->at);
  run_->take(trial.drawn, *what);
  if (run_->is_over() && how_.restarts)
    restart(run_->is_lost() ? run_->population() : 2 * run_->population());
}

void generator::restart(std::size_t population) {
  ++run_number_;
  rng chance{seed_, "cma_es restart", run_number_};
  auto most = std::max(most_population, this->population());
  run_ = std::make_shared<strategy>(
      *space_, start{std::min(population, most), space_->random(chance), how_.sigma, {}});
}

std::optional<explanation> generator::explain(const ask&, const std::vector<suggestion>& answer,
                                              std::size_t which) const {
  auto at = space_->encoded(*answer[which].config);
  if (answer[which].origin != "cma_es" || !at)
    return std::nullopt;
  auto run = present();
  auto count = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  explanation made;
  made.how = "a draw of the present distribution";
  made.results = past_.results().size();
  made.nearest = learning::nearest_result(past_, *at);
  made.details = {{"run", count(run_number_ + 1)},
                  {"generation", count(run->numbers().generation() + 1)},
                  {"population", count(run->population())},
                  {"sigma", run->numbers().sigma()}};
  return made;
}

void generator::describe(fingerprint& into) const {
  past_.describe(into);
  into.add(run_number_).add(std::uint64_t{open_.size()});
  run_->describe(into);
}

} // namespace tune::cma_es
