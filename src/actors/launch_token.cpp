// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/launch_token.hpp"

#include "tune/io/files/hmac.hpp"

namespace tune {

namespace {

/// The signed fields of a claim as text; the text is different if any of these fields is.
std::string words_of(const attempt_claim& who) {
  return std::to_string(who.job.size()) + ' ' + who.job + ' ' + std::to_string(who.trial) + ' '
         + std::to_string(who.attempt.epoch) + ' ' + std::to_string(who.attempt.counter) + ' '
         + who.restore_from;
}

} // namespace

std::string fresh_secret() {
  return random_hex(32);
}

std::uint64_t fresh_number() {
  return random_number();
}

std::string launch_token_of(const std::string& secret, const attempt_claim& who) {
  return secret.empty() ? std::string{} : hmac_of(secret, words_of(who));
}

bool has_launch_token(const std::string& secret, const attempt_claim& who) {
  const auto right = launch_token_of(secret, who);
  return !right.empty() && are_equal_secrets(right, who.launch_token);
}

} // namespace tune
