// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/head_mark.hpp"

#include "support/processes.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace tune {
namespace {

namespace fs = std::filesystem;

struct head_mark_test : testing::Test {
  support::scratch_directory place;

  succession begin(const std::string& job = "x-1") {
    auto begun = begin_head(place.path(), job);
    EXPECT_TRUE(begun) << (begun ? "" : to_text(begun.error()));
    return begun ? *begun : succession{};
  }
  [[nodiscard]] fs::path file() const { return place.path() / head_mark_file; }
};

TEST_F(head_mark_test, makes_the_next_head_known_as_the_first) {
  const auto first = begin();

  const auto next = begin();

  EXPECT_FALSE(first.follows);
  EXPECT_TRUE(next.follows);
  EXPECT_EQ(next.mark.name, first.mark.name);
  EXPECT_EQ(next.mark.secret, first.mark.secret);
  EXPECT_GT(next.mark.identity().first_lease, first.mark.identity().first_lease);
}

TEST_F(head_mark_test, makes_no_head_of_another_job_known) {
  const auto first = begin("x-1");

  const auto next = begin("x-2");

  EXPECT_FALSE(next.follows);
  EXPECT_NE(next.mark.name, first.mark.name);
  EXPECT_NE(next.mark.secret, first.mark.secret);
}

TEST_F(head_mark_test, is_for_its_owner_only) {
  static_cast<void>(begin());

  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(head_mark_test, counts_for_nothing_where_it_is_damaged) {
  for (const auto* text : {"", "{", "[]", "{\"head\":\"a\"}", "{\"head\":1,\"secret\":\"b\"}",
                           "{\"head\":\"a\",\"secret\":\"b\",\"successions\":-1}"}) {
    std::ofstream{file()} << text;

    EXPECT_FALSE(read_head_mark(place.path())) << text;
    EXPECT_FALSE(begin().follows) << text;
    fs::remove(file());
  }
}

TEST_F(head_mark_test, can_be_removed_though_it_is_not_there) {
  static_cast<void>(begin());

  EXPECT_TRUE(remove_head_mark(place.path()));
  EXPECT_TRUE(remove_head_mark(place.path()));
  EXPECT_FALSE(begin().follows);
}

} // namespace
} // namespace tune
