// SPDX-License-Identifier: BSD-3-Clause
#include "console/painter.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;

using lines = std::vector<std::string>;

class painter_test : public testing::Test {
protected:
  std::string written;
  terminal_size size{20, 10};
  std::unique_ptr<painter> uut = std::make_unique<painter>(
      [this](std::string_view text) { written += text; }, [this] { return size; });

  std::string draw(const lines& content, instant now) {
    written.clear();
    uut->draw([&](terminal_size) { return content; }, now);
    return written;
  }
};

TEST_F(painter_test, first_frame_starts_where_the_cursor_is) {
  EXPECT_EQ(draw({"one", "two"}, 0s), "\rone\x1b[K\ntwo\x1b[K\n\x1b[J");
}

TEST_F(painter_test, next_frame_overwrites_the_last) {
  draw({"one", "two"}, 0s);

  EXPECT_EQ(draw({"1", "2", "3"}, 1s), "\r\x1b[2A1\x1b[K\n2\x1b[K\n3\x1b[K\n\x1b[J");
  EXPECT_EQ(draw({"last"}, 2s), "\r\x1b[3Alast\x1b[K\n\x1b[J");
}

TEST_F(painter_test, writes_nothing_when_nothing_changed) {
  draw({"same"}, 0s);

  EXPECT_EQ(draw({"same"}, 10s), "");
}

TEST_F(painter_test, draws_at_most_four_times_a_second) {
  draw({"a"}, 1s);
  bool rendered = false;
  auto render = [&](terminal_size) {
    rendered = true;
    return lines{"b"};
  };

  written.clear();
  EXPECT_EQ(uut->draw(render, 1249ms), instant{1250ms});
  EXPECT_FALSE(rendered) << "a frame that is not shown costs nothing";
  EXPECT_EQ(written, "");

  EXPECT_EQ(uut->draw(render, 1250ms), std::nullopt);
  EXPECT_EQ(written, "\r\x1b[1Ab\x1b[K\n\x1b[J");
}

TEST_F(painter_test, log_lines_scroll_above_the_block) {
  draw({"one", "two"}, 0s);

  written.clear();
  uut->print_above("a log line");
  EXPECT_EQ(written, "\r\x1b[2A\x1b[Ja log line\none\x1b[K\ntwo\x1b[K\n");

  written.clear();
  uut->print_above("two\nlines\n");
  EXPECT_EQ(written, "\r\x1b[2A\x1b[Jtwo\nlines\none\x1b[K\ntwo\x1b[K\n");
}

TEST_F(painter_test, log_lines_need_no_block) {
  uut->print_above("early");
  EXPECT_EQ(written, "early\n");
}

TEST_F(painter_test, passes_the_size_of_each_frame_to_the_renderer) {
  std::vector<terminal_size> seen;
  auto render = [&](terminal_size x) {
    seen.push_back(x);
    return lines{"x"};
  };

  uut->draw(render, 0s);
  size = {40, 5};
  uut->draw(render, 1s);

  EXPECT_EQ(seen, (std::vector<terminal_size>{{20, 10}, {40, 5}}));
}

TEST_F(painter_test, finds_its_first_line_after_a_resize_wrapped_the_block) {
  draw({std::string(20, 'x'), "\x1b[32m" + std::string(9, 'y') + "\x1b[0m"}, 0s);
  size = {9, 10};

  // 20 columns take three rows of 9, the nine coloured ones one.
  EXPECT_EQ(draw({"x", "y"}, 1s), "\r\x1b[4A\x1b[Jx\x1b[K\ny\x1b[K\n\x1b[J");
}

TEST_F(painter_test, redraws_after_a_resize_even_if_the_lines_are_the_same) {
  draw({"x"}, 0s);
  size = {30, 10};

  EXPECT_NE(draw({"x"}, 1s), "");
}

TEST_F(painter_test, never_climbs_beyond_the_top_of_the_terminal) {
  draw({std::string(20, 'x')}, 0s);
  size = {1, 6};

  EXPECT_EQ(draw({"x"}, 1s).substr(0, 5), "\r\x1b[6A");
}

TEST_F(painter_test, takes_the_block_away_at_the_end_once) {
  draw({"one", "two"}, 0s);

  written.clear();
  uut->finish();
  EXPECT_EQ(written, "\r\x1b[2A\x1b[J");
  uut.reset();
  EXPECT_EQ(written, "\r\x1b[2A\x1b[J");
}

TEST_F(painter_test, destruction_takes_the_block_away) {
  draw({"one"}, 0s);

  written.clear();
  uut.reset();
  EXPECT_EQ(written, "\r\x1b[1A\x1b[J");
}

TEST_F(painter_test, leaves_a_terminal_alone_that_it_never_wrote_to) {
  uut.reset();
  EXPECT_EQ(written, "");
}

} // namespace
} // namespace tune::cli
