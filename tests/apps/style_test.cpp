// SPDX-License-Identifier: BSD-3-Clause
#include "console/style.hpp"

#include <gtest/gtest.h>

namespace tune::cli {
namespace {

using text = std::optional<std::string>;

struct rule {
  const char* name;
  color_mode mode;
  terminal_environment env;
  bool is_terminal;
  bool colored;
};

const rule rules[] = {
    {"terminal", color_mode::automatic, {{}, {}, {}, "xterm"}, true, true},
    {"pipe", color_mode::automatic, {{}, {}, {}, "xterm"}, false, false},
    {"dumb_terminal", color_mode::automatic, {{}, {}, {}, "dumb"}, true, false},
    {"no_term", color_mode::automatic, {{}, {}, {}, {}}, true, false},
    {"empty_term", color_mode::automatic, {{}, {}, {}, ""}, true, false},
    {"no_color", color_mode::automatic, {"1", {}, {}, "xterm"}, true, false},
    {"empty_no_color_is_unset", color_mode::automatic, {"", {}, {}, "xterm"}, true, true},
    {"no_color_0_still_forbids", color_mode::automatic, {"0", {}, {}, "xterm"}, true, false},
    {"force_color", color_mode::automatic, {{}, "1", {}, "xterm"}, false, true},
    {"force_color_0", color_mode::automatic, {{}, "0", {}, "xterm"}, false, false},
    {"empty_force_color", color_mode::automatic, {{}, "", {}, "xterm"}, false, false},
    {"force_color_on_dumb", color_mode::automatic, {{}, "1", {}, "dumb"}, false, true},
    {"clicolor_force", color_mode::automatic, {{}, {}, "1", "xterm"}, false, true},
    {"no_color_beats_force", color_mode::automatic, {"1", "1", "1", "xterm"}, true, false},
    {"always_beats_no_color", color_mode::always, {"1", {}, {}, "dumb"}, false, true},
    {"never_beats_force", color_mode::never, {{}, "1", "1", "xterm"}, true, false},
};

class color_rules : public testing::TestWithParam<rule> {};

TEST_P(color_rules, decide) {
  const auto& x = GetParam();
  EXPECT_EQ(wants_color(x.mode, x.env, x.is_terminal), x.colored);
}

INSTANTIATE_TEST_SUITE_P(style, color_rules, testing::ValuesIn(rules),
                         [](const auto& x) { return std::string{x.param.name}; });

TEST(style, redraws_only_on_a_capable_terminal) {
  EXPECT_TRUE(can_redraw({{}, {}, {}, "xterm"}, true));
  EXPECT_TRUE(can_redraw({"1", {}, {}, "xterm"}, true)) << "NO_COLOR is about colours only";
  EXPECT_FALSE(can_redraw({{}, "1", {}, "xterm"}, false));
  EXPECT_FALSE(can_redraw({{}, {}, {}, "dumb"}, true));
}

TEST(style, paints_only_with_colors) {
  EXPECT_EQ(style{false}.paint(tint::bad, "x"), "x");
  EXPECT_EQ(style{true}.paint(tint::bad, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(style{true}.paint(tint::plain, "x"), "x");
  EXPECT_EQ(style{true}.paint(tint::bad, ""), "");
}

} // namespace
} // namespace tune::cli
