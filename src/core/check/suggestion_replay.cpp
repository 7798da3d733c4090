// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/check/suggestion_replay.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

bool is_same(const proposal& what, const std::vector<suggestion>& recorded) {
  const auto* list = std::get_if<std::vector<suggestion>>(&what);
  return list != nullptr
         && std::equal(list->begin(), list->end(), recorded.begin(), recorded.end(),
                       [](const suggestion& a, const suggestion& b) {
                         return a.origin == b.origin && *a.config == *b.config;
                       });
}

} // namespace

plain_replay::plain_replay(const experiment_settings& settings, rule_set rules)
    : judge_{std::move(rules.judge)}
    , source_{std::move(rules.source)}
    , machine_{settings, judge_->traits(), source_->traits(), std::move(rules.stoppers)} {}

std::vector<command> plain_replay::apply(const event& what) {
  auto gave = machine_.apply(what);
  // The scheduler is never asked, so it hears nothing: its answers are the recorded ones.
  for (const auto& x : gave) {
    if (const auto* heard = std::get_if<cmd::tell_searcher>(&x.what))
      source_->apply(heard->what);
  }
  return gave;
}

bool answer_search::apply(const event& what) {
  auto begins = false;
  for (const auto& x : replay_.apply(what)) {
    if (const auto* asked = std::get_if<cmd::ask_searcher>(&x.what))
      asked_ = asked->what;
    else if (const auto* told = std::get_if<cmd::tell_searcher>(&x.what))
      hear(*told);
    else if (const auto* launched = std::get_if<cmd::launch>(&x.what))
      begins = begins || launched->trial == of_;
  }
  return !begins;
}

void answer_search::hear(const cmd::tell_searcher& what) {
  const auto* told = std::get_if<suggested_fact>(&what.what.what);
  const auto* list = told != nullptr ? std::get_if<std::vector<suggestion>>(&told->what) : nullptr;
  if (list == nullptr || of_ < told->first || of_.number >= told->first.number + list->size()
      || !asked_)
    return;
  found_ = recorded_answer{
      *asked_, *list, static_cast<std::size_t>(of_.number - told->first.number), what.what.seq};
}

bool suggestion_replay::apply(const event& what) {
  if (what.seq >= what_.at)
    return false;
  auto hears = false;
  for (const auto& x : replay_.apply(what)) {
    const auto* asks = std::get_if<cmd::ask_searcher>(&x.what);
    if (asks != nullptr && asks->what.number == what_.question.number)
      asked_ = hears = true;
    hears = hears || std::holds_alternative<cmd::tell_searcher>(x.what);
  }
  if (asked_ && hears)
    look();
  return !found_.is_same && tries_ < most_tries;
}

/// Asks the searcher in its present state.
void suggestion_replay::look() {
  const auto& source = replay_.source();
  auto is_first = ++tries_ == 1;
  auto same = source.traits().recomputes && is_same(source.propose(what_.question), what_.what);
  if (same || is_first)
    found_ = {source.explain(what_.question, what_.what, what_.which), same};
}

} // namespace tune
