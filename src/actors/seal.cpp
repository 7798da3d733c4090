// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/seal.hpp"

#include "tune/io/files/sha256.hpp"

#include <array>
#include <random>

namespace tune {

namespace {

/// No two claims have the same.
std::string words_of(const attempt_claim& who) {
  return std::to_string(who.job.size()) + ' ' + who.job + ' ' + std::to_string(who.trial) + ' '
         + std::to_string(who.attempt.epoch) + ' ' + std::to_string(who.attempt.counter) + ' '
         + who.restore_from;
}

} // namespace

std::string fresh_secret() {
  std::random_device chance;
  std::array<std::uint32_t, 16> drawn{};
  std::string result;
  for (auto& x : drawn) {
    x = chance();
    result += std::to_string(x) + '.';
  }
  return sha256_of(result);
}

std::uint64_t fresh_number() {
  std::random_device chance;
  return (std::uint64_t{chance()} << 31) ^ chance();
}

std::string seal_of(const std::string& secret, const attempt_claim& who) {
  if (secret.empty())
    return {};
  // Twice, since a hash of this kind can be continued by who knows it.
  return sha256_of(secret + sha256_of(secret + words_of(who)));
}

bool is_sealed(const std::string& secret, const attempt_claim& who) {
  const auto right = seal_of(secret, who);
  if (right.empty() || right.size() != who.seal.size())
    return false;
  // Takes as long however much of it is right.
  unsigned wrong = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    wrong |= static_cast<unsigned char>(right[i] ^ who.seal[i]);
  return wrong == 0;
}

} // namespace tune
