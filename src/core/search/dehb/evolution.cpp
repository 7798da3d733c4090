// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/dehb/evolution.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace tune::dehb {

namespace {

constexpr std::size_t parents_of_one = 3;

genome random_genome(std::size_t count, rng& chance) {
  genome result(count);
  for (auto& x : result)
    x = chance.unit();
  return result;
}

/// Draws different parents.
std::array<const genome*, parents_of_one> drawn(const std::vector<const genome*>& pool,
                                                rng& chance) {
  std::array<const genome*, parents_of_one> result{};
  for (auto i = result.begin(); i != result.end(); ++i) {
    do
      *i = pool[chance.below(pool.size())];
    while (std::find(result.begin(), i, *i) != i);
  }
  return result;
}

} // namespace

evolution::evolution(plan what, settings how, std::size_t genes, std::uint64_t seed)
    : plan_{std::move(what)}, how_{how}, seed_{seed} {
  rng chance{seed, "dehb populations", 0};
  auto budgets = plan_.budgets().size();
  for (std::size_t b = 0; b < budgets; ++b) {
    auto& all = populations_.emplace_back(plan_.population(b));
    for (auto& x : all)
      x.genes = random_genome(genes, chance);
  }
  next_target_.resize(budgets);
  ended_.resize(budgets);
  promoted_.resize(budgets);
}

/// Positions in a population, best first.
std::vector<std::size_t> evolution::order_of(std::size_t budget) const {
  const auto& all = populations_[budget];
  std::vector<std::size_t> result(all.size());
  std::iota(result.begin(), result.end(), std::size_t{0});
  std::stable_sort(result.begin(), result.end(),
                   [&](auto x, auto y) { return all[x].how < all[y].how; });
  return result;
}

std::optional<attempt> evolution::next(std::uint64_t again) const {
  rng chance{seed_, again == 0 ? "dehb" : "dehb again", begun_ + (again << 32)};
  if (!again_.empty() && again == 0)
    return again_.front();
  attempt made;
  made.what = again_.empty() ? plan_.at(begun_) : again_.front().what;
  const auto& all = populations_[made.what.budget];
  made.target
      = again_.empty() ? next_target_[made.what.budget] % all.size() : again_.front().target;
  if (made.what.is_first && made.what.below > 0 && again == 0)
    return promotion(std::move(made));
  if (made.what.is_first && again == 0)
    made.genes = all[made.target].genes;
  else if (made.what.is_first)
    made.genes = random_genome(all.front().genes.size(), chance);
  else
    made.genes = child(made, chance);
  return made;
}

std::optional<attempt> evolution::promotion(attempt made) const {
  auto below = made.what.budget - 1;
  if (ended_[below] < made.what.below)
    return std::nullopt;
  for (auto i : order_of(below)) {
    if (promoted_[below].contains(i))
      continue;
    made.from = i;
    made.genes = populations_[below][i].genes;
    break;
  }
  return made;
}

std::vector<const genome*> evolution::parents(const attempt& of, rng& chance) const {
  auto below = of.what.budget == 0 ? 0 : of.what.budget - 1;
  std::vector<const genome*> result;
  for (auto i : order_of(below)) {
    if (result.size() < of.what.rung)
      result.push_back(&populations_[below][i].genes);
  }
  while (result.size() < parents_of_one) {
    const auto& all = populations_[chance.below(populations_.size())];
    const auto* more = &all[chance.below(all.size())].genes;
    if (std::find(result.begin(), result.end(), more) == result.end())
      result.push_back(more);
  }
  return result;
}

genome evolution::child(const attempt& of, rng& chance) const {
  auto [a, b, c] = drawn(parents(of, chance), chance);
  auto result = populations_[of.what.budget][of.target].genes;
  if (result.empty())
    return result;
  auto forced = static_cast<std::size_t>(chance.below(result.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (i != forced && chance.unit() >= how_.crossover)
      continue;
    auto gene = (*a)[i] + how_.mutation * ((*b)[i] - (*c)[i]);
    result[i] = gene >= 0 && gene <= 1 ? gene : chance.unit();
  }
  return result;
}

void evolution::begin(const attempt& what) {
  if (!again_.empty()) {
    again_.pop_front();
  } else {
    ++begun_;
    ++next_target_[what.what.budget];
  }
  if (what.from)
    promoted_[what.what.budget - 1].insert(*what.from);
}

void evolution::end(const attempt& what, const merit& how) {
  if (what.what.is_first)
    ++ended_[what.what.budget];
  auto& target = populations_[what.what.budget][what.target];
  if (how <= target.how)
    target = {what.genes, how};
}

void evolution::give_back(attempt what) {
  again_.push_back(std::move(what));
}

void evolution::describe(fingerprint& into) const {
  into.add(begun_).add(std::uint64_t{again_.size()});
  for (const auto& all : populations_) {
    for (const auto& x : all) {
      into.add(x.how.missed).add(x.how.loss);
      for (auto gene : x.genes)
        into.add(gene);
    }
  }
  for (auto x : ended_)
    into.add(std::uint64_t{x});
}

} // namespace tune::dehb
