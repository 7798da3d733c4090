// SPDX-License-Identifier: BSD-3-Clause
#include "support/world.hpp"

#include <algorithm>
#include <utility>

namespace tune::support {

using std::chrono::milliseconds;

void counting_searcher::apply(const searcher_fact& what) {
  if (const auto* x = std::get_if<suggested_fact>(&what.what)) {
    if (const auto* list = std::get_if<std::vector<suggestion>>(&x->what))
      made_ += list->size();
  } else {
    ++heard_;
  }
}

proposal counting_searcher::propose(const ask& question) const {
  if (made_ == count_)
    return exhausted{"all are out"};
  // Every fifth question comes too early, as long as somebody is there to change that.
  if (question.number % 5 == 4 && heard_ % 2 == 1)
    return nothing_yet{};
  std::vector<suggestion> result;
  for (auto i = made_; i < count_ && result.size() < question.count; ++i)
    result.push_back(
        {std::make_shared<object>(object{{"x", static_cast<std::int64_t>(i)}}), "count"});
  return result;
}

world::world(world_options how, experiment_settings settings, make_scheduler maker)
    : how_{how}
    , settings_{std::move(settings)}
    , maker_{std::move(maker)}
    , chance_{how.seed, "world", 0} {
  start_engine();
}

void world::start_engine() {
  scheduler_ = maker_();
  searcher_ = std::make_unique<counting_searcher>(how_.trials, how_.ahead);
  engine_ = std::make_unique<engine>(
      experiment{settings_, scheduler_->traits(), searcher_->traits(), {}}, *this);
}

void world::open() {
  engine_->post(on::opened{++epoch_, "test", "{}", settings_.seed}, now_);
}

void world::run(std::size_t most) {
  if (epoch_ == 0)
    open();
  while (!finished_ && log_.size() < most && violation_.empty()) {
    auto due = engine_->machine().next_deadline();
    if (agenda_.empty() && !due) {
      violation_ = "everything stands still before the end";
      return;
    }
    if (due && (agenda_.empty() || *due < agenda_.top().at)) {
      now_ = std::max(now_, *due);
      engine_->pass(now_);
      continue;
    }
    auto next = agenda_.top();
    agenda_.pop();
    now_ = std::max(now_, next.at);
    next.what();
  }
  // Late messages after the end must do no harm.
  while (finished_ && !agenda_.empty()) {
    auto next = agenda_.top();
    agenda_.pop();
    next.what();
  }
}

void world::crash() {
  if (hashes_.size() < log_.size())
    note_hash();
  agenda_ = {};
  fakes_.clear();
  waiting_.clear();
  holding_.clear();
  finished_.reset();
  log_.resize(durable_);
  seen_.clear();
  auto lived = std::exchange(hashes_, {});
  start_engine();
  for (const auto& x : log_) {
    engine_->replay(x);
    check(x);
    note_hash();
    if (hashes_.back() != lived[x.seq - 1] && violation_.empty())
      violation_ = "R1: the recovered state differs at seq " + std::to_string(x.seq);
  }
  open();
  for (auto [trial, attempt] : engine_->machine().open_attempts())
    engine_->post(on::ended{trial, attempt, end_class::interrupted, "the head was lost", {}}, now_);
  engine_->resume(now_);
}

void world::later(std::function<void()> what) {
  auto delay = milliseconds{how_.most_delay == 0 ? 0 : chance_.below(how_.most_delay + 1)};
  agenda_.push({now_ + delay, ++order_, std::move(what)});
}

void world::deliver(event_body what) {
  auto copies = how_.doubled > 0 && chance_.unit() < how_.doubled ? 2 : 1;
  for (int i = 0; i < copies; ++i)
    later([this, what] { engine_->post(what, now_); });
}

void world::record(const event& what) {
  // All that the event before has caused is done by now.
  if (hashes_.size() < log_.size())
    note_hash();
  log_.push_back(what);
  check(what);
  later([this, seq = what.seq] {
    durable_ = std::max<std::size_t>(durable_, std::min<std::size_t>(seq, log_.size()));
    engine_->durable(durable_);
  });
}

void world::note_hash() {
  fingerprint all;
  engine_->machine().describe(all);
  scheduler_->describe(all);
  searcher_->describe(all);
  hashes_.push_back(all.digest());
}

void world::check(const event& what) {
  const auto* x = std::get_if<on::reported>(&what.what);
  if (x == nullptr)
    return;
  auto [known, fresh] = seen_.emplace(std::pair{x->what->attempt, x->what->iteration}, what.seq);
  if (!fresh)
    violation_ = "(attempt, iteration) recorded twice: " + to_text(x->what->attempt);
}

void world::carry_out(const command& what) {
  carried_.push_back(what);
  if (const auto* x = std::get_if<cmd::tell_scheduler>(&what.what)) {
    scheduler_->apply(x->what);
  } else if (const auto* told = std::get_if<cmd::tell_searcher>(&what.what)) {
    searcher_->apply(told->what);
  } else if (const auto* asked = std::get_if<cmd::ask_searcher>(&what.what)) {
    later([this, question = asked->what] {
      engine_->post(on::suggested{question.number, searcher_->propose(question)}, now_);
    });
  } else if (const auto* judged = std::get_if<cmd::judge>(&what.what)) {
    later([this, q = *judged] { deliver(on::decided{{scheduler_->judge(q.cause, q.trial)}}); });
  } else if (const auto* chosen = std::get_if<cmd::choose>(&what.what)) {
    later([this, q = *chosen] {
      engine_->post(on::chosen{scheduler_->choose(q.at, q.count)}, now_);
    });
  } else if (const auto* stall = std::get_if<cmd::resolve_stall>(&what.what)) {
    later([this, q = *stall] { engine_->post(on::decided{{scheduler_->on_stall(q.at)}}, now_); });
  } else if (const auto* placing = std::get_if<cmd::place>(&what.what)) {
    waiting_.emplace_back(placing->trial, placing->request);
    later([this] { grant(); });
  } else if (const auto* cancelled = std::get_if<cmd::cancel_place>(&what.what)) {
    std::erase_if(waiting_, [&](const auto& w) { return w.first == cancelled->trial; });
  } else if (const auto* launched = std::get_if<cmd::launch>(&what.what)) {
    carry(*launched);
  } else if (const auto* proceeds = std::get_if<cmd::proceed>(&what.what)) {
    carry(*proceeds);
  } else if (const auto* saves = std::get_if<cmd::save>(&what.what)) {
    carry(*saves);
  } else if (const auto* halts = std::get_if<cmd::halt>(&what.what)) {
    carry(*halts);
  } else if (const auto* discards = std::get_if<cmd::discard>(&what.what)) {
    carry(*discards);
  } else if (const auto* over = std::get_if<cmd::finish>(&what.what)) {
    finished_ = *over;
  }
}

void world::grant() {
  while (!waiting_.empty() && holding_.size() < how_.slots) {
    auto id = waiting_.front().first;
    waiting_.erase(waiting_.begin());
    holding_.insert(id);
    most_running_ = std::max<std::uint64_t>(most_running_, holding_.size());
    lease granted{lease_id{++leases_}, {{"here", {}, {}}}};
    if (how_.helpers)
      granted.bundles.push_back({"there", {}, {}});
    engine_->post(on::placed{id, engine_->machine().next_attempt(), granted}, now_);
  }
}

void world::carry(const cmd::launch& x) {
  fakes_[x.trial] = {x.attempt, 0, x.iteration, false};
  if (x.from && !disk_.contains(x.from))
    violation_ = "checkpoint " + std::to_string(x.from.number) + " is to be restored, but gone";
  later([this, x] {
    if (x.from && chance_.unit() < how_.bad_restore)
      return end(x.trial, x.attempt, end_class::bad_checkpoint, "torn");
    deliver(on::started{x.trial, x.attempt, 1});
    advance(x.trial, x.attempt);
  });
}

void world::advance(trial_id id, attempt_id attempt) {
  auto known = fakes_.find(id);
  if (known == fakes_.end() || known->second.attempt != attempt || known->second.ending)
    return;
  auto& fake = known->second;
  if (chance_.unit() < how_.failure)
    return end(id, attempt, end_class::user_error, "boom");
  if (fake.iteration == how_.iterations)
    return end(id, attempt, end_class::finished);
  auto what = std::make_shared<report>();
  what->trial = id;
  what->attempt = attempt;
  what->number = ++fake.number;
  what->iteration = ++fake.iteration;
  auto loss = 1.0 / static_cast<double>(fake.iteration + id.number);
  what->metrics = std::make_shared<object>(object{{"loss", loss}});
  deliver(on::reported{what});
}

void world::end(trial_id id, attempt_id attempt, end_class how, std::string detail) {
  fakes_[id].ending = true;
  later([this, id, attempt, how, detail] {
    fakes_.erase(id);
    holding_.erase(id);
    engine_->post(on::ended{id, attempt, how, detail, {}}, now_);
    if (how_.doubled > 0)
      engine_->post(on::ended{id, attempt, how, detail, {}}, now_);
    grant();
  });
}

void world::carry(const cmd::proceed& x) {
  later([this, x] {
    auto known = fakes_.find(x.trial);
    if (known != fakes_.end() && known->second.number == x.number)
      advance(x.trial, x.attempt);
  });
}

void world::carry(const cmd::save& x) {
  later([this, x] {
    auto known = fakes_.find(x.trial);
    if (known == fakes_.end() || known->second.attempt != x.attempt || known->second.ending)
      return;
    auto failed = chance_.unit() < how_.save_failure;
    if (failed)
      deliver(on::save_failed{x.trial, x.attempt, x.checkpoint, "disk full"});
    else
      deliver(on::saved{x.trial,
                        x.attempt,
                        x.checkpoint,
                        x.iteration,
                        {},
                        "there/" + std::to_string(x.checkpoint.number),
                        1});
    if (!failed)
      disk_[x.checkpoint] = x.trial;
    if (!x.then_end)
      later([this, x] { advance(x.trial, x.attempt); });
    else if (!failed)
      // Its end comes after its news, on the same way.
      agenda_.push({now_ + milliseconds{how_.most_delay + 1}, ++order_, [this, x] {
                      auto still = fakes_.find(x.trial);
                      if (still != fakes_.end() && still->second.attempt == x.attempt
                          && !still->second.ending)
                        end(x.trial, x.attempt, end_class::stopped);
                    }});
  });
}

void world::carry(const cmd::halt& x) {
  later([this, x] {
    auto known = fakes_.find(x.trial);
    if (known != fakes_.end() && known->second.attempt == x.attempt && !known->second.ending)
      end(x.trial, x.attempt, x.how == halt_mode::kill ? end_class::killed : end_class::stopped);
  });
}

void world::carry(const cmd::discard& x) {
  later([this, x] {
    disk_.erase(x.checkpoint);
    deliver(on::checkpoint_gone{x.checkpoint});
  });
}

namespace {

/// Feeds facts to the rules and drops everything else.
struct silent_ports : engine_ports {
  scheduler* rule = nullptr;
  searcher* search = nullptr;
  void record(const event&) override {}
  void carry_out(const command& what) override {
    if (const auto* x = std::get_if<cmd::tell_scheduler>(&what.what))
      rule->apply(x->what);
    else if (const auto* y = std::get_if<cmd::tell_searcher>(&what.what))
      search->apply(y->what);
  }
};

} // namespace

std::vector<std::uint64_t> replay_hashes(const std::vector<event>& log, const world_options& how,
                                         const experiment_settings& settings,
                                         const world::make_scheduler& maker) {
  auto rule = maker();
  counting_searcher search{how.trials, how.ahead};
  silent_ports ports;
  ports.rule = rule.get();
  ports.search = &search;
  engine uut{experiment{settings, rule->traits(), search.traits(), {}}, ports};
  std::vector<std::uint64_t> result;
  for (const auto& x : log) {
    uut.replay(x);
    fingerprint all;
    uut.machine().describe(all);
    rule->describe(all);
    search.describe(all);
    result.push_back(all.digest());
  }
  return result;
}

} // namespace tune::support
