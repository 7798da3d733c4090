// SPDX-License-Identifier: BSD-3-Clause
#include "quality/dehb.hpp"

#include "tune/core/schedule/fifo_queue.hpp"
#include "tune/core/search/encoding/encoding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tune::quality {

namespace {

constexpr double weight = 0.5;
constexpr double crossover_chance = 0.5;
constexpr std::size_t parents = 3;

/// What one trial is for.
struct job {
  /// Index of the budget.
  std::size_t budget = 0;
  /// Trials of its rung.
  std::size_t rung_size = 0;
  /// Trials of the rung below in the same bracket; 0: there is none.
  std::size_t below = 0;
  /// It belongs to the first bracket of all.
  bool halves = false;
};

/// Which trial is for what.
class plan {
public:
  plan(std::uint64_t most, double factor) {
    auto top = static_cast<std::size_t>(
        std::floor(std::log(static_cast<double>(most)) / std::log(factor) + 1e-9));
    for (std::size_t i = 0; i <= top; ++i)
      budgets_.push_back(static_cast<std::uint64_t>(
          std::round(static_cast<double>(most) * std::pow(factor, -double(top - i)))));
    sizes_.resize(budgets_.size());
    for (std::size_t s = top + 1; s-- > 0;)
      add_bracket(s, top, factor);
  }

  [[nodiscard]] job at(std::size_t number) const {
    auto result = jobs_[number % jobs_.size()];
    result.halves = number < first_bracket_;
    return result;
  }
  [[nodiscard]] const std::vector<std::uint64_t>& budgets() const { return budgets_; }
  /// Of the population of a budget.
  [[nodiscard]] std::size_t size_of(std::size_t budget) const { return sizes_[budget]; }

private:
  std::vector<std::uint64_t> budgets_;
  std::vector<std::size_t> sizes_;
  std::vector<job> jobs_;
  std::size_t first_bracket_ = 0;

  void add_bracket(std::size_t s, std::size_t top, double factor) {
    auto first = std::ceil(static_cast<double>(top + 1) / static_cast<double>(s + 1)
                           * std::pow(factor, static_cast<double>(s)));
    std::size_t below = 0;
    for (std::size_t i = 0; i <= s; ++i) {
      auto count = static_cast<std::size_t>(
          std::max(1.0, std::floor(first * std::pow(factor, -static_cast<double>(i)) + 1e-9)));
      auto budget = top - s + i;
      sizes_[budget] = std::max(sizes_[budget], count);
      jobs_.insert(jobs_.end(), count, job{budget, count, below, false});
      below = count;
    }
    if (s == top)
      first_bracket_ = jobs_.size();
  }
};

/// Ends each trial at the budget of its number.
class budget_judge final : public scheduler {
public:
  explicit budget_judge(plan what) : plan_{std::move(what)} {}

  [[nodiscard]] scheduler_traits traits() const override {
    scheduler_traits result;
    result.prompt = true;
    return result;
  }
  void apply(const scheduler_fact& what) override {
    queue_.apply(what);
    if (const auto* added = std::get_if<fact::added>(&what.what))
      numbers_.try_emplace(added->trial, numbers_.size());
    if (const auto* seen = std::get_if<fact::result>(&what.what))
      reached_[seen->trial] = seen->iteration;
  }
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    auto budget = plan_.budgets()[plan_.at(numbers_.at(trial)).budget];
    if (reached_.at(trial) >= budget)
      return {cause, {{trial, stop{true}, {}}}};
    return {cause, {{trial, go_on{}, {}}}};
  }
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override {
    return queue_.first(at, count);
  }
  [[nodiscard]] decision on_stall(sequence at) const override {
    return queue_.end_paused(at, "dehb");
  }
  void describe(fingerprint& into) const override { queue_.describe(into); }

private:
  plan plan_;
  fifo_queue queue_;
  std::map<trial_id, std::size_t> numbers_;
  std::map<trial_id, std::uint64_t> reached_;
};

struct member {
  cube_point genes;
  double loss = std::numeric_limits<double>::infinity();
};

/// What a trial that was suggested is for.
struct attempt {
  job what;
  /// Its place in the population.
  std::size_t target = 0;
  cube_point genes;
  /// Of a promotion the place below that it came from.
  std::optional<std::size_t> from;
};

class evolution final : public searcher {
public:
  evolution(const std::shared_ptr<const search_space>& space, plan what, std::uint64_t seed)
      : cube_{*encoding::make(space, "dehb")}, plan_{std::move(what)}, seed_{seed} {
    rng chance{seed, "dehb populations", 0};
    for (std::size_t b = 0; b < plan_.budgets().size(); ++b) {
      auto& all = populations_.emplace_back(plan_.size_of(b));
      for (auto& x : all) {
        for (std::size_t i = 0; i < cube_.dimensions(); ++i)
          x.genes.push_back(chance.unit());
      }
    }
    next_target_.resize(populations_.size());
    ended_.resize(populations_.size());
  }

  [[nodiscard]] searcher_traits traits() const override {
    searcher_traits result;
    result.prompt = true;
    return result;
  }

  [[nodiscard]] proposal propose(const ask&) const override {
    auto next = attempt_now();
    if (!next)
      return nothing_yet{};
    auto config = std::make_shared<const object>(cube_.decoded(cube_.canonical(latent(*next))));
    return std::vector<suggestion>{{std::move(config), "dehb"}};
  }

  void apply(const searcher_fact& what) override {
    if (const auto* made = std::get_if<suggested_fact>(&what.what)) {
      if (std::holds_alternative<std::vector<suggestion>>(made->what))
        begin(made->first);
    } else {
      end(std::get<observation>(what.what));
    }
  }

  void describe(fingerprint& into) const override { into.add(suggested_); }

private:
  encoding cube_;
  plan plan_;
  std::uint64_t seed_;
  std::vector<std::vector<member>> populations_;
  std::vector<std::size_t> next_target_;
  /// Trials of the first bracket that have ended, by budget.
  std::vector<std::size_t> ended_;
  /// Places at the budget below that were promoted, by budget.
  std::map<std::size_t, std::set<std::size_t>> promoted_;
  std::map<trial_id, attempt> open_;
  std::uint64_t suggested_ = 0;

  [[nodiscard]] cube_point latent(const attempt& of) const {
    auto result = of.genes;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto& axis = cube_.at(i);
      if (axis.is_category())
        result[i] = std::min(axis.cells() - 1, std::floor(result[i] * axis.cells()));
    }
    return result;
  }

  /// Places of a population, best first.
  [[nodiscard]] std::vector<std::size_t> order_of(std::size_t budget) const {
    const auto& all = populations_[budget];
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < all.size(); ++i)
      result.push_back(i);
    std::stable_sort(result.begin(), result.end(),
                     [&](auto x, auto y) { return all[x].loss < all[y].loss; });
    return result;
  }

  /// Nothing while the rung below has to end first.
  [[nodiscard]] std::optional<attempt> attempt_now() const {
    attempt result;
    result.what = plan_.at(suggested_);
    auto budget = result.what.budget;
    result.target = next_target_[budget] % populations_[budget].size();
    if (!result.what.halves) {
      result.genes = child(result);
    } else if (result.what.below == 0) {
      result.genes = populations_[budget][result.target].genes;
    } else {
      if (ended_[budget - 1] < result.what.below)
        return std::nullopt;
      auto had = promoted_.find(budget);
      for (auto i : order_of(budget - 1)) {
        if (had != promoted_.end() && had->second.contains(i))
          continue;
        result.from = i;
        result.genes = populations_[budget - 1][i].genes;
        break;
      }
    }
    return result;
  }

  [[nodiscard]] cube_point child(const attempt& of) const {
    rng chance{seed_, "dehb", suggested_};
    auto pool = parents_of(of, chance);
    std::array<std::size_t, parents> chosen{};
    for (std::size_t i = 0; i < parents; ++i) {
      do
        chosen[i] = static_cast<std::size_t>(chance.below(pool.size()));
      while (std::find(chosen.begin(), chosen.begin() + i, chosen[i]) != chosen.begin() + i);
    }
    auto result = populations_[of.what.budget][of.target].genes;
    auto forced = static_cast<std::size_t>(chance.below(result.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (i != forced && chance.unit() >= crossover_chance)
        continue;
      auto gene = (*pool[chosen[0]])[i]
                  + weight * ((*pool[chosen[1]])[i] - (*pool[chosen[2]])[i]);
      result[i] = gene >= 0 && gene <= 1 ? gene : chance.unit();
    }
    return result;
  }

  [[nodiscard]] std::vector<const cube_point*> parents_of(const attempt& of, rng& chance) const {
    auto below = of.what.budget == 0 ? 0 : of.what.budget - 1;
    std::vector<const cube_point*> result;
    for (auto i : order_of(below)) {
      if (result.size() < of.what.rung_size)
        result.push_back(&populations_[below][i].genes);
    }
    while (result.size() < parents) {
      const auto& all = populations_[chance.below(populations_.size())];
      const auto* more = &all[chance.below(all.size())].genes;
      if (std::find(result.begin(), result.end(), more) == result.end())
        result.push_back(more);
    }
    return result;
  }

  void begin(trial_id trial) {
    auto now = attempt_now();
    ++suggested_;
    ++next_target_[now->what.budget];
    if (now->from)
      promoted_[now->what.budget].insert(*now->from);
    open_.emplace(trial, std::move(*now));
  }

  void end(const observation& what) {
    auto found = open_.find(what.trial);
    if (what.how == outcome::running || found == open_.end())
      return;
    auto x = std::move(found->second);
    open_.erase(found);
    if (x.what.halves)
      ++ended_[x.what.budget];
    auto loss = what.how == outcome::completed && !what.values.empty()
                        && std::isfinite(what.values.front())
                    ? -what.values.front()
                    : std::numeric_limits<double>::infinity();
    auto& target = populations_[x.what.budget][x.target];
    if (loss <= target.loss)
      target = {std::move(x.genes), loss};
  }
};

} // namespace

rule_set dehb_rules(const std::shared_ptr<const search_space>& space, std::uint64_t most,
                    double factor, std::uint64_t seed) {
  plan what{most, factor};
  return {std::make_unique<budget_judge>(what), std::make_unique<evolution>(space, what, seed), {}};
}

} // namespace tune::quality
