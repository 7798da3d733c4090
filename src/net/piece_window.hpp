/// Order and flow control of the pieces of a stream. A pure value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tune {

/// Pieces come in order, each of the size that was asked for, with up to `credit` of them under
/// way.
class piece_window {
public:
  /// @param bytes       Size of the whole stream.
  /// @param piece_bytes Size of each piece but the last. [>= 1]
  /// @param credit      Pieces under way. [>= 1]
  piece_window(std::uint64_t bytes, std::uint32_t piece_bytes, std::size_t credit)
      : bytes_{bytes}, piece_{piece_bytes}, room_{credit * std::uint64_t{piece_bytes}} {}

  struct piece {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
    friend bool operator==(const piece&, const piece&) = default;
  };
  /// The next piece to ask for now; call until there is none.
  [[nodiscard]] std::optional<piece> next_due() {
    if (asked_ >= bytes_ || asked_ - taken_ >= room_)
      return std::nullopt;
    piece result{asked_, size_at(asked_)};
    asked_ += result.size;
    return result;
  }

  /// Takes a piece in. @returns false if it is not the one that has to come next.
  [[nodiscard]] bool take(std::uint64_t offset, std::size_t size) {
    if (offset != taken_ || taken_ >= asked_ || size != size_at(taken_))
      return false;
    taken_ += size;
    return true;
  }

  [[nodiscard]] bool is_done() const { return taken_ == bytes_; }

private:
  std::uint64_t bytes_;
  std::uint32_t piece_;
  std::uint64_t room_;
  std::uint64_t asked_ = 0;
  std::uint64_t taken_ = 0;

  [[nodiscard]] std::uint32_t size_at(std::uint64_t offset) const {
    const auto rest = bytes_ - offset;
    return rest < piece_ ? static_cast<std::uint32_t>(rest) : piece_;
  }
};

} // namespace tune
