// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/known_nodes.hpp"

#include "tune/core/cluster/node_labels.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(known_nodes, have_names_for_their_devices_or_numbers) {
  known_nodes uut;
  uut.came("a", {{{}, {}, {}, {"GPU-17", "GPU-4"}}});

  EXPECT_THAT(uut.device_names("a", {1, 2}), ElementsAre("GPU-4", "2"));
  EXPECT_THAT(uut.device_names("gone", {0}), ElementsAre("0"));
}

TEST(known_nodes, are_reached_where_their_routes_say) {
  known_nodes uut;
  uut.came("head", {});
  uut.came("a", {{{}, {}, {"10.0.0.2", "10.0.0.1"}}});

  EXPECT_THAT(uut.addresses({"a", "head", "gone"}),
              ElementsAre("10.0.0.2", "10.0.0.1", "10.0.0.1"));
}

TEST(known_nodes, lack_trainables_that_their_programs_do_not_have) {
  known_nodes uut;
  uut.came("head", {});
  uut.came("a", {{{}, {trainable_label("net")}}, "w1", 5});

  EXPECT_THAT(uut.missing_trainables("a", {trainable_label("net"), "gpu"}), IsEmpty());
  EXPECT_THAT(uut.missing_trainables("a", {trainable_label("tree"), "gpu"}),
              ElementsAre(trainable_label("tree")));
  EXPECT_THAT(uut.missing_trainables("head", {trainable_label("tree")}), IsEmpty());
}

TEST(known_nodes, begin_with_an_empty_note_when_they_come_again) {
  known_nodes uut;
  uut.came("a", {{}, "w1", 5}).missed.jobs.insert("digits");

  uut.came("a", {{}, "w1", 6});

  EXPECT_THAT(uut.find("a")->missed.jobs, IsEmpty());
  EXPECT_TRUE(uut.lost("a"));
  EXPECT_FALSE(uut.lost("a"));
  EXPECT_EQ(uut.find("a"), nullptr);
}

} // namespace
} // namespace tune
