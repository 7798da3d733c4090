// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/resource/ledger.hpp"

#include "tune/core/resource/demands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace tune {
namespace {

using strategy = resource_request::strategy;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

resources cpus(double cpu, double gpu = 0) {
  return {amount::of(cpu), amount::of(gpu), 0, {}};
}

resource_request one(resources what) {
  return {{std::move(what)}, strategy::pack};
}

resource_request many(std::size_t count, const resources& what, strategy how) {
  return {std::vector<resources>(count, what), how};
}

std::vector<std::uint64_t> tokens(const std::vector<ledger::granted>& grants) {
  std::vector<std::uint64_t> result;
  for (const auto& x : grants)
    result.push_back(x.token);
  return result;
}

std::vector<std::string> nodes_of(const lease& what) {
  std::vector<std::string> result;
  for (const auto& x : what.bundles)
    result.push_back(x.node);
  return result;
}

/// Grants one request at once, or fails the test.
lease grant_now(ledger& uut, resource_request what) {
  uut.enqueue(999999, std::move(what));
  auto grants = uut.grant();
  EXPECT_THAT(tokens(grants), ElementsAre(999999u));
  return grants.empty() ? lease{} : grants.front().what;
}

TEST(ledger, grants_in_order_of_arrival_as_long_as_it_fits) {
  ledger uut;
  uut.set_node("a", cpus(2));
  for (std::uint64_t token : {7, 3, 5})
    uut.enqueue(token, one(cpus(1)));

  auto grants = uut.grant();

  EXPECT_THAT(tokens(grants), ElementsAre(7u, 3u));
  EXPECT_EQ(uut.waiting(), 1u);
  EXPECT_TRUE(uut.release(grants[0].what.id));
  EXPECT_THAT(tokens(uut.grant()), ElementsAre(5u));
}

TEST(ledger, serves_the_owner_with_the_fewest_grants_first) {
  ledger uut;
  uut.set_node("a", cpus(4));
  for (std::uint64_t token = 1; token <= 8; ++token)
    uut.enqueue(token, one(cpus(1)), {}, 1);
  auto first = uut.grant();
  EXPECT_THAT(tokens(first), ElementsAre(1u, 2u, 3u, 4u));
  for (std::uint64_t token = 11; token <= 14; ++token)
    uut.enqueue(token, one(cpus(1)), {}, 2);

  std::vector<std::uint64_t> next;
  for (const auto& x : first) {
    uut.release(x.what.id);
    for (auto token : tokens(uut.grant()))
      next.push_back(token);
  }

  // Two grants each, then by turns: with equal numbers of grants, the one that has waited longer.
  EXPECT_THAT(next, ElementsAre(11u, 12u, 5u, 6u));
}

TEST(ledger, has_owners_share_what_they_ask_for_in_different_shapes) {
  ledger uut;
  uut.set_node("a", cpus(3));
  uut.enqueue(1, one(cpus(1)), {}, 1);
  uut.enqueue(2, one(cpus(2)), {}, 1);
  uut.enqueue(3, one(cpus(1)), {}, 2);
  uut.enqueue(4, one(cpus(1)), {}, 2);
  uut.cancel(3);

  EXPECT_THAT(tokens(uut.grant()), ElementsAre(1u, 4u));
  EXPECT_EQ(uut.waiting(), 1u);
}

TEST(ledger, lets_a_small_request_pass_a_large_one_that_does_not_fit) {
  ledger uut;
  uut.set_node("a", cpus(2));
  auto first = grant_now(uut, one(cpus(1)));
  uut.enqueue(1, one(cpus(2)));
  uut.enqueue(2, one(cpus(1)));

  EXPECT_THAT(tokens(uut.grant()), ElementsAre(2u));

  uut.release(first.id);
  EXPECT_THAT(uut.grant(), IsEmpty());
}

TEST(ledger, frees_a_lease_once) {
  ledger uut;
  uut.set_node("a", cpus(1));
  auto held = grant_now(uut, one(cpus(1)));

  EXPECT_TRUE(uut.release(held.id));
  EXPECT_FALSE(uut.release(held.id));
  EXPECT_EQ(uut.used(), resources{});
}

TEST(ledger, does_not_grant_what_was_withdrawn) {
  ledger uut;
  uut.enqueue(1, one(cpus(1)));
  uut.enqueue(2, one(cpus(1)));

  EXPECT_TRUE(uut.cancel(1));
  EXPECT_FALSE(uut.cancel(1));
  uut.set_node("a", cpus(4));

  EXPECT_THAT(tokens(uut.grant()), ElementsAre(2u));
  EXPECT_FALSE(uut.cancel(2));
}

TEST(ledger, replaces_a_request_that_waits_under_the_same_token) {
  ledger uut;
  uut.enqueue(1, one(cpus(9)));
  uut.enqueue(1, one(cpus(1)));
  uut.set_node("a", cpus(1));

  EXPECT_THAT(tokens(uut.grant()), ElementsAre(1u));
  EXPECT_EQ(uut.waiting(), 0u);
}

TEST(ledger, lets_a_second_node_in) {
  ledger uut;
  uut.set_node("a", cpus(1));
  uut.enqueue(1, one(cpus(1)));
  uut.enqueue(2, one(cpus(1)));
  EXPECT_THAT(tokens(uut.grant()), ElementsAre(1u));

  uut.set_node("b", cpus(1));

  auto grants = uut.grant();
  ASSERT_THAT(tokens(grants), ElementsAre(2u));
  EXPECT_THAT(nodes_of(grants[0].what), ElementsAre("b"));
}

TEST(ledger, serves_custom_resources_and_memory) {
  ledger uut;
  uut.set_node("a", {amount::of(8), {}, 1000, {{"licence", amount::of(1)}}});
  resources licensed{amount::of(1), {}, 0, {{"licence", amount::of(1)}}};
  resources fat{amount::of(1), {}, 600, {}};
  uut.enqueue(1, one(licensed));
  uut.enqueue(2, one(licensed));
  uut.enqueue(3, one(fat));
  uut.enqueue(4, one(fat));

  EXPECT_THAT(tokens(uut.grant()), ElementsAre(1u, 3u));
}

// Behaviour A4.2.
TEST(ledger, puts_one_share_of_three_quarters_on_each_device) {
  ledger uut;
  uut.set_node("a", cpus(8, 2));
  for (std::uint64_t token = 0; token < 4; ++token)
    uut.enqueue(token, one(cpus(1, 0.75)));

  auto grants = uut.grant();

  ASSERT_THAT(grants, SizeIs(2));
  EXPECT_THAT(grants[0].what.bundles[0].gpus, ElementsAre(gpu_share{0, amount::of(0.75)}));
  EXPECT_THAT(grants[1].what.bundles[0].gpus, ElementsAre(gpu_share{1, amount::of(0.75)}));
}

TEST(ledger, fills_a_broken_device_before_it_breaks_a_fresh_one) {
  ledger uut;
  uut.set_node("a", cpus(8, 3));
  grant_now(uut, one(cpus(1, 0.3)));
  auto second = grant_now(uut, one(cpus(1, 0.5)));
  auto whole = grant_now(uut, one(cpus(1, 2)));

  EXPECT_THAT(second.bundles[0].gpus, ElementsAre(gpu_share{0, amount::of(0.5)}));
  EXPECT_THAT(whole.bundles[0].gpus,
              ElementsAre(gpu_share{1, amount::of(1)}, gpu_share{2, amount::of(1)}));
}

TEST(ledger, takes_the_fullest_device_that_still_holds_a_share) {
  ledger uut;
  uut.set_node("a", cpus(8, 2));
  grant_now(uut, one(cpus(1, 0.4)));
  grant_now(uut, one(cpus(1, 0.7)));

  auto small = grant_now(uut, one(cpus(1, 0.3)));
  auto medium = grant_now(uut, one(cpus(1, 0.6)));

  EXPECT_EQ(small.bundles[0].gpus[0].device, 1u);
  EXPECT_EQ(medium.bundles[0].gpus[0].device, 0u);
}

TEST(ledger, does_not_add_up_leftovers_of_two_devices) {
  ledger uut;
  uut.set_node("a", cpus(8, 2));
  grant_now(uut, one(cpus(1, 0.6)));
  grant_now(uut, one(cpus(1, 0.6)));

  uut.enqueue(1, one(cpus(1, 0.8)));

  EXPECT_THAT(uut.grant(), IsEmpty());
  EXPECT_FALSE(uut.impossible(one(cpus(1, 0.8))));
}

TEST(ledger, names_the_shapes_of_requests_that_wait_and_fit_no_node) {
  ledger uut;
  uut.set_node("a", cpus(2));
  grant_now(uut, one(cpus(2)));
  uut.enqueue(1, one(cpus(1)), {}, 1);
  uut.enqueue(2, one(cpus(4)), {}, 1);
  uut.enqueue(3, one(cpus(4)), {}, 1);
  uut.enqueue(4, one(cpus(1)), {"trainable other"}, 2);

  auto found = uut.stranded_requests();

  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].owner, 1u);
  EXPECT_THAT(found[0].why, HasSubstr("no node can hold 4 CPU"));
  EXPECT_EQ(found[1].owner, 2u);
  EXPECT_THAT(found[1].why, HasSubstr("no node has trainable other"));
  uut.set_node("b", cpus(4), {"trainable other"});
  EXPECT_THAT(uut.stranded_requests(), IsEmpty());
}

TEST(ledger, prefers_nodes_without_devices_for_those_who_need_none) {
  ledger uut;
  uut.set_node("a", cpus(2, 4));
  uut.set_node("b", cpus(8));

  EXPECT_THAT(nodes_of(grant_now(uut, one(cpus(1)))), ElementsAre("b"));
}

TEST(ledger, packs_bundles_on_the_one_node_that_holds_all) {
  ledger uut;
  uut.set_node("a", cpus(2));
  uut.set_node("b", cpus(4));

  auto held = grant_now(uut, many(2, cpus(2), strategy::pack));

  EXPECT_THAT(nodes_of(held), ElementsAre("b", "b"));
}

TEST(ledger, packs_over_several_nodes_where_one_does_not_do) {
  ledger uut;
  uut.set_node("a", cpus(2));
  uut.set_node("b", cpus(3));

  auto held = grant_now(uut, {{cpus(1), cpus(3), cpus(1)}, strategy::pack});

  EXPECT_THAT(nodes_of(held), ElementsAre("a", "b", "a"));
}

TEST(ledger, spreads_bundles_as_far_as_nodes_reach) {
  ledger uut;
  uut.set_node("a", cpus(4));
  uut.set_node("b", cpus(4));

  auto held = grant_now(uut, many(3, cpus(1), strategy::spread));

  auto nodes = nodes_of(held);
  EXPECT_THAT((std::set<std::string>{nodes.begin(), nodes.end()}), ElementsAre("a", "b"));
}

TEST(ledger, fills_one_node_after_the_other_unless_told_to_spread) {
  for (auto [policy, wanted] : {std::pair{placement_policy::pack, "a a a b"},
                                std::pair{placement_policy::spread, "b a b a"}}) {
    ledger uut;
    uut.set_node("a", cpus(3));
    uut.set_node("b", cpus(4));

    std::string given;
    for (int i = 0; i < 4; ++i) {
      auto held = grant_now(uut, {{cpus(1)}, strategy::pack, policy});
      given += (i == 0 ? "" : " ") + nodes_of(held).at(0);
    }

    EXPECT_EQ(given, wanted);
  }
}

TEST(ledger, spreads_shares_of_gpus_over_nodes_before_devices) {
  ledger uut;
  uut.set_node("a", cpus(8, 2));
  uut.set_node("b", cpus(4, 2));

  std::string given;
  for (int i = 0; i < 4; ++i) {
    auto held = grant_now(uut, {{cpus(0, 0.5)}, strategy::pack, placement_policy::spread});
    const auto& bundle = held.bundles.at(0);
    given += bundle.node + std::to_string(bundle.gpus.at(0).device) + ' ';
  }

  EXPECT_EQ(given, "a0 b0 a0 b0 ");
}

TEST(ledger, keeps_bundles_together_where_trials_are_spread) {
  ledger uut;
  uut.set_node("a", cpus(2));
  uut.set_node("b", cpus(4));
  const resource_request two{{cpus(1), cpus(1)}, strategy::pack, placement_policy::spread};

  auto first = grant_now(uut, two);
  auto second = grant_now(uut, two);

  EXPECT_THAT(nodes_of(first), ElementsAre("b", "b"));
  EXPECT_THAT(nodes_of(second), ElementsAre("a", "a"));
}

TEST(ledger, refuses_to_split_what_must_stay_together) {
  ledger uut;
  uut.set_node("a", cpus(2));
  uut.set_node("b", cpus(2));
  auto together = many(3, cpus(1), strategy::strict_pack);

  uut.enqueue(1, together);

  EXPECT_THAT(uut.grant(), IsEmpty());
  auto why = uut.impossible(together);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ec::impossible_request);
  EXPECT_EQ(why->detail, "no single node can hold 3 x (1 CPU), strict_pack: the cluster has "
                         "2 nodes: 4 CPU (largest node: a with 2 CPU)");
}

TEST(ledger, refuses_to_join_what_must_be_apart) {
  ledger uut;
  uut.set_node("a", cpus(8));
  uut.set_node("b", cpus(8));
  auto apart = many(3, cpus(1), strategy::strict_spread);

  uut.enqueue(1, apart);

  EXPECT_THAT(uut.grant(), IsEmpty());
  EXPECT_THAT(uut.impossible(apart)->detail, HasSubstr("no 3 different nodes can hold"));
  uut.set_node("c", cpus(1));
  EXPECT_THAT(tokens(uut.grant()), ElementsAre(1u));
}

TEST(ledger, names_demands_where_bundles_fit_no_nodes_that_meet_them) {
  ledger uut;
  const node_labels plain{tolerate_word({})};
  uut.set_node("a", cpus(1), plain);
  uut.set_node("b", cpus(1), plain);
  uut.set_node("tainted", cpus(4));

  EXPECT_THAT(uut.impossible(many(3, cpus(1), strategy::strict_spread), plain, {})->detail,
              HasSubstr("no 3 different nodes without taints can hold 3 x (1 CPU)"));
  EXPECT_THAT(uut.impossible(many(2, cpus(1), strategy::strict_pack), plain, {})->detail,
              HasSubstr("no single node without taints can hold 2 x (1 CPU)"));
  EXPECT_THAT(uut.impossible(many(3, cpus(1), strategy::pack), plain, {})->detail,
              HasSubstr("all nodes without taints together cannot hold 3 x (1 CPU)"));
}

TEST(ledger, grants_all_bundles_or_none) {
  ledger uut;
  uut.set_node("a", cpus(3));
  uut.enqueue(1, many(2, cpus(2), strategy::pack));

  EXPECT_THAT(uut.grant(), IsEmpty());
  EXPECT_EQ(uut.used(), resources{});

  uut.set_node("b", cpus(2));
  EXPECT_THAT(tokens(uut.grant()), ElementsAre(1u));
  EXPECT_EQ(uut.used(), cpus(4));
}

TEST(ledger, finds_a_place_that_the_first_idea_misses) {
  ledger uut;
  // Node "a" fits the 2 CPUs most tightly, but the licence is only there.
  uut.set_node("a", {amount::of(2), {}, 0, {{"licence", amount::of(1)}}});
  uut.set_node("b", cpus(3));
  resources licensed{amount::of(1), {}, 0, {{"licence", amount::of(1)}}};

  auto held = grant_now(uut, {{cpus(2), licensed}, strategy::pack});

  EXPECT_THAT(nodes_of(held), ElementsAre("b", "a"));
}

TEST(ledger, says_what_no_node_can_hold_and_what_there_is) {
  ledger uut;
  uut.set_node("a", {amount::of(4), {}, 33500123904, {}});

  auto why = uut.impossible(one(cpus(5)));

  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ec::impossible_request);
  EXPECT_EQ(why->detail, "no node can hold 5 CPU: the cluster has 1 node: 4 CPU, 31.2 GiB memory");
  uut.set_node("b", cpus(2, 1));
  EXPECT_EQ(uut.impossible(one(cpus(5)))->detail,
            "no node can hold 5 CPU: the cluster has 2 nodes: 6 CPU, 1 GPU, 31.2 GiB memory "
            "(largest node: b with 2 CPU, 1 GPU)");
  EXPECT_FALSE(uut.impossible(one(cpus(4))));
}

TEST(ledger, names_the_node_that_has_most_of_the_custom_resource_asked_for) {
  ledger uut;
  uut.set_node("local", cpus(8));
  uut.set_node("far", {amount::of(2), {}, 0, {{"licence", amount::of(1)}}});
  auto why = [&](const std::string& kind) {
    return uut.impossible(one({amount::of(1), {}, 0, {{kind, amount::of(2)}}}))->detail;
  };

  EXPECT_THAT(why("licence"), HasSubstr("(largest node: far with 2 CPU"));
  EXPECT_THAT(why("fpga"), HasSubstr("(no node has fpga)"));
}

TEST(ledger, says_so_when_there_is_no_node_at_all) {
  EXPECT_EQ(ledger{}.impossible(one(cpus(1)))->detail,
            "no node can hold 1 CPU: the cluster has no nodes");
}

TEST(ledger, judges_possibility_by_capacity_not_by_what_is_free) {
  ledger uut;
  uut.set_node("a", cpus(2));
  grant_now(uut, one(cpus(2)));

  EXPECT_FALSE(uut.impossible(one(cpus(2))));
}

TEST(ledger, never_grants_broken_or_negative_amounts) {
  ledger uut;
  uut.set_node("a", cpus(8, 8));

  for (const auto& bad : {one(cpus(1, 1.5)), one(cpus(-1)), one(cpus(1, -1))}) {
    EXPECT_TRUE(uut.impossible(bad)) << to_text(bad);
    uut.enqueue(1, bad);
    EXPECT_THAT(uut.grant(), IsEmpty()) << to_text(bad);
  }
}

TEST(ledger, needs_a_node_even_for_nothing) {
  ledger uut;
  uut.enqueue(1, {});
  EXPECT_THAT(uut.grant(), IsEmpty());

  uut.set_node("a", cpus(1));

  auto grants = uut.grant();
  ASSERT_THAT(grants, SizeIs(1));
  EXPECT_THAT(nodes_of(grants[0].what), ElementsAre("a"));
}

TEST(ledger, forgets_the_capacity_of_a_lost_node_but_takes_its_leases_back) {
  ledger uut;
  uut.set_node("a", cpus(2));
  uut.set_node("b", cpus(1));
  auto held = grant_now(uut, one(cpus(2)));

  uut.remove_node("a");

  EXPECT_EQ(uut.total(), cpus(1));
  EXPECT_EQ(uut.used(), resources{});
  EXPECT_TRUE(uut.impossible(one(cpus(2))));
  EXPECT_TRUE(uut.release(held.id));
  EXPECT_FALSE(uut.release(held.id));
  EXPECT_EQ(uut.summary(), "1 node: 1 CPU");
}

TEST(ledger, does_not_grant_twice_what_a_returning_node_still_holds) {
  ledger uut;
  uut.set_node("a", cpus(2));
  auto held = grant_now(uut, one(cpus(2)));
  uut.remove_node("a");

  uut.set_node("a", cpus(2));
  uut.enqueue(1, one(cpus(1)));

  EXPECT_THAT(uut.grant(), IsEmpty());
  uut.release(held.id);
  EXPECT_THAT(tokens(uut.grant()), ElementsAre(1u));
}

TEST(ledger, grants_nothing_more_of_a_node_that_shrank) {
  ledger uut;
  uut.set_node("a", cpus(4, 2));
  auto held = grant_now(uut, one(cpus(3, 2)));

  uut.set_node("a", cpus(2, 1));
  uut.enqueue(1, one(cpus(1)));

  EXPECT_THAT(uut.grant(), IsEmpty());
  uut.release(held.id);
  EXPECT_THAT(tokens(uut.grant()), ElementsAre(1u));
  EXPECT_EQ(uut.used(), cpus(1));
}

TEST(ledger, serves_a_long_queue_without_looking_at_all_of_it) {
  constexpr std::uint64_t trials = 20000;
  ledger uut;
  uut.set_node("a", cpus(1));
  for (std::uint64_t token = 0; token < trials; ++token)
    uut.enqueue(token, one(cpus(1)));

  // Quadratic work would take minutes here.
  for (std::uint64_t token = 0; token < trials; ++token) {
    auto grants = uut.grant();
    ASSERT_THAT(tokens(grants), ElementsAre(token));
    uut.release(grants[0].what.id);
  }

  EXPECT_EQ(uut.waiting(), 0u);
}

/// The test's own books, to check the ledger against.
struct books {
  std::map<std::string, resources> capacity;
  std::map<std::uint64_t, lease> held;

  void expect_no_overcommitment(const lease& fresh) const {
    std::map<std::string, resources> used;
    std::map<std::pair<std::string, std::uint32_t>, amount> devices;
    for (const auto& [id, x] : held) {
      for (const auto& bundle : x.bundles) {
        used[bundle.node] += bundle.what;
        amount shares;
        for (const auto& share : bundle.gpus) {
          devices[{bundle.node, share.device}] += share.share;
          shares += share.share;
        }
        EXPECT_EQ(shares, bundle.what.gpu);
      }
    }
    // Checks only the nodes of the fresh lease: others may have shrunk below what they granted.
    for (const auto& bundle : fresh.bundles) {
      ASSERT_TRUE(capacity.contains(bundle.node));
      const auto& has = capacity.at(bundle.node);
      const auto& uses = used[bundle.node];
      if (bundle.what.cpu.units > 0) {
        EXPECT_LE(uses.cpu, has.cpu);
      }
      if (bundle.what.memory > 0) {
        EXPECT_LE(uses.memory, has.memory);
      }
      for (const auto& [name, much] : bundle.what.custom) {
        EXPECT_LE(uses.custom.at(name), has.custom.at(name));
      }
      for (const auto& share : bundle.gpus) {
        EXPECT_LT(share.device, device_count(has));
        EXPECT_LE((devices[{bundle.node, share.device}]), amount::of(1));
      }
    }
  }
};

class any_history : public testing::TestWithParam<unsigned> {
protected:
  std::mt19937 random_{GetParam()};

  int pick(int below) { return std::uniform_int_distribution{0, below - 1}(random_); }

  resources some_capacity() {
    resources result = cpus(pick(9), pick(4));
    result.memory = static_cast<std::uint64_t>(pick(2000));
    if (pick(2) == 0)
      result.custom["licence"] = amount::of(pick(3));
    return result;
  }

  resources some_bundle() {
    static constexpr double gpu[] = {0, 0, 0.25, 0.3, 0.5, 0.7, 1, 2};
    resources result = cpus(pick(9) / 2.0, gpu[pick(8)]);
    result.memory = static_cast<std::uint64_t>(pick(2) * pick(900));
    if (pick(5) == 0)
      result.custom["licence"] = amount::of(1);
    return result;
  }

  resource_request some_request() {
    resource_request result;
    auto count = pick(4) == 0 ? 1 + pick(4) : 1;
    for (int i = 0; i < count; ++i)
      result.bundles.push_back(i > 0 && pick(2) == 0 ? result.bundles.back() : some_bundle());
    result.placement = static_cast<strategy>(pick(4));
    return result;
  }

  static void expect_shape(const resource_request& asked, const lease& got) {
    ASSERT_EQ(got.bundles.size(), asked.bundles.size());
    auto nodes = nodes_of(got);
    auto different = std::set<std::string>{nodes.begin(), nodes.end()}.size();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      EXPECT_EQ(got.bundles[i].what.cpu, asked.bundles[i].cpu);
    if (asked.placement == strategy::strict_pack) {
      EXPECT_EQ(different, 1u);
    }
    if (asked.placement == strategy::strict_spread) {
      EXPECT_EQ(different, nodes.size());
    }
  }
};

TEST_P(any_history, never_overcommits_and_ends_with_nothing_used) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  ledger uut;
  books own;
  std::map<std::uint64_t, resource_request> asked;

  for (std::uint64_t step = 0; step < 1500; ++step) {
    auto node = "node" + std::to_string(pick(5));
    switch (pick(10)) {
      case 0:
        own.capacity[node] = some_capacity();
        uut.set_node(node, own.capacity[node]);
        break;
      case 1:
        if (pick(3) == 0) {
          own.capacity.erase(node);
          uut.remove_node(node);
        }
        break;
      case 2: {
        auto token = static_cast<std::uint64_t>(pick(static_cast<int>(step) + 1));
        EXPECT_EQ(uut.cancel(token), asked.erase(token) > 0);
        break;
      }
      case 3:
      case 4:
      case 5:
        if (!own.held.empty()) {
          auto i = std::next(own.held.begin(), pick(static_cast<int>(own.held.size())));
          EXPECT_TRUE(uut.release({i->first}));
          own.held.erase(i);
        }
        break;
      default:
        asked[step] = some_request();
        uut.enqueue(step, asked[step]);
    }
    for (const auto& x : uut.grant()) {
      ASSERT_TRUE(asked.contains(x.token));
      expect_shape(asked[x.token], x.what);
      asked.erase(x.token);
      own.held[x.what.id.number] = x.what;
      own.expect_no_overcommitment(x.what);
    }
    ASSERT_EQ(uut.waiting(), asked.size());
    if (HasFatalFailure() || HasNonfatalFailure())
      return;
  }
  for (const auto& [id, held] : own.held)
    EXPECT_TRUE(uut.release({id}));
  EXPECT_EQ(uut.used(), resources{});
}

TEST_P(any_history, possible_requests_are_granted_by_an_empty_cluster) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  ledger uut;
  for (int i = 0; i < 4; ++i)
    uut.set_node("node" + std::to_string(i), some_capacity());

  for (std::uint64_t token = 0; token < 200; ++token) {
    auto what = some_request();
    auto possible = !uut.impossible(what);

    uut.enqueue(token, what);
    auto grants = uut.grant();

    EXPECT_EQ(grants.size(), possible ? 1u : 0u) << to_text(what);
    uut.cancel(token);
    for (const auto& x : grants)
      uut.release(x.what.id);
  }
}

TEST(ledger, keeps_a_number_for_each_bundle_of_a_lease) {
  ledger uut;
  uut.set_node("a", {amount::of(8), {}, 0, {}});
  const resources one{amount::of(1), {}, 0, {}};
  uut.enqueue(1, {{one, one, one}});
  uut.enqueue(2, {{one}});
  uut.enqueue(3, {{one}});

  const auto grants = uut.grant();

  ASSERT_EQ(grants.size(), 3u);
  EXPECT_EQ(grants[0].what.id, lease_id{1});
  EXPECT_EQ(grants[1].what.id, lease_id{4});
  EXPECT_EQ(grants[2].what.id, lease_id{5});
}

INSTANTIATE_TEST_SUITE_P(ledger, any_history, testing::Range(1u, 6u));

} // namespace
} // namespace tune
