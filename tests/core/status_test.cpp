// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/status.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace tune {
namespace {

using enum trial_status;
using s = status_event;

enum class kind { moves, ignored, bug };

struct row {
  trial_status from;
  status_event event;
  kind what;
  trial_status to = pending;
};

/// The whole table: 5 statuses x 7 events.
constexpr row table[] = {
    {pending, s::place, kind::moves, running},
    {pending, s::paused, kind::bug},
    {pending, s::unpause, kind::ignored},
    {pending, s::end, kind::moves, terminated},
    {pending, s::retry, kind::ignored},
    {pending, s::fail, kind::moves, errored},
    {pending, s::revive, kind::bug},

    {running, s::place, kind::bug},
    {running, s::paused, kind::moves, paused},
    {running, s::unpause, kind::ignored},
    {running, s::end, kind::moves, terminated},
    {running, s::retry, kind::moves, pending},
    {running, s::fail, kind::moves, errored},
    {running, s::revive, kind::bug},

    {paused, s::place, kind::bug},
    {paused, s::paused, kind::ignored},
    {paused, s::unpause, kind::moves, pending},
    {paused, s::end, kind::moves, terminated},
    {paused, s::retry, kind::moves, pending},
    {paused, s::fail, kind::moves, errored},
    {paused, s::revive, kind::bug},

    {terminated, s::place, kind::bug},
    {terminated, s::paused, kind::ignored},
    {terminated, s::unpause, kind::ignored},
    {terminated, s::end, kind::ignored},
    {terminated, s::retry, kind::ignored},
    {terminated, s::fail, kind::ignored},
    {terminated, s::revive, kind::moves, pending},

    {errored, s::place, kind::bug},
    {errored, s::paused, kind::ignored},
    {errored, s::unpause, kind::ignored},
    {errored, s::end, kind::ignored},
    {errored, s::retry, kind::ignored},
    {errored, s::fail, kind::ignored},
    {errored, s::revive, kind::moves, pending},
};

class every_pair : public testing::TestWithParam<row> {};

TEST_P(every_pair, goes_where_the_table_says) {
  auto [from, event, what, to] = GetParam();

  auto result = next(from, event);

  switch (what) {
    case kind::moves:
      EXPECT_EQ(result, transition{moves_to{to}});
      break;
    case kind::ignored:
      ASSERT_TRUE(std::holds_alternative<is_ignored>(result));
      EXPECT_FALSE(std::get<is_ignored>(result).reason.empty());
      break;
    case kind::bug:
      EXPECT_EQ(result, transition{is_bug{}});
      break;
  }
}

INSTANTIATE_TEST_SUITE_P(status, every_pair, testing::ValuesIn(table), [](const auto& x) {
  return std::string{to_text(x.param.from)} + "_" + std::string{to_text(x.param.event)};
});

TEST(status, table_covers_every_pair_once) {
  bool seen[trial_status_count][status_event_count] = {};
  for (const auto& x : table) {
    auto& cell = seen[static_cast<int>(x.from)][static_cast<int>(x.event)];
    EXPECT_FALSE(cell);
    cell = true;
  }
  EXPECT_EQ(std::size(table), trial_status_count * status_event_count);
}

} // namespace
} // namespace tune
