// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/rule_answers.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace tune {

on::interrupted rule_failed(std::string_view which, std::string_view why) {
  return {std::string{which} + " failed: " + std::string{why}};
}

decision answer_about(sequence cause, decision answer) {
  if (answer.cause != cause)
    throw std::runtime_error{"it was asked about event " + std::to_string(cause)
                             + ", and answered about event " + std::to_string(answer.cause)};
  return answer;
}

on::suggested answer_to(const ask& question, proposal answer) {
  auto number = std::to_string(question.number);
  if (const auto* list = std::get_if<std::vector<suggestion>>(&answer)) {
    if (list->size() > question.count)
      throw std::runtime_error{"question " + number + " was for " + std::to_string(question.count)
                               + " configurations, and it proposed "
                               + std::to_string(list->size())};
    for (const auto& x : *list) {
      if (x.config == nullptr)
        throw std::runtime_error{"it answered question " + number
                                 + " with a suggestion that has no configuration"};
    }
  }
  return {question.number, std::move(answer)};
}

} // namespace tune
