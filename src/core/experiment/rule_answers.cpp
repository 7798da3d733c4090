// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/rule_answers.hpp"

#include <stdexcept>
#include <string>

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

} // namespace tune
