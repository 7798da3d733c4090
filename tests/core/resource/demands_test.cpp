// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/resource/demands.hpp"

#include "tune/core/cluster/node_labels.hpp"
#include "tune/core/resource/ledger.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::HasSubstr;

node_labels node_with(std::initializer_list<const char*> labels,
                      std::initializer_list<const char*> taints = {}) {
  node_labels result{node_label("w1")};
  for (const auto* x : labels)
    result.insert(given_label(x));
  for (const auto* x : taints)
    result.insert(given_taint(x));
  return result;
}

bool has(const node_labels& node, std::string_view requirement) {
  EXPECT_TRUE(check_requirement(requirement)) << requirement;
  return meets(node, require_word(requirement));
}

TEST(demands, compare_labels_as_the_values_that_they_would_be_in_a_configuration) {
  const auto uut = node_with({"gpu_model=A100", "disk-gb=900", "ssd=true"});

  EXPECT_TRUE(has(uut, "gpu_model == A100"));
  EXPECT_TRUE(has(uut, "gpu_model != H100 and disk-gb >= 100"));
  EXPECT_TRUE(has(uut, "gpu_model in (A100, H100) and ssd"));
  EXPECT_FALSE(has(uut, "disk-gb < 900"));
  EXPECT_TRUE(has(uut, "node == w1"));
}

TEST(demands, leave_labels_and_taints_as_they_were_given) {
  const auto uut = node_with({"zone=b", "disk_gb=900"}, {"spot", "site=x"});

  EXPECT_EQ(labels_given(uut), (std::vector<std::string>{"disk_gb=900", "zone=b"}));
  EXPECT_EQ(taints_given(uut), (std::vector<std::string>{"site=x", "spot"}));
  EXPECT_EQ(labels_given(node_with({})), std::vector<std::string>{});
}

TEST(demands, are_not_met_by_a_node_that_lacks_the_label) {
  const auto uut = node_with({});

  EXPECT_FALSE(has(uut, "zone == b"));
  EXPECT_FALSE(has(uut, "zone != b"));
  EXPECT_FALSE(has(uut, "not zone == b"));
  EXPECT_TRUE(has(uut, "zone == b or node == w1"));
}

TEST(demands, tolerate_taints_by_name_by_value_or_all) {
  const auto uut = node_with({}, {"spot", "team=vision"});

  EXPECT_FALSE(meets(uut, tolerate_word("")));
  EXPECT_FALSE(meets(uut, tolerate_word("spot")));
  EXPECT_FALSE(meets(uut, tolerate_word("spot, team=speech")));
  EXPECT_TRUE(meets(uut, tolerate_word("spot, team=vision")));
  EXPECT_TRUE(meets(uut, tolerate_word("team, spot")));
  EXPECT_TRUE(meets(uut, tolerate_word("*")));
  EXPECT_TRUE(meets(node_with({"a=b"}), tolerate_word("")));
}

TEST(demands, name_what_is_wrong_with_a_word) {
  EXPECT_TRUE(check_label("gpu_model=A100 80GB"));
  for (const auto* wrong : {"", "zone", "=b", "1a=b", "zone=", "node=x", "and=x", "a b=c", "a=b,c"})
    EXPECT_THAT(check_label(wrong).error().detail, HasSubstr("is not NAME=VALUE")) << wrong;
  EXPECT_TRUE(check_taint("spot"));
  EXPECT_FALSE(check_taint("spot="));
  EXPECT_TRUE(check_tolerated("spot, team=x, *"));
  EXPECT_FALSE(check_tolerated("spot,,x"));
  EXPECT_THAT(check_requirement("== b").error().detail, HasSubstr("a label's name"));
  EXPECT_THAT(check_requirement("zone = b").error().detail, HasSubstr("column 6"));
}

TEST(demands, have_equal_words_for_equal_lists) {
  EXPECT_EQ(tolerate_word("b, a"), tolerate_word("a,b,a"));
  EXPECT_TRUE(is_demand(tolerate_word("")));
  EXPECT_FALSE(is_demand(given_label("a=b")));
}

TEST(demands, bind_the_nodes_of_all_bundles) {
  ledger books;
  const auto demand = require_word("zone == b");
  const resources one{amount::of(1), {}, 0, {}};
  books.set_node("a", one);
  books.set_node("b", one, {demand});

  const auto why = books.impossible({{one, one}}, {demand});

  ASSERT_TRUE(why);
  EXPECT_THAT(why->detail, HasSubstr("cannot hold 2 x (1 CPU)"));
  books.set_node("c", one, {demand});
  EXPECT_FALSE(books.impossible({{one, one}}, {demand}));
}

TEST(demands, that_no_node_meets_are_told_as_they_were_written) {
  ledger books;
  const resources one{amount::of(1), {}, 0, {}};
  const auto demand = require_word("gpu_model == A100");
  books.set_node("a", one, {tolerate_word("")});

  EXPECT_THAT(books.impossible({{one}}, {demand, tolerate_word("")})->detail,
              HasSubstr("no node meets require = gpu_model == A100: the cluster has 1 node"));
  books.set_node("a", one);
  EXPECT_THAT(books.impossible({{one}}, {tolerate_word("")})->detail,
              HasSubstr("every node has a taint"));
  books.set_node("b", one, {demand});
  books.set_node("a", one, {tolerate_word("")});
  EXPECT_THAT(books.impossible({{one}}, {demand, tolerate_word("")})->detail,
              HasSubstr("no node has all of this: require = gpu_model == A100 and no taint"));
  const resources four{amount::of(4), {}, 0, {}};
  EXPECT_THAT(books.impossible({{four}}, {demand})->detail,
              HasSubstr("no node with require = gpu_model == A100 can hold 4 CPU"));
}

} // namespace
} // namespace tune
