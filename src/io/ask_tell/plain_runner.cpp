// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/ask_tell/plain_runner.hpp"

#include "tune/core/experiment/rule_answers.hpp"
#include "tune/trainable/drive.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace tune {

namespace {

template <class Command>
constexpr bool acts_on_trials
    = std::disjunction_v<std::is_same<Command, cmd::place>,
                         std::is_same<Command, cmd::cancel_place>,
                         std::is_same<Command, cmd::release>, std::is_same<Command, cmd::launch>,
                         std::is_same<Command, cmd::proceed>, std::is_same<Command, cmd::save>,
                         std::is_same<Command, cmd::halt>, std::is_same<Command, cmd::discard>>;

} // namespace

plain_runner::plain_runner(experiment machine, std::unique_ptr<scheduler> judge,
                           std::unique_ptr<searcher> source, plain_runner_ports& world,
                           trial_side& trials)
    : loop_{std::move(machine), *this}
    , judge_{std::move(judge)}
    , source_{std::move(source)}
    , world_{world}
    , trials_{trials} {}

void plain_runner::replay(const event& what) {
  trials_.see(what);
  loop_.replay(what);
}

expected<void> plain_runner::open(on::opened how) {
  auto goes_on = machine().last_seq() > 0;
  loop_.durable(machine().last_seq());
  post(std::move(how));
  if (auto done = settle(); !done || !goes_on)
    return done;
  loop_.resume(world_.now());
  return settle();
}

void plain_runner::post(event_body what) {
  loop_.post(std::move(what), world_.now());
}

void plain_runner::pass() {
  loop_.pass(world_.now());
}

expected<void> plain_runner::settle() {
  while (!broken_) {
    work();
    if (items_.empty())
      return {};
    if (auto done = world_.commit(items_); !done) {
      broken_ = done.error();
      break;
    }
    items_.clear();
    loop_.durable(machine().last_seq());
  }
  return *broken_;
}

/// Processes all events; answers of the rules come before any other event.
void plain_runner::work() {
  for (;;) {
    if (!asked_.empty()) {
      answer();
    } else if (!later_.empty()) {
      auto next = std::move(later_.front());
      later_.pop_front();
      post(std::move(next));
    } else {
      return;
    }
  }
}

/// Makes all answers of a turn before the first of them is posted.
void plain_runner::answer() {
  auto turn = std::exchange(asked_, {});
  std::vector<event_body> answers;
  with(judge_, "the scheduler", [&](const scheduler& rule) {
    on::decided verdicts;
    for (const auto& x : turn.judge)
      verdicts.answers.push_back(answer_about(x.cause, rule.judge(x.cause, x.trial)));
    for (const auto& x : turn.stalls)
      verdicts.answers.push_back(answer_about(x.at, rule.on_stall(x.at)));
    if (!verdicts.answers.empty())
      answers.emplace_back(std::move(verdicts));
    for (const auto& x : turn.choose)
      answers.emplace_back(on::chosen{rule.choose(x.at, x.count)});
  });
  with(source_, "the searcher", [&](const searcher& rule) {
    for (const auto& x : turn.asks)
      answers.emplace_back(answer_to(x.what, rule.propose(x.what)));
  });
  for (auto& x : answers)
    post(std::move(x));
}

/// Calls `f` on a rule. A user-defined rule may throw, which discards the rule.
template <class Rule, class F>
void plain_runner::with(std::unique_ptr<Rule>& rule, const char* name, F f) {
  if (rule == nullptr)
    return;
  try {
    f(*rule);
  } catch (...) {
    post_later(rule_failed(name, current_exception_text()));
    rule.reset();
  }
}

void plain_runner::carry(const cmd::tell_scheduler& x) {
  with(judge_, "the scheduler", [&](scheduler& rule) { rule.apply(x.what); });
}

void plain_runner::carry(const cmd::tell_searcher& x) {
  with(source_, "the searcher", [&](searcher& rule) { rule.apply(x.what); });
}

void plain_runner::record(const event& what) {
  items_.emplace_back(what);
  trials_.see(what);
}

void plain_runner::carry_out(const command& what) {
  std::visit(
      [&]<class Command>(const Command& x) {
        if constexpr (is_row<Command>) {
          items_.emplace_back(what.cause, x);
        } else if constexpr (std::is_same_v<Command, cmd::finish>) {
          items_.emplace_back(what.cause, x);
          finished_ = x;
          if (x.status == experiment_status::interrupted)
            world_.warn("the experiment leaves off: " + x.why);
        } else if constexpr (acts_on_trials<Command>) {
          trials_.carry_out(what);
        } else {
          carry(x);
        }
      },
      what.what);
}

} // namespace tune
