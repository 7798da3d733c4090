// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/byte_pipe.hpp"
#include "tune/http/client_book.hpp"
#include "tune/http/repeat_book.hpp"
#include "tune/http/worker_pool.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

namespace tune::http {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(client_book, lets_strangers_go_first) {
  client_book uut{3};
  client_book::time_point now{};
  uut.add(1, now);
  uut.add(2, now + seconds{1});
  uut.add(3, now + seconds{2});
  EXPECT_TRUE(uut.is_full());

  EXPECT_EQ(uut.next_to_go(), 1U);
  uut.prove(1);
  EXPECT_EQ(uut.next_to_go(), 2U) << "another one has the token";
  uut.serve(2, true, now + seconds{3});
  EXPECT_EQ(uut.next_to_go(), 3U) << "it has done nothing for longer";
  uut.prove(2);
  uut.prove(3);
  uut.serve(3, true, now + seconds{4});
  EXPECT_EQ(uut.next_to_go(), 1U) << "the others are being served";
  uut.serve(1, true, now + seconds{5});
  EXPECT_EQ(uut.next_to_go(), std::nullopt);
  uut.remove(1);
  EXPECT_FALSE(uut.is_full());
}

class repeat_book_test : public testing::Test {
protected:
  repeat_book uut;
  repeat_book::time_point now{};
};

TEST_F(repeat_book_test, gives_an_answer_again) {
  EXPECT_TRUE(std::holds_alternative<repeat_book::is_new>(uut.begin("k", "p", now)));
  EXPECT_TRUE(std::holds_alternative<repeat_book::is_open>(uut.begin("k", "p", now)));
  EXPECT_TRUE(std::holds_alternative<repeat_book::is_other>(uut.begin("k", "q", now)));

  uut.keep("k", {200, "t", "b"});

  EXPECT_EQ(std::get<kept_answer>(uut.begin("k", "p", now)), (kept_answer{200, "t", "b"}));
  EXPECT_TRUE(std::holds_alternative<repeat_book::is_new>(uut.begin("k", "q", now + hours{1})));
}

TEST_F(repeat_book_test, lets_what_failed_be_tried_again) {
  static_cast<void>(uut.begin("k", "p", now));
  uut.forget("k");
  EXPECT_TRUE(std::holds_alternative<repeat_book::is_new>(uut.begin("k", "q", now)));
}

TEST_F(repeat_book_test, keeps_the_newest) {
  for (std::size_t i = 0; i <= repeat_book::most; ++i)
    static_cast<void>(uut.begin(std::to_string(i), "p", now));
  EXPECT_TRUE(std::holds_alternative<repeat_book::is_open>(uut.begin("1000", "p", now)));
  EXPECT_TRUE(std::holds_alternative<repeat_book::is_new>(uut.begin("0", "p", now)));
}

TEST(byte_pipe, holds_the_writer_back) {
  byte_pipe uut;
  ASSERT_TRUE(uut.write(std::string(byte_pipe::most, 'a')));
  EXPECT_FALSE(uut.offer("b"));

  auto writer = std::async(std::launch::async, [&] { return uut.write("b"); });
  // The writer may go on as soon as there is room, so its byte may be among those taken here.
  std::string taken;
  for (auto bytes = uut.take(1000); !bytes.empty(); bytes = uut.take(1000))
    taken += bytes;
  EXPECT_TRUE(writer.get());
  uut.finish();
  taken += uut.take(1000);
  EXPECT_EQ(taken, std::string(byte_pipe::most, 'a') + "b");
  EXPECT_EQ(uut.how(), byte_pipe::state::whole);
}

TEST(byte_pipe, lets_the_writer_go_when_nobody_reads) {
  byte_pipe uut;
  ASSERT_TRUE(uut.write(std::string(byte_pipe::most, 'a')));
  auto writer = std::async(std::launch::async, [&] { return uut.write("b"); });
  uut.close();
  EXPECT_FALSE(writer.get());
  EXPECT_TRUE(uut.is_closed());
}

TEST(byte_pipe, tells_when_there_is_something) {
  byte_pipe uut;
  int told = 0;
  uut.when_ready([&] { ++told; });
  EXPECT_EQ(told, 0);
  static_cast<void>(uut.offer("a"));
  EXPECT_EQ(told, 1);
  uut.finish(false);
  EXPECT_EQ(told, 2);
  EXPECT_EQ(uut.how(), byte_pipe::state::open) << "there is something to take";
  static_cast<void>(uut.take(1));
  EXPECT_EQ(uut.how(), byte_pipe::state::broken);
}

TEST(worker_pool, refuses_more_than_may_wait) {
  auto uut = worker_pool::start(1, 1);
  ASSERT_TRUE(uut);
  std::promise<void> begun;
  std::promise<void> go_on;
  ASSERT_TRUE((*uut)->post([&] {
    begun.set_value();
    go_on.get_future().wait();
  }));
  begun.get_future().wait();

  EXPECT_TRUE((*uut)->post([] {}));
  EXPECT_FALSE((*uut)->post([] {}));
  go_on.set_value();
  (*uut)->stop();
  EXPECT_FALSE((*uut)->post([] {}));
}

} // namespace
} // namespace tune::http
