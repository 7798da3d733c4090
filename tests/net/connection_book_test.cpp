// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/connection_book.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tune::detail {
namespace {

class connection_book_test : public testing::Test {
protected:
  connection_book all;

  connection_book::number member(const std::string& source, const std::string& certificate) {
    auto result = all.come(source);
    all.know(result, certificate);
    return result;
  }
  connection_book::number reader(const std::string& certificate, std::size_t unread) {
    auto result = member("here", certificate);
    all.owe(result, unread);
    return result;
  }
};

TEST_F(connection_book_test, counts_strangers_and_members_as_they_come_and_leave) {
  const auto first = all.come("a");
  const auto second = all.come("a");
  EXPECT_EQ(all.strangers(), 2U);
  all.know(first, "x");
  all.know(first, "y");
  EXPECT_EQ(all.members(), 1U);
  EXPECT_FALSE(all.is_stranger(first));
  EXPECT_TRUE(all.is_stranger(second));

  all.leave(first);
  all.leave(first);
  all.know(first, "x");

  EXPECT_EQ(all.members(), 0U);
  EXPECT_EQ(all.strangers(), 1U);
  EXPECT_FALSE(all.has(first));
  EXPECT_FALSE(all.is_stranger(first));
}

TEST_F(connection_book_test, has_a_crowd_of_strangers_make_room_for_itself) {
  EXPECT_EQ(all.least_wanted_stranger(), std::nullopt);
  all.come("elsewhere");
  member("crowd", "x");
  const auto oldest = all.come("crowd");
  const auto next = all.come("crowd");

  EXPECT_EQ(all.least_wanted_stranger(), oldest);
  all.leave(oldest);
  all.come("crowd");
  EXPECT_EQ(all.least_wanted_stranger(), next);
}

TEST_F(connection_book_test, has_the_oldest_stranger_go_where_all_come_from_elsewhere) {
  const auto oldest = all.come("b");
  all.come("a");

  EXPECT_EQ(all.least_wanted_stranger(), oldest);
}

TEST_F(connection_book_test, knows_who_waits_longest_among_strangers) {
  EXPECT_EQ(all.oldest_stranger(), std::nullopt);
  member("a", "x");
  const auto oldest = all.come("a");
  const auto next = all.come("b");
  EXPECT_EQ(all.oldest_stranger(), oldest);

  all.know(oldest, "y");
  EXPECT_EQ(all.oldest_stranger(), next);
  all.leave(next);
  EXPECT_EQ(all.oldest_stranger(), std::nullopt);
}

TEST_F(connection_book_test, has_the_newest_go_of_the_certificate_that_most_have) {
  EXPECT_EQ(all.least_wanted_member(), std::nullopt);
  member("router", "a");
  member("router", "b");
  member("crowd", "x");
  const auto newest = member("crowd 2", "x");
  member("router", "c");
  all.come("crowd");

  EXPECT_EQ(all.least_wanted_member(), newest);
}

TEST_F(connection_book_test, tells_members_with_one_certificate_by_where_they_are) {
  member("a", "shared");
  member("crowd", "shared");
  const auto newest = member("crowd", "shared");
  member("b", "shared");
  member("c", "own");

  EXPECT_EQ(all.least_wanted_member(), newest);
}

TEST_F(connection_book_test, adds_up_what_is_unread) {
  const auto a = reader("a", 5);
  const auto b = reader("b", 7);
  EXPECT_EQ(all.unread(), 12U);
  all.owe(a, 1);
  EXPECT_EQ(all.unread(), 8U);
  EXPECT_EQ(all.unread_by(b), 7U);

  all.leave(b);
  all.owe(b, 100);

  EXPECT_EQ(all.unread(), 1U);
  EXPECT_EQ(all.unread_by(b), 0U);
}

TEST_F(connection_book_test, finds_the_slowest_reader_of_the_certificate_that_leaves_most) {
  EXPECT_EQ(all.slowest_reader(), std::nullopt);
  reader("a", 5);
  reader("x", 4);
  const auto slow = reader("x", 4 + 1);
  reader("x", 4);

  EXPECT_EQ(all.slowest_reader(), slow);
}

} // namespace
} // namespace tune::detail
