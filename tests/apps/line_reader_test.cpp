// SPDX-License-Identifier: BSD-3-Clause
#include "ask_tell/line_reader.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace tune::cli {
namespace {

using news_kind = line_news::kind;

/// A pipe whose writing end can be closed early.
class pipes : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(words), 0);
    ASSERT_EQ(::pipe(waves), 0);
  }
  void TearDown() override {
    for (auto x : {words[0], words[1], waves[0], waves[1]})
      ::close(x);
  }
  void write(const std::string& text) {
    ASSERT_EQ(::write(words[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    ::close(words[1]);
    words[1] = -1;
  }

  int words[2] = {-1, -1};
  int waves[2] = {-1, -1};
};

TEST_F(pipes, lines_come_one_by_one) {
  line_reader uut{words[0], waves[0], 100};
  write("one\ntwo\n\nfour");
  hang_up();

  for (const auto* text : {"one", "two", "", "four"}) {
    auto news = uut.next();
    EXPECT_EQ(news.what, news_kind::line);
    EXPECT_EQ(news.text, text);
  }
  EXPECT_EQ(uut.next().what, news_kind::end);
  EXPECT_EQ(uut.next().what, news_kind::end);
}

TEST_F(pipes, a_line_that_comes_in_pieces_is_one) {
  line_reader uut{words[0], waves[0], 1000};
  std::thread writer{[this] {
    for (auto c : std::string{"a longer line\n"})
      write(std::string{c});
  }};

  EXPECT_EQ(uut.next().text, "a longer line");
  writer.join();
}

TEST_F(pipes, too_long_a_line_is_told_once_and_the_next_is_read) {
  line_reader uut{words[0], waves[0], 10};
  std::thread writer{[this] {
    write(std::string(10, 'x') + "\n" + std::string(11, 'y') + "\n");
    write(std::string(300'000, 'z') + "\nlast\n" + std::string(11, 'e'));
    hang_up();
  }};

  EXPECT_EQ(uut.next().text, std::string(10, 'x'));
  EXPECT_EQ(uut.next().what, news_kind::too_long);
  EXPECT_EQ(uut.next().what, news_kind::too_long);
  EXPECT_EQ(uut.next().text, "last");
  EXPECT_EQ(uut.next().what, news_kind::too_long);
  EXPECT_EQ(uut.next().what, news_kind::end);
  writer.join();
}

TEST_F(pipes, a_wave_goes_before_what_was_read) {
  line_reader uut{words[0], waves[0], 100};
  write("one\ntwo\n");
  EXPECT_EQ(uut.next().text, "one");

  ASSERT_EQ(::write(waves[1], "x", 1), 1);

  EXPECT_EQ(uut.next().what, news_kind::waved);
}

TEST_F(pipes, a_wave_ends_the_waiting) {
  line_reader uut{words[0], waves[0], 100};
  std::thread waver{[this] { EXPECT_EQ(::write(waves[1], "x", 1), 1); }};

  EXPECT_EQ(uut.next().what, news_kind::waved);
  waver.join();
}

TEST_F(pipes, what_cannot_be_read_is_told) {
  auto directory = ::open("/", O_RDONLY | O_CLOEXEC);
  line_reader uut{directory, -1, 100};

  auto news = uut.next();
  ::close(directory);

  EXPECT_EQ(news.what, news_kind::failed);
  EXPECT_NE(news.text, "");
}

} // namespace
} // namespace tune::cli
