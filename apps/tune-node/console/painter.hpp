/// Redraws a block of lines in place at the bottom of a terminal; log lines scroll above it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/status_block.hpp"
#include "tune/core/ids.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// Owns the last lines of a terminal.
///
/// It has no side effects but those of its two functions: it takes time as an argument and never
/// waits. It changes no mode of the terminal, so a process that is killed leaves nothing to repair.
/// Not thread-safe.
class painter {
public:
  /// The shortest time between two frames: four a second.
  static constexpr std::chrono::milliseconds frame_time{250};

  using write_function = std::function<void(std::string_view)>;
  using size_function = std::function<terminal_size()>;
  using render_function = std::function<std::vector<std::string>(terminal_size)>;

  /// @param write Writes to the terminal, all of it; called once per frame.
  /// @param size  Asked at each frame, so that a resized terminal is noticed.
  painter(write_function write, size_function size);
  ~painter();
  painter(const painter&) = delete;
  painter& operator=(const painter&) = delete;

  /// Draws what `render` gives for the terminal's size, unless the last frame is too young; then
  /// `render` is not even called. Writes nothing if nothing changed.
  ///
  /// @param now Any monotonic time.
  /// @returns when to call again, if the last frame was too young.
  std::optional<instant> draw(const render_function& render, instant now);

  /// Writes lines above the block at once. @param text Printable already; line ends are added.
  void print_above(std::string_view text);

  /// Erases the block and leaves the cursor where it began. Also done at destruction.
  void finish();

private:
  write_function write_;
  size_function size_;
  std::vector<std::string> shown_;
  terminal_size shown_at_;
  std::optional<instant> last_frame_;

  /// Moves the cursor to the block's first line, however many rows the block takes by now.
  [[nodiscard]] std::string home(terminal_size size) const;
};

} // namespace tune::cli
