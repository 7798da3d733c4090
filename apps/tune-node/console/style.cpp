// SPDX-License-Identifier: BSD-3-Clause
#include "console/style.hpp"

#include <cstdlib>

namespace tune::cli {
namespace {

std::optional<std::string> variable(const char* name) {
  const auto* text = std::getenv(name);
  return text == nullptr ? std::nullopt : std::optional<std::string>{text};
}

bool is_set(const std::optional<std::string>& x) {
  return x && !x->empty();
}

bool demands(const std::optional<std::string>& x) {
  return is_set(x) && *x != "0";
}

std::string_view code_of(tint x) {
  switch (x) {
    case tint::plain:
      break;
    case tint::strong:
      return "1";
    case tint::faint:
      return "2";
    case tint::good:
      return "32";
    case tint::warning:
      return "33";
    case tint::bad:
      return "31";
    case tint::accent:
      return "36";
  }
  return {};
}

} // namespace

terminal_environment terminal_environment::of_process() {
  return {variable("NO_COLOR"), variable("FORCE_COLOR"), variable("CLICOLOR_FORCE"),
          variable("TERM")};
}

bool wants_color(color_mode mode, const terminal_environment& env, bool is_terminal) {
  if (mode != color_mode::automatic)
    return mode == color_mode::always;
  if (is_set(env.no_color))
    return false;
  if (demands(env.force_color) || demands(env.clicolor_force))
    return true;
  return can_redraw(env, is_terminal);
}

bool can_redraw(const terminal_environment& env, bool is_terminal) {
  return is_terminal && is_set(env.term) && *env.term != "dumb";
}

std::string style::paint(tint x, std::string_view text) const {
  auto code = code_of(x);
  if (!color_ || code.empty() || text.empty())
    return std::string{text};
  return std::string{"\x1b["}.append(code).append("m").append(text).append("\x1b[0m");
}

} // namespace tune::cli
