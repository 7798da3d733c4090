// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/asked_rules.hpp"

#include "tune/core/experiment/rule_answers.hpp"

#include <exception>

namespace tune {

/// Calls `f`, unless the rule has failed before.
template <class F>
void asked_rules::guard(bool& has_failed, std::string_view which, F f) {
  if (has_failed)
    return;
  has_failed = true;
  try {
    f();
    has_failed = false;
  } catch (const std::exception& why) {
    failures_.push_back(rule_failed(which, why.what()));
  } catch (...) {
    failures_.push_back(rule_failed(which, "an exception"));
  }
}

template <class F>
std::optional<event_body> asked_rules::ask_judge(F f) {
  std::optional<event_body> result;
  guard(judge_failed_, "the scheduler", [&] { result = f(*rules_.judge); });
  return result;
}

void asked_rules::apply(const scheduler_fact& what) {
  guard(judge_failed_, "the scheduler", [&] { rules_.judge->apply(what); });
}

void asked_rules::apply(const searcher_fact& what) {
  guard(source_failed_, "the searcher", [&] { rules_.source->apply(what); });
}

std::optional<event_body> asked_rules::answer(const cmd::judge& question) {
  return ask_judge([&](const scheduler& rule) -> event_body {
    auto later = rule.judge_later(question.cause, question.trial);
    auto verdict = later ? later() : rule.judge(question.cause, question.trial);
    return on::decided{{answer_about(question.cause, std::move(verdict))}};
  });
}

std::optional<event_body> asked_rules::answer(const cmd::choose& question) {
  return ask_judge([&](const scheduler& rule) -> event_body {
    return on::chosen{rule.choose(question.at, question.count)};
  });
}

std::optional<event_body> asked_rules::answer(const cmd::resolve_stall& question) {
  return ask_judge([&](const scheduler& rule) -> event_body {
    return on::decided{{answer_about(question.at, rule.on_stall(question.at))}};
  });
}

std::optional<event_body> asked_rules::answer(const cmd::ask_searcher& question) {
  std::optional<event_body> result;
  guard(source_failed_, "the searcher",
        [&] { result = answer_to(question.what, rules_.source->propose(question.what)); });
  return result;
}

std::optional<on::interrupted> asked_rules::take_failure() {
  if (failures_.empty())
    return std::nullopt;
  auto result = std::move(failures_.front());
  failures_.erase(failures_.begin());
  return result;
}

} // namespace tune
