/// The directory by which the processes of one launch find and trust each other.
///
///     head.json     addresses of the head; written when it listens
///     certs/        certificate directory of the head; its CA's key is gone once all are issued
///     rank-K/       certificate directory of rank K; rank K removes it when it goes
///     end.json      the exit code of rank 0, and with it of all
///     program.tar   what `launch` copies to other machines
///     lock          held by rank 0
///
/// All of it belongs to one user and is closed to others. Rank 0 makes it anew, and removes it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"
#include "tune/io/probe/peer_address.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// Where the head of a launch listens.
struct head_place {
  /// Drawn by rank 0: tells one start from the next in the same directory.
  std::string token;
  /// The same port at different addresses, the likeliest first. [not empty]
  std::vector<peer_address> addresses;

  friend bool operator==(const head_place&, const head_place&) = default;
};

/// How a launch ended.
struct launch_end {
  /// See `head_place::token`.
  std::string token;
  /// Exit code of rank 0, and with it of all.
  int code = 0;

  friend bool operator==(const launch_end&, const launch_end&) = default;
};

[[nodiscard]] std::string to_json(const head_place& x);
/// @errors `ec::bad_option`, `ec::bad_syntax`.
[[nodiscard]] expected<head_place> head_place_from_json(std::string_view text);

/// The directory as rank 0 has it, from making to removing it. For one thread.
class led_rendezvous {
public:
  /// Makes the directory, removes what an earlier launch left in it, and issues certificates.
  /// @param size Number of processes, with rank 0. [>= 1]
  /// @errors `ec::refused` if another process leads a launch there, or the directory belongs to, or
  ///         is open to, others; `ec::storage`.
  [[nodiscard]] static expected<led_rendezvous> make(const std::filesystem::path& directory,
                                                     std::uint64_t size);

  /// The head's certificate directory.
  [[nodiscard]] std::filesystem::path certificates() const { return directory_ / "certs"; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  /// The certificate directory of another rank. [1 to size - 1]
  [[nodiscard]] std::filesystem::path certificates_of(std::uint64_t rank) const;
  /// Removes the certificates of another rank.
  void forget(std::uint64_t rank) const;
  /// Tells the other ranks where the head listens. @errors `ec::storage`.
  [[nodiscard]] expected<void> tell(std::uint16_t port) const;
  /// Tells the other ranks how all of it ended, waits until these have gone, at most
  /// `patience`, and removes the directory.
  void end(int code, std::chrono::milliseconds patience);

private:
  led_rendezvous(std::filesystem::path directory, store::descriptor lock, std::string token)
      : directory_{std::move(directory)}, lock_{std::move(lock)}, token_{std::move(token)} {}

  std::filesystem::path directory_;
  store::descriptor lock_;
  std::string token_;
};

/// The directory as another rank sees it.
class joined_rendezvous {
public:
  joined_rendezvous(std::filesystem::path directory, std::uint64_t rank)
      : directory_{std::move(directory)}, rank_{rank} {}

  [[nodiscard]] std::filesystem::path certificates() const {
    return directory_ / ("rank-" + std::to_string(rank_));
  }
  /// Where the head listens, if it does. @errors `ec::refused` as for `led_rendezvous::make`;
  /// `ec::storage`; nothing if rank 0 has not got so far.
  [[nodiscard]] expected<std::optional<head_place>> head() const;
  /// How the launch ended, once rank 0 has; nothing: it has not, or all of that is gone already. A
  /// rank 0 that was killed at its very end leaves it lying: see `is_led`.
  [[nodiscard]] std::optional<launch_end> end() const;
  /// Whether a rank 0 is there, as far as can be seen: see `is_locked_in`.
  [[nodiscard]] bool is_led() const;
  /// Whether what lies here is of this start of rank 0, and of no other.
  [[nodiscard]] bool is_of(const std::string& token) const;
  /// This rank needs nothing more from here.
  /// @param token That of the head for which it worked: what a later launch made is left alone;
  ///              empty: it worked for none.
  void leave(const std::string& token) const;

private:
  std::filesystem::path directory_;
  std::uint64_t rank_;
};

} // namespace tune::cli
