// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <limits>
#include <stdexcept>
#include <vector>

namespace tune {

namespace {

std::string hex_of(const unsigned char* bytes, std::size_t count) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  result.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    result += digits[bytes[i] >> 4];
    result += digits[bytes[i] & 15];
  }
  return result;
}

void draw(unsigned char* to, std::size_t count) {
  if (count > std::numeric_limits<int>::max() || RAND_bytes(to, static_cast<int>(count)) != 1)
    throw std::runtime_error{"OpenSSL can draw no random bytes on this machine"};
}

} // namespace

std::string hmac_of(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
  unsigned length = 0;
  if (key.size() > std::numeric_limits<int>::max())
    return {};
  const auto* done
      = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), raw.data(), &length);
  return done == nullptr ? std::string{} : hex_of(raw.data(), length);
}

bool are_equal_secrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> drawn(bytes);
  draw(drawn.data(), drawn.size());
  return hex_of(drawn.data(), drawn.size());
}

std::uint64_t random_number() {
  std::array<unsigned char, sizeof(std::uint64_t)> drawn{};
  draw(drawn.data(), drawn.size());
  std::uint64_t result = 0;
  for (const auto byte : drawn)
    result = result << 8 | byte;
  return result >> 1;
}

} // namespace tune
