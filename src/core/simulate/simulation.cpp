// Time, the head and its disk.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/simulation.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tune {

simulation::simulation(simulation_options how, experiment_settings settings, make_rules rules,
                       std::shared_ptr<trial_model> model)
    : how_{std::move(how)}
    , settings_{std::move(settings)}
    , make_rules_{std::move(rules)}
    , model_{std::move(model)}
    , chance_{how_.seed, "simulation", 0} {
  for (const auto& x : how_.nodes) {
    auto& node = nodes_.emplace_back();
    node.what = x;
    whole_.set_node(x.name, x.capacity, {x.name});
  }
  start_head();
  plan_faults();
}

instant simulation::delay() {
  auto most = static_cast<std::uint64_t>(how_.most_delay.count());
  return instant{most == 0 ? 0 : chance_.below(most + 1)};
}

void simulation::for_head(agenda::task what) {
  agenda_.add(delay(), [this, epoch = epoch_, what = std::move(what)] { at_head(epoch, what); });
}

void simulation::at_head(std::uint32_t epoch, agenda::task what) {
  if (epoch != epoch_)
    return;
  if (is_asleep())
    agenda_.add(asleep_until_ - agenda_.now(),
                [this, epoch, what = std::move(what)] { at_head(epoch, what); });
  else
    what();
}

void simulation::for_any_head(instant after, agenda::task what) {
  agenda_.add(after, [this, what = std::move(what)] {
    if (is_asleep())
      for_any_head(asleep_until_ - agenda_.now(), what);
    else
      what();
  });
}

void simulation::report_broken(promise broken, std::string what) {
  found_.add({broken, engine_->machine().last_seq(), std::nullopt, std::move(what)});
}

void simulation::start_head() {
  rules_ = make_rules_();
  engine_
      = std::make_unique<engine>(experiment{settings_, rules_.judge->traits(),
                                            rules_.source->traits(), std::move(rules_.stoppers)},
                                 *this);
  // A node's late message about a lease of an earlier head must not match a lease of this one.
  constexpr std::uint64_t most_leases = 1'000'000'000;
  ledger_ = std::make_unique<ledger>(epoch_ * most_leases + 1);
  leases_.clear();
  lease_of_.clear();
  members_ = {};
  awaited_ = {};
  lines_.clear();
  saves_asked_.clear();
  orders_.clear();
  early_.clear();
  asleep_until_ = agenda_.now();
  conduct_.nothing_granted();
}

void simulation::open() {
  ++epoch_;
  tell(on::opened{epoch_, "simulation", "{}", settings_.seed, opening::at_once, on::present_draws});
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for_head([this, i] { come_in(i); });
}

void simulation::tell(event_body what) {
  engine_->post(std::move(what), elapsed());
  if (!how_.records)
    engine_->durable(engine_->machine().last_seq());
}

void simulation::post(event_body what) {
  tell(std::move(what));
}

void simulation::run(std::size_t most) {
  if (epoch_ == 0)
    open();
  while (!finished_ && log_.size() < most && found_.empty()) {
    while (!faults_due_.empty() && events_ >= faults_due_.back()) {
      faults_due_.pop_back();
      inject();
    }
    auto due = engine_->machine().next_deadline();
    if (due)
      *due = std::max(*due + behind_, asleep_until_);
    if (agenda_.empty() && !due) {
      // A client may have suspended or held trials on purpose.
      if (auto seen = engine_->machine().view(); seen.suspended || seen.held > 0)
        return;
      report_broken(promise::nothing_lost_or_doubled, "everything stands still before the end");
      return;
    }
    if (due && (agenda_.empty() || *due < *agenda_.next())) {
      agenda_.pass(*due);
      engine_->pass(elapsed());
      if (!how_.records)
        engine_->durable(engine_->machine().last_seq());
      continue;
    }
    agenda_.step();
  }
  if (finished_)
    end_of_run();
}

instant simulation::elapsed() const {
  return ended_at_.value_or(agenda_.now() - behind_);
}

/// Delivers late messages, which must do no harm, and checks that nothing is left.
void simulation::end_of_run() {
  if (!ended_at_)
    ended_at_ = elapsed();
  while (!agenda_.empty())
    agenda_.step();
  for (const auto& [attempt, x] : processes_)
    found_.add({promise::no_leftovers, 0, x.trial,
                "the process of attempt " + to_text(attempt) + " outlives the experiment"});
}

void simulation::record(const event& what) {
  // All effects of the previous event are done by now.
  if (how_.hashes && hashes_.size() < log_.size())
    note_hash();
  ++events_;
  if (const auto* saved = std::get_if<on::saved>(&what.what))
    note_handed_over(*saved);
  if (!how_.records)
    return;
  log_.push_back(what);
  if (committing_ == 0)
    commit();
}

void simulation::commit() {
  committing_ = log_.size();
  for_head([this] {
    on_disk_ = committing_;
    conduct_.on_disk(on_disk_);
    confirm_words();
    for_head([this, seq = on_disk_] { engine_->durable(seq); });
    committing_ = 0;
    if (log_.size() > on_disk_)
      commit();
  });
}

void simulation::note_hash() {
  hashes_.push_back(digest_of(engine_->machine(), *rules_.judge, *rules_.source));
}

void simulation::lose_head() {
  if (how_.hashes && hashes_.size() < log_.size())
    note_hash();
  auto lived = std::exchange(hashes_, {});
  // A commit under way may have reached the disk completely before anybody heard of it.
  auto kept = committing_ > on_disk_ && happens(0.5) ? committing_ : on_disk_;
  std::optional<std::uint64_t> digest;
  if (kept == log_.size())
    digest = digest_of(engine_->machine(), *rules_.judge, *rules_.source);
  conduct_.head_lost(kept);
  log_.resize(kept);
  on_disk_ = kept;
  committing_ = 0;
  finished_.reset();
  ended_at_.reset();
  start_head();
  replay(lived);
  if (digest && *digest != digest_of(engine_->machine(), *rules_.judge, *rules_.source))
    report_broken(promise::replay, "the recovered state differs");
  behind_ = agenda_.now() - (log_.empty() ? instant{0} : log_.back().at);
  lose_words();
  open();
  if (outlives_heads())
    await_attempts();
  else
    for (auto [trial, attempt] : engine_->machine().open_attempts())
      tell(on::ended{trial, attempt, end_class::interrupted, "its head was lost", {}});
  engine_->resume(elapsed());
}

void simulation::replay(const std::vector<std::uint64_t>& lived) {
  std::set<checkpoint_id> registered;
  for (const auto& x : log_) {
    engine_->replay(x);
    if (const auto* saved = std::get_if<on::saved>(&x.what))
      registered.insert(saved->checkpoint);
    if (!how_.hashes)
      continue;
    note_hash();
    if (hashes_.back() != lived[x.seq - 1] && found_.empty())
      report_broken(promise::replay, "the recovered state differs");
  }
  // Those of attempts that may go on will be registered.
  std::set<trial_id> going_on;
  if (outlives_heads()) {
    for (auto [trial, attempt] : engine_->machine().open_attempts())
      going_on.insert(trial);
  }
  // Unregistered checkpoints are swept, and those in memory were lost with the head.
  std::erase_if(disk_, [&](const auto& x) {
    return x.second.node || (!registered.contains(x.first) && !going_on.contains(x.second.trial));
  });
}

findings simulation::check() const {
  auto result = found_;
  result.add(conduct_.found());
  if (!how_.records)
    return result;
  replay_check again{settings_, make_rules_()};
  for (const auto& x : log_)
    again.apply(x);
  again.end();
  result.add(again.found());
  if (again.digest() != digest_of(engine_->machine(), *rules_.judge, *rules_.source))
    result.add({promise::replay, log_.size(), std::nullopt,
                "the log leads to another state than the one that was lived"});
  return result;
}

} // namespace tune
