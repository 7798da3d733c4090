// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/node_route.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(node_route, gives_workers_on_other_machines_their_own_ends) {
  EXPECT_THAT(addresses_of({{"10.0.0.2", "10.0.0.1"}, {"10.0.0.3", "10.0.0.1"}}),
              ElementsAre("10.0.0.2", "10.0.0.3"));
}

TEST(node_route, gives_the_heads_node_the_address_by_which_a_worker_reaches_it) {
  EXPECT_THAT(addresses_of({{}, {"10.0.0.3", "10.0.0.1"}}), ElementsAre("10.0.0.1", "10.0.0.3"));
}

TEST(node_route, gives_a_worker_beside_the_head_what_others_call_that_machine) {
  EXPECT_THAT(addresses_of({{"127.0.0.1", "127.0.0.1"}, {"10.0.0.3", "10.0.0.1"}}),
              ElementsAre("10.0.0.1", "10.0.0.3"));
  EXPECT_THAT(addresses_of({{"::1", "::1"}, {"fd00::3", "fd00::1"}}),
              ElementsAre("fd00::1", "fd00::3"));
}

TEST(node_route, gives_all_on_the_heads_machine_the_loopback) {
  EXPECT_THAT(addresses_of({{}, {"127.0.0.1", "127.0.0.1"}, {"127.0.1.1", "127.0.1.1"}}),
              ElementsAre("127.0.0.1", "127.0.0.1", "127.0.0.1"));
  EXPECT_THAT(addresses_of({}), IsEmpty());
}

} // namespace
} // namespace tune
