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
    agenda_.add(clock_.awake_from() - agenda_.now(),
                [this, epoch, what = std::move(what)] { at_head(epoch, what); });
  else
    what();
}

void simulation::for_any_head(instant after, agenda::task what) {
  agenda_.add(after, [this, what = std::move(what)] {
    if (is_asleep())
      for_any_head(clock_.awake_from() - agenda_.now(), what);
    else
      what();
  });
}

void simulation::report_broken(promise broken, std::string what) {
  found_.add({broken, head_.engine->machine().last_seq(), std::nullopt, std::move(what)});
}

void simulation::start_head() {
  // A node's late message about a lease of an earlier head must not match a lease of this one.
  constexpr std::uint64_t most_leases = 1'000'000'000;
  head_ = {};
  head_.rules = asked_rules{make_rules_()};
  head_.engine = std::make_unique<engine>(experiment{settings_, head_.rules.judge().traits(),
                                                     head_.rules.source().traits(),
                                                     head_.rules.take_stoppers()},
                                          *this);
  head_.ledger = std::make_unique<ledger>(epoch_ * most_leases + 1);
  const auto& log = log_.events();
  clock_.begin_head(agenda_.now(), log.empty() ? instant{0} : log.back().at);
  conduct_.nothing_granted();
}

void simulation::open() {
  ++epoch_;
  tell(on::opened{epoch_, "simulation", "{}", settings_.seed, opening::at_once, on::present_draws});
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for_head([this, i] { come_in(i); });
  // One that failed when it was told the record.
  if (head_.rules.has_failure())
    for_head([this] { tell_failures(); });
}

void simulation::tell(event_body what) {
  head_.engine->post(std::move(what), elapsed());
  if (!how_.records)
    head_.engine->durable(head_.engine->machine().last_seq());
}

void simulation::post(event_body what) {
  tell(std::move(what));
}

void simulation::run(std::size_t most) {
  if (epoch_ == 0)
    open();
  while (!finished_ && log_.events().size() < most && found_.empty()) {
    while (!faults_due_.empty() && counts_.events >= faults_due_.back()) {
      faults_due_.pop_back();
      inject();
    }
    auto due = head_.engine->machine().next_deadline();
    if (due)
      *due = clock_.time_of(*due);
    if (agenda_.empty() && !due) {
      // A client may have suspended or held trials on purpose.
      if (auto seen = head_.engine->machine().view(); seen.suspended || seen.held > 0)
        return;
      report_broken(promise::nothing_lost_or_doubled, "everything stands still before the end");
      return;
    }
    if (due && (agenda_.empty() || *due < *agenda_.next())) {
      agenda_.pass(*due);
      head_.engine->pass(elapsed());
      if (!how_.records)
        head_.engine->durable(head_.engine->machine().last_seq());
      continue;
    }
    agenda_.step();
  }
  if (finished_)
    end_of_run();
}

/// Delivers late messages, which must do no harm, and checks that nothing is left.
void simulation::end_of_run() {
  clock_.stop(agenda_.now());
  while (!agenda_.empty())
    agenda_.step();
  for (const auto& [attempt, x] : processes_)
    found_.add({promise::no_leftovers, 0, x.trial,
                "the process of attempt " + to_text(attempt) + " outlives the experiment"});
}

void simulation::record(const event& what) {
  // All effects of the previous event are done by now.
  if (how_.hashes && hashes_.size() < log_.events().size())
    note_hash();
  ++counts_.events;
  if (const auto* saved = std::get_if<on::saved>(&what.what))
    disk_.number(saved->checkpoint, saved->location);
  if (!how_.records)
    return;
  log_.append(what);
  if (!log_.is_committing())
    commit();
}

void simulation::commit() {
  log_.begin_commit();
  for_head([this] {
    log_.end_commit();
    conduct_.on_disk(log_.on_disk());
    confirm_words();
    for_head([this, seq = log_.on_disk()] { head_.engine->durable(seq); });
    if (!log_.is_on_disk())
      commit();
  });
}

void simulation::note_hash() {
  hashes_.push_back(digest_of(head_.engine->machine(), head_.rules.judge(), head_.rules.source()));
}

void simulation::lose_head() {
  if (how_.hashes && hashes_.size() < log_.events().size())
    note_hash();
  auto lived = std::exchange(hashes_, {});
  const auto before = log_.events().size();
  // A commit under way may have reached the disk completely before anybody heard of it.
  log_.crash(log_.is_committing() && happens(0.5));
  std::optional<std::uint64_t> digest;
  if (log_.on_disk() == before)
    digest = digest_of(head_.engine->machine(), head_.rules.judge(), head_.rules.source());
  conduct_.head_lost(log_.on_disk());
  finished_.reset();
  start_head();
  replay(lived);
  if (digest
      && *digest != digest_of(head_.engine->machine(), head_.rules.judge(), head_.rules.source()))
    report_broken(promise::replay, "the recovered state differs");
  lose_words();
  open();
  if (outlives_heads())
    await_attempts();
  else
    for (auto [trial, attempt] : head_.engine->machine().open_attempts())
      tell(on::ended{trial, attempt, end_class::interrupted, "its head was lost", {}});
  head_.engine->resume(elapsed());
}

void simulation::replay(const std::vector<std::uint64_t>& lived) {
  std::set<checkpoint_id> registered;
  for (const auto& x : log_.events()) {
    head_.engine->replay(x);
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
    for (auto [trial, attempt] : head_.engine->machine().open_attempts())
      going_on.insert(trial);
  }
  // Unregistered checkpoints are swept, and those in memory were lost with the head.
  disk_.sweep([&](checkpoint_id id, const simulated_checkpoint& x) {
    return registered.contains(id) || going_on.contains(x.trial);
  });
}

findings simulation::check() const {
  auto result = found_;
  result.add(conduct_.found());
  if (!how_.records)
    return result;
  replay_check again{settings_, make_rules_()};
  for (const auto& x : log_.events())
    again.apply(x);
  again.end();
  result.add(again.found());
  if (again.digest()
      != digest_of(head_.engine->machine(), head_.rules.judge(), head_.rules.source()))
    result.add({promise::replay, log_.events().size(), std::nullopt,
                "the log leads to another state than the one that was lived"});
  return result;
}

} // namespace tune
