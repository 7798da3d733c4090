// SPDX-License-Identifier: BSD-3-Clause
#include "console/stderr_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <future>
#include <iostream>
#include <memory>
#include <string>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

struct stderr_queue_test : testing::Test {
  std::array<int, 2> ends{-1, -1};
  std::unique_ptr<stderr_queue> uut;

  void SetUp() override {
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    ::fcntl(ends[1], F_SETPIPE_SZ, 4096);
  }
  void begin(std::chrono::milliseconds patience) {
    uut = std::make_unique<stderr_queue>(ends[1], patience);
  }
  /// Until nothing writes any more.
  std::string read_all() {
    ::close(ends[1]);
    return read_until_closed();
  }
  std::string read_until_closed() {
    std::string result;
    std::array<char, 4096> piece{};
    while (const auto got = ::read(ends[0], piece.data(), piece.size())) {
      if (got < 0)
        break;
      result.append(piece.data(), static_cast<std::size_t>(got));
    }
    return result;
  }
  void TearDown() override { ::close(ends[0]); }
};

TEST_F(stderr_queue_test, writes_all_that_was_said_in_order_before_it_ends) {
  begin(60s);
  std::cerr << "one " << 1 << '\n';
  write_stderr("two\n");
  std::cerr << "three\n";
  uut.reset();

  EXPECT_EQ(read_all(), "one 1\ntwo\nthree\n");
}

TEST_F(stderr_queue_test, is_settled_once_all_is_written) {
  begin(60s);
  std::cerr << "one\n";

  EXPECT_TRUE(settle_stderr());

  std::array<char, 100> text{};
  EXPECT_EQ(::read(ends[0], text.data(), text.size()), 4);
  uut.reset();
  ::close(ends[1]);
}

TEST_F(stderr_queue_test, holds_nobody_up_where_nobody_reads) {
  begin(1ms);
  const std::string line(1000, 'x');
  for (std::size_t i = 0; i < 3 * stderr_queue::most_waiting / line.size(); ++i)
    std::cerr << line + "\n";

  EXPECT_FALSE(settle_stderr(1ms));
  uut.reset();
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

TEST_F(stderr_queue_test, says_how_much_is_missing_to_who_reads_again) {
  begin(60s);
  const std::string line(1000, 'x');
  const auto lines = 3 * stderr_queue::most_waiting / line.size();
  for (std::size_t i = 0; i < lines; ++i)
    write_stderr(line + "\n");
  auto reader = std::async(std::launch::async, [this] { return read_until_closed(); });
  uut.reset();
  ::close(ends[1]);
  const auto text = reader.get();

  EXPECT_THAT(text, StartsWith(line));
  EXPECT_THAT(text, HasSubstr(" further lines are missing here"));
  EXPECT_LT(text.size(), lines * line.size());
}

TEST_F(stderr_queue_test, gives_standard_error_back) {
  auto* before = std::cerr.rdbuf();
  begin(60s);
  EXPECT_NE(std::cerr.rdbuf(), before);
  uut.reset();

  EXPECT_EQ(std::cerr.rdbuf(), before);
  EXPECT_TRUE(settle_stderr());
  ::close(ends[1]);
}

} // namespace
} // namespace tune::cli
