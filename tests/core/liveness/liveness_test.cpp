// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/failure_detector.hpp"
#include "tune/core/liveness/flap_book.hpp"
#include "tune/core/liveness/heartbeat_pace.hpp"
#include "tune/core/liveness/session_lease.hpp"

#include "tune/core/rng.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using state = session_lease::state;

constexpr liveness_rules ten{10s};

// -- The figures.

TEST(liveness_rules, leave_room_for_heartbeats_that_are_lost) {
  EXPECT_GE(ten.lost_after, 3 * ten.interval());
}

TEST(liveness_rules, refuse_what_no_network_keeps) {
  EXPECT_TRUE(validate({1s}));
  EXPECT_TRUE(validate({24h}));
  EXPECT_FALSE(validate({999ms}));
  EXPECT_FALSE(validate({25h}));
}

TEST(heartbeat_pace, is_slower_while_heartbeats_are_answered) {
  heartbeat_pace uut{ten};

  uut.sent(1);
  EXPECT_EQ(uut.wait(), instant{10s} / 3);
  uut.sent(2); // the first was not answered
  EXPECT_EQ(uut.wait(), 2s);
  uut.answered(2);
  uut.sent(3);
  EXPECT_EQ(uut.wait(), instant{10s} / 3);
  uut.answered(1); // late
  uut.sent(4);
  EXPECT_EQ(uut.wait(), 2s);
}

TEST(heartbeat_pace, leaves_time_for_another_heartbeat_within_the_lease) {
  for (instant lost_after = liveness_rules::least; lost_after < 2min; lost_after += 500ms) {
    const liveness_rules rules{lost_after};
    EXPECT_LT(calm_interval(lost_after) + 2 * rules.interval(), rules.lease());
    EXPECT_LT(2 * calm_interval(lost_after), rules.lease());
    EXPECT_GE(calm_interval(lost_after), rules.interval());
  }
}

// -- The node's side.

TEST(session_lease, runs_from_the_sending_of_the_heartbeat_that_was_answered) {
  session_lease uut{ten, 0s};

  auto first = uut.beat(2s);
  uut.answered(first, 5s);

  EXPECT_EQ(uut.ends(), 2s + ten.lease());
  EXPECT_EQ(uut.at(11s), state::held);
  EXPECT_EQ(uut.at(2s + ten.lease()), state::frozen);
}

TEST(session_lease, ends_before_the_head_gives_the_node_up) {
  // However long the messages take, and even if one clock is 5 % faster than the other.
  rng draw{7, "lease", 0};
  for (int i = 0; i < 1000; ++i) {
    auto sent = instant{draw.below(1'000'000'000)};
    auto takes = instant{draw.below(3'000'000'000)};
    session_lease node{ten, 0s};
    failure_detector head{ten};
    head.begin(1, 0s);
    auto number = node.beat(sent);
    ASSERT_TRUE(head.heard(1, sent + takes));
    node.answered(number, sent + 2 * takes);

    auto last = node.ends();
    while (!head.look(last).empty())
      FAIL() << "the head gave up first, in round " << i;
    EXPECT_EQ(node.at(last), state::frozen);
  }
}

TEST(session_lease, is_not_prolonged_by_an_answer_that_comes_too_late) {
  session_lease uut{ten, 0s};
  auto number = uut.beat(9s);

  uut.answered(number, 9600ms);

  EXPECT_EQ(uut.at(9600ms), state::frozen);
  EXPECT_EQ(uut.ends(), ten.lease());
}

TEST(session_lease, stays_ended_once_it_was_found_ended) {
  session_lease uut{ten, 0s};
  auto first = uut.beat(1s);
  auto second = uut.beat(9s);

  uut.answered(first, 60s); // the machine was suspended meanwhile
  uut.answered(second, 60s);

  EXPECT_EQ(uut.at(60s), state::lost);
}

TEST(session_lease, ignores_answers_that_are_old_doubled_or_made_up) {
  session_lease uut{ten, 0s};
  auto first = uut.beat(1s);
  auto second = uut.beat(3s);
  uut.answered(second, 4s);

  uut.answered(first, 4s);
  uut.answered(second, 4s);
  uut.answered(77, 4s);

  EXPECT_EQ(uut.ends(), 3s + ten.lease());
}

TEST(session_lease, counts_as_lost_when_it_was_frozen_for_as_long_again) {
  session_lease uut{ten, 0s};

  EXPECT_EQ(uut.at(uut.lost_at() - 1ns), state::frozen);
  EXPECT_EQ(uut.at(uut.lost_at()), state::lost);
  EXPECT_EQ(uut.lost_at(), ten.lease() + 10s);
}

TEST(session_lease, ends_when_the_head_says_so) {
  session_lease uut{ten, 0s};
  auto number = uut.beat(1s);

  uut.revoke(3s);
  uut.answered(number, 4s);

  EXPECT_EQ(uut.ends(), 3s);
  EXPECT_EQ(uut.at(3s), state::frozen);
}

TEST(session_lease, remembers_few_of_many_heartbeats_that_nobody_answers) {
  session_lease uut{{24h}, 0s};
  auto first = uut.beat(1s);
  for (int i = 0; i < 1000; ++i)
    uut.beat(2s);

  uut.answered(first, 3s);

  EXPECT_EQ(uut.ends(), liveness_rules{24h}.lease());
}

// -- The head's side.

TEST(failure_detector, finds_the_same_nodes_as_one_that_compares_all_of_them) {
  rng draw{11, "detector", 0};
  constexpr std::uint64_t nodes = 20;
  failure_detector uut{ten};
  std::map<std::uint64_t, instant> ends;
  instant now{0};
  for (int i = 0; i < 20'000; ++i) {
    // Short steps, so that no look is late.
    now += instant{draw.below(20'000'000)};
    const auto session = draw.below(nodes);
    const auto what = draw.below(100);
    if (what == 0) {
      uut.begin(session, now);
      ends[session] = now + 10s;
    } else if (what == 1) {
      uut.end(session);
      ends.erase(session);
    } else if (session < nodes / 2 || what < 8) {
      EXPECT_EQ(uut.heard(session, now), ends.contains(session));
      if (ends.contains(session))
        ends[session] = now + 10s;
    }
    std::vector<std::uint64_t> lost;
    for (const auto& [node, at] : ends) {
      if (at <= now)
        lost.push_back(node);
    }
    ASSERT_THAT(uut.look(now), testing::UnorderedElementsAreArray(lost));
    std::erase_if(ends, [&](const auto& x) { return x.second <= now; });
    auto first = now + ten.interval();
    for (const auto& [node, at] : ends)
      first = std::min(first, at);
    ASSERT_EQ(uut.next_look(now), ends.empty() ? std::nullopt : std::optional{first});
  }
}

TEST(failure_detector, gives_a_node_up_that_was_silent_for_too_long) {
  failure_detector uut{ten};
  uut.begin(1, 0s);
  uut.begin(2, 0s);

  for (auto now = 2s; now <= 14s; now += 2s) {
    uut.heard(2, now);
    if (now <= 4s)
      uut.heard(1, now);
    EXPECT_EQ(uut.look(now).size(), now == 14s ? 1u : 0u) << now.count();
    static_cast<void>(uut.next_look(now));
  }

  EXPECT_FALSE(uut.heard(1, 15s));
  EXPECT_TRUE(uut.heard(2, 15s));
}

TEST(failure_detector, looks_at_every_interval_and_when_the_first_time_is_up) {
  failure_detector uut{ten};
  EXPECT_EQ(uut.next_look(0s), std::nullopt);
  uut.begin(1, 0s);

  EXPECT_EQ(uut.next_look(0s), 2s);
  EXPECT_EQ(uut.next_look(9s), 10s);
}

TEST(failure_detector, blames_nobody_for_its_own_delay) {
  failure_detector uut{ten};
  uut.begin(1, 0s);
  EXPECT_EQ(uut.next_look(0s), 2s);

  // The detector itself was suspended for a minute.
  EXPECT_THAT(uut.look(62s), IsEmpty());

  EXPECT_EQ(uut.next_look(62s), 64s);
  EXPECT_THAT(uut.look(64s), IsEmpty());
  EXPECT_EQ(uut.next_look(69s), 70s); // the detector's own delay of 60 s does not count
  EXPECT_THAT(uut.look(70s), ElementsAre(1u));
}

TEST(failure_detector, knows_for_a_while_that_it_was_held_up) {
  failure_detector uut{ten};
  uut.begin(1, 0s);
  ASSERT_TRUE(uut.next_look(0s));
  EXPECT_FALSE(uut.was_held_up(2s));
  EXPECT_TRUE(uut.was_held_up(12s)); // even before it looks

  EXPECT_THAT(uut.look(12s), IsEmpty());

  ASSERT_TRUE(uut.next_look(12s));
  EXPECT_TRUE(uut.was_held_up(13s));
  for (auto now = 14s; now <= 12s + ten.lost_after; now += 2s) {
    EXPECT_EQ(uut.was_held_up(now), now < 12s + ten.lost_after);
    EXPECT_TRUE(uut.heard(1, now));
    EXPECT_THAT(uut.look(now), IsEmpty());
    ASSERT_TRUE(uut.next_look(now));
  }
}

TEST(failure_detector, takes_little_delays_of_its_own_for_what_they_are) {
  failure_detector uut{ten};
  uut.begin(1, 0s);

  for (auto now = 0s; now < 10s; now += 2s) {
    EXPECT_THAT(uut.look(now + 900ms), IsEmpty());
    static_cast<void>(uut.next_look(now));
  }

  EXPECT_THAT(uut.look(10s + 900ms), ElementsAre(1u));
}

TEST(failure_detector, forgets_whom_nobody_waits_for) {
  failure_detector uut{ten};
  uut.begin(1, 0s);
  uut.end(1);
  uut.end(1);

  EXPECT_EQ(uut.next_look(0s), std::nullopt);
  EXPECT_FALSE(uut.heard(1, 1s));
  EXPECT_THAT(uut.look(60s), IsEmpty());
  EXPECT_EQ(uut.size(), 0u);
}

// -- Nodes that come and go.

TEST(flap_book, has_a_node_wait_longer_with_each_loss) {
  flap_book uut;
  std::vector<instant> waits;

  for (auto at = 0s; at < 80s; at += 10s) {
    uut.lost("w", at);
    waits.push_back(uut.wait("w", at));
  }

  EXPECT_THAT(waits, ElementsAre(0s, 0s, 10s, 20s, 40s, 80s, 160s, 300s));
}

TEST(flap_book, counts_the_wait_from_the_last_loss) {
  flap_book uut;
  for (auto at : {0s, 1s, 2s})
    uut.lost("w", at);

  EXPECT_EQ(uut.left("w", 5s), 7s);
  EXPECT_EQ(uut.left("w", 12s), 0s);
  EXPECT_EQ(uut.left("other", 5s), 0s);
}

TEST(flap_book, is_news_where_a_node_waits_longer_than_people_know) {
  flap_book uut;
  std::vector<int> news;
  for (int i = 1; i <= 12; ++i) {
    uut.lost("a", i * 1s);
    if (uut.is_news("a", i * 1s))
      news.push_back(i);
    EXPECT_FALSE(uut.is_news("a", i * 1s));
  }

  // Once for each longer wait: 10, 20, 40, 80, 160 and 300 s.
  EXPECT_THAT(news, ElementsAre(3, 4, 5, 6, 7, 8));
}

TEST(flap_book, is_news_again_where_a_loss_was_forgiven) {
  flap_book uut;
  for (auto at : {0s, 1s, 2s})
    uut.lost("a", at);
  EXPECT_TRUE(uut.is_news("a", 2s));

  for (auto at : {1000s, 1001s, 1002s})
    uut.lost("a", at);

  EXPECT_TRUE(uut.is_news("a", 1002s));
}

TEST(flap_book, forgives_with_time) {
  flap_book uut;
  for (auto at : {0s, 1s, 2s})
    uut.lost("w", at);

  EXPECT_EQ(uut.losses("w", 603s), 0u);
  uut.lost("w", 603s);
  EXPECT_EQ(uut.wait("w", 603s), 0s);
}

TEST(flap_book, does_not_grow_with_time) {
  flap_book uut;
  for (int i = 0; i < 10'000; ++i) {
    uut.lost("w", 1s * i);
    uut.lost("n" + std::to_string(i), 1s * i);
  }

  EXPECT_LE(uut.size(), 602u);
  EXPECT_LE(uut.losses("w", 10'000s), 64u);
}

} // namespace
} // namespace tune
