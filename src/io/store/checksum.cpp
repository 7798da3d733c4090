// SPDX-License-Identifier: BSD-3-Clause
#include "checksum.hpp"

#include <array>
#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tune::store {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie");

std::int64_t checksum(std::span<const std::int64_t> numbers, std::string_view text,
                      std::optional<std::string_view> more) {
  auto hash = XXH3_64bits(numbers.data(), numbers.size_bytes());
  hash = XXH3_64bits_withSeed(text.data(), text.size(), hash);
  if (more)
    hash = XXH3_64bits_withSeed(more->data(), more->size(), hash);
  return std::bit_cast<std::int64_t>(hash);
}

std::int64_t trial_checksum(std::int64_t trial, std::optional<std::string_view> config,
                            std::string_view origin) {
  const std::array<std::int64_t, 2> numbers{trial, config ? 1 : 0};
  return checksum(numbers, config.value_or(""), origin);
}

} // namespace tune::store
