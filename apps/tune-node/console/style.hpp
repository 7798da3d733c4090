/// Colours, and when to use them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tune::cli {

/// The value of `--color`.
enum class color_mode : std::uint8_t { automatic, always, never };

/// Variables of the environment that describe terminals. Unset is not the same as empty.
struct terminal_environment {
  std::optional<std::string> no_color;
  std::optional<std::string> force_color;
  std::optional<std::string> clicolor_force;
  std::optional<std::string> term;

  /// Reads `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE` and `TERM`.
  [[nodiscard]] static terminal_environment of_process();
};

/// Tells whether to write colours.
///
/// `--color` takes precedence. Then a non-empty `NO_COLOR` forbids colours, a non-empty
/// `FORCE_COLOR` or `CLICOLOR_FORCE` other than "0" demands them; otherwise `TERM` must be set and
/// not "dumb", and the stream a terminal.
[[nodiscard]] bool wants_color(color_mode mode, const terminal_environment& env, bool is_terminal);

/// Tells whether a block can be redrawn in place: on a terminal that knows cursor movement.
[[nodiscard]] bool can_redraw(const terminal_environment& env, bool is_terminal);

/// The meanings that have a colour.
enum class tint : std::uint8_t { plain, strong, faint, good, warning, bad, accent };

/// Paints text, or leaves it as it is.
class style {
public:
  style() = default;
  explicit style(bool color) : color_{color} {}

  [[nodiscard]] bool has_color() const { return color_; }
  /// `text` in the colour of `x`; unchanged without colours, and when it is empty.
  [[nodiscard]] std::string paint(tint x, std::string_view text) const;

private:
  bool color_ = false;
};

} // namespace tune::cli
