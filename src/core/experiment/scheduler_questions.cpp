// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler_questions.hpp"

#include <algorithm>
#include <variant>

namespace tune {

bool makes_answers_old(const decltype(scheduler_fact::what)& news) {
  const auto* verdict = std::get_if<fact::decided>(&news);
  if (verdict == nullptr)
    return !std::holds_alternative<fact::result>(news);
  const auto& actions = verdict->what.actions;
  return !std::all_of(actions.begin(), actions.end(),
                      [](const action& x) { return std::holds_alternative<go_on>(x.what); });
}

void choice_question::hear(const decltype(scheduler_fact::what)& news) {
  nobody_ = false;
  if (!std::holds_alternative<fact::chosen>(news))
    refused_ = 0;
  has_news_ = has_news_ || makes_answers_old(news);
}

} // namespace tune
