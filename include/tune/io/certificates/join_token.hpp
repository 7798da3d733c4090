/// Join tokens: whoever has one gets a certificate of the cluster's CA, once or a few times.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/certificates/certificate.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tune {

/// What a token's text holds: "tn1.ID.SECRET.FINGERPRINT", in lower-case hexadecimal digits.
struct join_token {
  /// Names the token in the book of the CA; no secret. [16 digits]
  std::string id;
  /// [32 digits, drawn at random]
  std::string secret;
  /// SHA-256 of the cluster's CA, by which the head is known before anything is sent to it.
  /// [64 digits]
  std::string authority;

  friend bool operator==(const join_token&, const join_token&) = default;
};

[[nodiscard]] std::string to_text(const join_token& x);
/// @errors `ec::bad_syntax` without the text, which is a secret.
[[nodiscard]] expected<join_token> join_token_from(std::string_view text);
/// Reads a token, or the file that holds it and that nobody else may read.
/// @errors `ec::bad_syntax`, `ec::refused`, `ec::unreadable`.
[[nodiscard]] expected<join_token> join_token_from_word(const std::string& word);

/// What a new token may be used for.
struct token_order {
  std::uint32_t uses = 1;
  std::chrono::seconds lifetime = std::chrono::hours{1};
  /// Name of the certificates; empty: whoever uses the token asks for one, and gets it with a
  /// random ending, so that nobody can take another's name.
  std::string name = {};
};

inline constexpr std::uint32_t most_token_uses = 10'000;
inline constexpr std::chrono::hours longest_token_lifetime{24 * 30};

/// The tokens of a CA: one file for each in the directory `tokens` beside its key, with a hash of
/// the secret, not the secret itself. Several processes may use one book.
class token_book {
public:
  /// @param directory The certificate directory with the CA's key.
  explicit token_book(const std::filesystem::path& directory) : place_{directory / "tokens"} {}

  /// Makes a token, and removes those that are expired.
  /// @param authority Fingerprint of the CA.
  [[nodiscard]] expected<join_token> make(const std::string& authority, const token_order& what,
                                          calendar_time now) const;

  /// Uses a token once; after a crash it may count as used although nobody got a certificate.
  /// @returns the name that it is for; empty: any.
  /// @errors `ec::refused`: unknown, or with another secret; to whoever knows the secret also that
  ///         it has expired or is used up. `ec::storage`.
  [[nodiscard]] expected<std::string> spend(const join_token& what, calendar_time now) const;

private:
  std::filesystem::path place_;
};

} // namespace tune
