// SPDX-License-Identifier: BSD-3-Clause
#include "console/text.hpp"

#include <gtest/gtest.h>

namespace tune::cli {
namespace {

TEST(text, escapes_control_characters) {
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\a"), "\\x1b[31mred\\x1b[0m\\x07");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"), "\\x9b") << "C1: a one-character CSI";
  EXPECT_EQ(printable(std::string_view{"\0", 1}), "\\x00");
}

TEST(text, escapes_what_reorders_or_breaks_lines) {
  EXPECT_EQ(printable("a\u202Eb"), "a\\u202eb");
  EXPECT_EQ(printable("\u2066x\u2069"), "\\u2066x\\u2069");
  EXPECT_EQ(printable("\u2028"), "\\u2028");
  EXPECT_EQ(printable("\u200F"), "\\u200f");
}

TEST(text, escapes_what_nobody_sees) {
  EXPECT_EQ(printable("a\u2060b\uFEFF"), "a\\u2060b\\ufeff");
  EXPECT_EQ(printable("\U000E0041"), "\\U000e0041") << "a tag";
}

TEST(printable_parts, keep_lines_and_tabs_and_escape_the_rest) {
  printable_parts uut;

  EXPECT_EQ(uut.add("one\ttwo\r\n\x1b[2J\a\u202e"), "one\ttwo\r\n\\x1b[2J\\x07\\u202e");
  EXPECT_EQ(uut.finish(), "");
}

TEST(printable_parts, show_a_carriage_return_that_would_have_the_line_written_over) {
  printable_parts uut;

  EXPECT_EQ(uut.add("real\rfake\n"), "real\\rfake\n");
}

TEST(printable_parts, wait_for_the_rest_of_what_was_cut_in_two) {
  const std::string whole = "x\u00e9\u202e\U0001f600\r\ny\xff\xe4\xb8z\r";
  printable_parts uut;
  std::string shown;
  for (char x : whole)
    shown += uut.add({&x, 1});

  EXPECT_EQ(shown + uut.finish(), "x\u00e9\\u202e\U0001f600\r\ny\uFFFD\uFFFD\uFFFDz\\r");
}

TEST(printable_parts, show_at_the_end_what_never_became_whole) {
  printable_parts uut;

  EXPECT_EQ(uut.add("x\xe4\xb8"), "x");
  EXPECT_EQ(uut.finish(), "\uFFFD\uFFFD");
}

TEST(text, keeps_what_is_harmless) {
  EXPECT_EQ(printable("größe 中文 😀"), "größe 中文 😀");
  EXPECT_EQ(printable(""), "");
}

TEST(text, replaces_invalid_utf8) {
  EXPECT_EQ(printable("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(printable("\xC0\xAF"), "\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "surrogate";
  EXPECT_EQ(printable("\xE4\xB8"), "\uFFFD\uFFFD") << "cut short";
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond Unicode";
}

TEST(text, measures_columns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("größe"), 5u);
  EXPECT_EQ(display_width("中文"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u) << "combining accent";
  EXPECT_EQ(display_width("\x1b[1;32mgreen\x1b[0m"), 5u) << "colours take no room";
}

TEST(text, cuts_between_characters_and_says_so) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdef", 5), "abcd…");
  EXPECT_EQ(cut("abcdef", 1), "…");
  EXPECT_EQ(cut("abcdef", 0), "");
  EXPECT_EQ(cut("中文字", 6), "中文字");
  EXPECT_EQ(cut("中文字", 5), "中文…");
  EXPECT_EQ(cut("中文字", 4), "中…") << "half a character never stays";
}

TEST(text, never_cuts_wider_than_asked) {
  for (std::string_view text : {"abc中文def", "中中中中", "e\u0301e\u0301e\u0301", "😀x😀"})
    for (std::size_t width = 0; width < 12; ++width)
      EXPECT_LE(display_width(cut(text, width)), width) << text << " at " << width;
}

TEST(text, pads_by_columns) {
  EXPECT_EQ(pad_right("中", 4), "中  ");
  EXPECT_EQ(pad_left("中", 4), "  中");
  EXPECT_EQ(pad_right("abc", 2), "abc");
}

TEST(text, shows_lines_as_a_terminal_would_have) {
  EXPECT_EQ(settled_line("plain\r\n"), "plain");
  EXPECT_EQ(settled_line(" 10%|#\r 50%|#####\r100%|##########"), "100%|##########");
  EXPECT_EQ(settled_line("\x1b[1m\x1b[31mError\x1b[0m: no"), "Error: no");
  EXPECT_EQ(settled_line("\x1b]0;owned\atitle"), "title");
  EXPECT_EQ(settled_line("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link");
  EXPECT_EQ(settled_line("a\tb"), "a    b");
  EXPECT_EQ(settled_line("bell\a"), "bell\\x07");
  EXPECT_EQ(settled_line("\x1b"), "");
  EXPECT_EQ(settled_line("\x1b[12;"), "");
}

TEST(text, wraps_between_words) {
  EXPECT_EQ(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("a loooooong word", 5), (std::vector<std::string>{"a", "loooooong", "word"}));
  EXPECT_EQ(wrapped("one two three", 0), (std::vector<std::string>{"one two three"}));
  EXPECT_TRUE(wrapped("", 10).empty());
}

TEST(text, quotes_for_a_shell) {
  EXPECT_EQ(shell_word("results/digits-mlp"), "results/digits-mlp");
  EXPECT_EQ(shell_word("my results"), "'my results'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(rm)"), "'$(rm)'");
  EXPECT_EQ(shell_word("~/x"), "'~/x'");
  EXPECT_EQ(shell_word(""), "''");
}

} // namespace
} // namespace tune::cli
