// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/event_codec.hpp"

#include "event_samples.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tune {
namespace {

std::string json_of(const event_body& what) {
  std::string result;
  append_event_json(result, what);
  return result;
}

TEST(event_codec, B1_2_brings_every_kind_of_event_back_exactly) {
  for (const auto& body : samples::every_kind()) {
    const auto text = json_of(body);
    auto read = event_from_json(name_of(body), text);
    ASSERT_TRUE(read.has_value()) << read.error().detail << "\n" << text;
    EXPECT_TRUE(samples::same(body, *read)) << name_of(body) << " " << text;
    EXPECT_EQ(json_of(*read), text);
  }
}

TEST(event_codec, is_tested_with_every_kind) {
  std::set<std::size_t> seen;
  for (const auto& body : samples::every_kind())
    seen.insert(body.index());

  EXPECT_EQ(seen.size(), std::variant_size_v<event_body>);
}

TEST(event_codec, writes_ordinary_go_ons_in_few_bytes) {
  on::decided batch;
  for (std::uint64_t i = 0; i < 100; ++i)
    batch.answers.push_back({100'000 + i, {{{i}, go_on{}, {}}}});

  const auto text = json_of(batch);

  EXPECT_LT(text.size(), 100u * 13);
  EXPECT_EQ(text.substr(0, 36), R"({"answers":[[100000,0],[100001,1],[1)");
}

TEST(event_codec, writes_one_line_of_readable_json) {
  on::placed what{{3}, {1, 4}, {{2}, {{"local", {amount{10000}, amount{5000}, 0, {}}, {}}}}};

  EXPECT_EQ(json_of(what), R"({"trial":3,"attempt":"1.4","lease":{"id":2,"bundles":)"
                           R"([{"node":"local","what":{"cpu":1,"gpu":0.5,"memory":0}}]}})");
}

TEST(event_codec, names_the_exceptions_beside_the_field) {
  on::suggested what{
      1, std::vector<suggestion>{{samples::config({{"a", "inf"}, {"b", samples::inf}}), "random"}}};

  EXPECT_EQ(json_of(what), R"({"ask":1,"what":{"trials":[{"config":{"a":"inf","b":"inf"},)"
                           R"("config#":[[1]],"origin":"random"}]}})");
}

TEST(event_codec, reads_and_leaves_out_what_earlier_versions_did_not_have) {
  const std::string text = R"({"trial":1,"attempt":"1.1","checkpoint":2,"why":"disk full"})";

  auto read = event_from_json("save_failed", text);

  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_FALSE(std::get<on::save_failed>(*read).unable);
  EXPECT_EQ(json_of(std::get<on::save_failed>(*read)), text);
}

TEST(event_codec, says_of_a_node_that_it_was_lost_where_it_did_not_go_by_itself) {
  const std::string text = R"({"node":"w","why":"it left"})";
  auto read = event_from_json("node_down", text);
  ASSERT_TRUE(read) << read.error().detail;
  auto down = std::get<on::node_down>(*read);

  EXPECT_FALSE(down.is_lost);
  EXPECT_EQ(json_of(down), text);
  down.is_lost = true;
  EXPECT_EQ(json_of(down), R"({"node":"w","why":"it left","is_lost":true})");
}

TEST(event_codec, reads_heads_that_do_not_say_how_they_draw) {
  const std::string text = R"({"epoch":1,"build":"0","spec":"{}","seed":3})";
  auto read = event_from_json("opened", text);
  ASSERT_TRUE(read) << read.error().detail;
  auto head = std::get<on::opened>(*read);

  EXPECT_EQ(head.draws, 0u);
  EXPECT_EQ(json_of(head), text);
  head.draws = on::present_draws;
  EXPECT_EQ(json_of(head), R"({"epoch":1,"build":"0","spec":"{}","seed":3,"draws":15})");
}

TEST(event_codec, refuses_what_it_does_not_know_naming_kind_and_field) {
  EXPECT_EQ(event_from_json("exploded", "{}").error().code, ec::unknown_name);
  EXPECT_EQ(event_from_json("placed", "{").error().code, ec::bad_syntax);
  EXPECT_EQ(event_from_json("started", R"({"trial":1,"attempt":"1.1"})").error().detail,
            "started: pid is missing");
  EXPECT_EQ(event_from_json("started", R"({"trial":-1,"attempt":"1.1","pid":0})").error().detail,
            "started: trial wants a whole number of at least 0");
  EXPECT_EQ(event_from_json("started", R"({"trial":1,"attempt":"1.","pid":0})").error().detail,
            "started: attempt wants an attempt such as \"1.42\"");
  EXPECT_EQ(event_from_json("suggest_asked", R"({"ask":1,"count":4294967296})").error().detail,
            "suggest_asked: count wants a whole number of 32 bits");
  EXPECT_EQ(event_from_json("chosen", R"({"what":{"at":1,"start":[1,"x"]}})").error().detail,
            "chosen: what start [1] wants a whole number of at least 0");
  EXPECT_EQ(event_from_json("decided",
                            R"({"answers":[{"cause":1,"actions":[{"trial":1,"what":{"x":{}}}]}]})")
                .error()
                .detail,
            "decided: answers [0] [0] what has the unknown name \"x\"");
}

} // namespace
} // namespace tune
