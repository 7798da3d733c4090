/// The terminal of the full-screen view, by ncurses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/status_block.hpp"
#include "top/top_state.hpp"
#include "tune/core/error.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <span>

namespace tune::cli {

/// Owns the screen of the terminal while it lives, and gives it back as it was: at its end, while
/// the program is stopped (Ctrl-Z), and where a handler of a signal ends the loop. One at a time.
class top_terminal {
public:
  /// @errors `ec::unreadable`: stdin and stdout are no terminal, or `TERM` names none that can
  /// place
  ///         its cursor.
  [[nodiscard]] static expected<std::unique_ptr<top_terminal>> open(bool has_color);
  ~top_terminal();
  top_terminal(const top_terminal&) = delete;
  top_terminal& operator=(const top_terminal&) = delete;

  [[nodiscard]] terminal_size size() const;
  void draw(std::span<const top_line> lines);
  /// The next key; nothing: none came in time, or the size changed.
  [[nodiscard]] std::optional<top_key> key(std::chrono::milliseconds patience);

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit top_terminal(std::unique_ptr<impl> parts);
};

} // namespace tune::cli
