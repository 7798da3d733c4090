// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt/population.hpp"

#include "tune/core/schedule/refusals.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tune::pbt {

namespace {

/// Whether the trial stands in the queue.
bool is_queued(whereabouts x) {
  return x == whereabouts::pending || x == whereabouts::paused;
}

/// Whether the trial would run if there were room.
bool waits(whereabouts x) {
  return is_queued(x) || x == whereabouts::chosen;
}

} // namespace

std::string_view to_text(quantile x) {
  static constexpr std::array<std::string_view, 4> names{"none", "lower", "middle", "upper"};
  return names[static_cast<std::size_t>(x)];
}

void population::apply(const scheduler_fact& what) {
  struct visitor {
    population& self;
    void operator()(const fact::added& x) { self.add(x); }
    void operator()(const fact::started& x) {
      if (x.config != nullptr)
        self.known(x.trial).config = x.config;
      go(x.trial, whereabouts::running);
    }
    void operator()(const fact::paused& x) { go(x.trial, whereabouts::paused); }
    void operator()(const fact::unpaused& x) {
      // A trial that was already chosen is on its way and must not be chosen twice.
      auto now = self.known(x.trial).now;
      if (now != whereabouts::chosen && now != whereabouts::running)
        go(x.trial, whereabouts::pending);
    }
    void operator()(const fact::saved& x) { self.keep(x); }
    void operator()(const fact::failed& x) { self.fail(x.trial); }
    void operator()(const fact::ended& x) { self.end(x.trial); }
    void operator()(const fact::chosen& x) { self.leave(x); }
    void operator()(const fact::result& x) { self.known(x.trial); }
    void operator()(const fact::decided&) {}
    void operator()(const fact::node_up&) {}
    void operator()(const fact::node_down&) {}

    void go(trial_id trial, whereabouts to) { self.move(trial, self.known(trial), to); }
  };
  std::visit(visitor{*this}, what.what);
}

const member* population::find(trial_id trial) const {
  auto i = members_.find(trial);
  return i == members_.end() ? nullptr : &i->second;
}

member* population::find(trial_id trial) {
  auto i = members_.find(trial);
  return i == members_.end() ? nullptr : &i->second;
}

member& population::known(trial_id trial) {
  auto [i, fresh] = members_.try_emplace(trial);
  if (fresh) {
    i->second.now = whereabouts::running;
    i->second.position = next_position_++;
  }
  return i->second;
}

void population::move(trial_id trial, member& what, whereabouts to) {
  if (is_queued(what.now)) {
    queue_.erase({what.last_train_time, what.position, trial});
    unsaved_.erase({what.last_train_time, what.position, trial});
  }
  waiting_ -= waits(what.now) ? 1 : 0;
  what.now = to;
  waiting_ += waits(to) ? 1 : 0;
  if (is_queued(to))
    queue_.emplace(what.last_train_time, what.position, trial);
  if (to == whereabouts::pending && what.newest_iteration < what.iteration)
    unsaved_.emplace(what.last_train_time, what.position, trial);
}

void population::add(const fact::added& what) {
  auto& x = known(what.trial);
  if (what.config != nullptr)
    x.config = what.config;
  x.lets_go = x.hands_over = false;
  // The last result may never be judged now.
  x.look_again = x.look_again || x.due != 0;
  move(what.trial, x, whereabouts::pending);
}

void population::fail(trial_id trial) {
  auto& x = known(trial);
  move(trial, x, whereabouts::away);
  unrank(trial, x);
  auto config = x.config;
  x = member{};
  x.config = std::move(config);
  x.position = next_position_++;
}

void population::end(trial_id trial) {
  auto* x = find(trial);
  if (x == nullptr)
    return;
  move(trial, *x, whereabouts::away);
  unrank(trial, *x);
  members_.erase(trial);
}

void population::keep(const fact::saved& what) {
  auto& x = known(what.trial);
  if (x.lets_go)
    return;
  x.newest = what.checkpoint;
  x.newest_iteration = what.iteration;
  move(what.trial, x, x.now);
}

void population::leave(const fact::chosen& what) {
  for (auto trial : what.what.start) {
    auto* x = find(trial);
    if (x == nullptr)
      continue;
    if (!is_refused(what, trial))
      move(trial, *x, whereabouts::chosen);
    else if (x->now == whereabouts::paused)
      move(trial, *x, whereabouts::refused);
  }
}

void population::unrank(trial_id trial, member& what) {
  if (what.score && !std::isnan(*what.score))
    ranked_.erase({*what.score, trial});
  what.score.reset();
}

void population::set_score(trial_id trial, double score) {
  auto& x = known(trial);
  unrank(trial, x);
  x.score = score;
  if (!std::isnan(score))
    ranked_.insert({score, trial});
}

void population::set_last_train_time(trial_id trial, double time) {
  auto& x = known(trial);
  auto now = x.now;
  move(trial, x, whereabouts::away);
  x.last_train_time = time;
  move(trial, x, now);
}

void population::take_over(trial_id trial, const exploit& what, std::uint64_t iteration) {
  auto& x = known(trial);
  const auto* donor = find(what.donor);
  x.lets_go = x.now == whereabouts::running;
  x.config = what.config;
  x.offers_since.reset();
  x.waits_since.reset();
  x.newest = what.from;
  x.newest_iteration = iteration;
  x.iteration = iteration;
  move(trial, x, x.now);
  // The donor may have ended since.
  if (donor == nullptr)
    return;
  x.last_perturbation_time = donor->last_perturbation_time;
  set_last_train_time(trial, donor->last_train_time);
}

void population::put_last(trial_id trial) {
  auto& x = known(trial);
  auto now = x.now;
  move(trial, x, whereabouts::away);
  x.position = next_position_++;
  move(trial, x, now);
}

void population::forgive_refused() {
  for (auto& [trial, x] : members_) {
    if (x.now == whereabouts::refused)
      move(trial, x, whereabouts::paused);
  }
}

std::size_t population::quantile_size() const {
  auto n = ranked_.size();
  if (n < 2)
    return 0;
  auto k = std::ceil(static_cast<double>(n) * fraction_);
  return std::min(static_cast<std::size_t>(k), n / 2);
}

place population::place_of(trial_id trial) const {
  const auto* x = find(trial);
  auto n = ranked_.size();
  if (x == nullptr || !x->score || std::isnan(*x->score) || n < 2)
    return {};
  auto worse = ranked_.rank({*x->score, trial});
  auto k = quantile_size();
  place result{quantile::middle, n - worse, n};
  if (worse < k)
    result.in = quantile::lower;
  else if (worse >= n - k)
    result.in = quantile::upper;
  return result;
}

trial_id population::upper(std::size_t i) const {
  return ranked_.at(ranked_.size() - quantile_size() + i).trial;
}

checkpoint_id population::offered_by(trial_id trial) const {
  const auto* x = find(trial);
  auto offers = x != nullptr && x->offers_since
                && (x->hands_over || x->newest_iteration >= *x->offers_since);
  return offers ? x->newest : checkpoint_id{};
}

bool population::others_wait(trial_id than) const {
  const auto* x = find(than);
  return waiting_ > (x != nullptr && waits(x->now) ? 1u : 0u);
}

std::vector<trial_id> population::waiting(std::uint32_t count, double before) const {
  std::vector<trial_id> result;
  for (const auto& [time, position, trial] : queue_) {
    if (result.size() >= count || time >= before)
      break;
    result.push_back(trial);
  }
  for (auto i = unsaved_.lower_bound({before, 0, {}}); i != unsaved_.end() && result.size() < count;
       ++i)
    result.push_back(std::get<trial_id>(*i));
  return result;
}

void population::describe(fingerprint& into) const {
  into.add(next_position_).add(std::uint64_t{members_.size()});
  for (const auto& [trial, x] : members_) {
    into.add(trial).add(std::uint64_t{static_cast<std::uint8_t>(x.now)}).add(x.position);
    if (x.config != nullptr)
      into.add(*x.config);
    into.add(std::uint64_t{x.score.has_value()}).add(x.score.value_or(0));
    into.add(x.iteration).add(std::uint64_t{x.lineage});
    into.add(x.last_train_time).add(x.last_perturbation_time);
    into.add(x.due).add(std::uint64_t{x.lacks_attributes});
    into.add(x.newest).add(x.newest_iteration);
    into.add(std::uint64_t{x.offers_since.has_value()}).add(x.offers_since.value_or(0));
    into.add(std::uint64_t{x.look_again}).add(std::uint64_t{x.lets_go});
    into.add(std::uint64_t{x.waits_since.has_value()}).add(x.waits_since.value_or(0));
    into.add(std::uint64_t{x.hands_over});
  }
}

} // namespace tune::pbt
