// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/hello.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using ::testing::HasSubstr;

hello somebody() {
  hello result;
  result.build = {1, "0.1.0", "0.17.6"};
  result.cluster = "lab";
  result.name = "w\xC3\xA4rter \"1\"";
  result.worker = "00ff";
  result.wall_ms = 1'700'000'000'123;
  result.capacity.cpu = amount::of(2.5);
  result.capacity.gpu = amount::of(1);
  result.capacity.memory = std::uint64_t{1} << 40;
  result.capacity.custom["licence"] = amount::of(0.5);
  result.labels = {"trainable a", "trainable b"};
  result.process = "boot:1:2:3";
  result.route = {"10.0.0.5", "10.0.0.1"};
  result.devices = {"GPU-1f", "3"};
  result.head = "0a1b";
  return result;
}

TEST(hello, comes_back_as_it_was) {
  auto back = hello_from_json(to_json(somebody()));

  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(*back, somebody());
}

TEST(hello, answers_come_back_as_they_were) {
  for (const hello_answer& x :
       {hello_answer{
            welcome{{1, "0.1.0", "0.17.6"}, "w-2", 17, 5, "00ff", "boot:1:2:3", 1500, 60'000}},
        hello_answer{rejection{"other cluster", false}}, hello_answer{rejection{"later", true}}}) {
    auto back = hello_answer_from_json(to_json(x));

    ASSERT_TRUE(back) << to_text(back.error());
    EXPECT_EQ(*back, x);
  }
}

TEST(hello, farewells_come_back_as_they_were_and_are_nothing_else) {
  const farewell words{{5, "0.1.0", "0.17.6"}, "lab", "00ff"};

  auto back = farewell_from_json(to_json(words));

  ASSERT_TRUE(back && *back);
  EXPECT_EQ(**back, words);
  EXPECT_EQ(*farewell_from_json(to_json(somebody())), std::nullopt);
  EXPECT_FALSE(farewell_from_json(R"({"role": "farewell"})"));
}

TEST(hello, names_what_is_missing_or_wrong) {
  auto why = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    auto read = hello_from_json(text);
    return read ? std::string{"read"} : read.error().detail;
  };
  auto good = to_json(somebody());

  EXPECT_THAT(why(good, "\"cluster\"", "\"klaster\""), HasSubstr("cluster is missing"));
  EXPECT_THAT(why(good, "\"00ff\"", "7"), HasSubstr("worker has a wrong type"));
  EXPECT_THAT(why(good, "25000", "-25000"), HasSubstr("capacity: cpu is negative"));
  EXPECT_THAT(why(good, "\"trainable a\"", "3"), HasSubstr("labels has a wrong type"));
  EXPECT_FALSE(hello_from_json("GET / HTTP/1.1"));
  EXPECT_FALSE(hello_from_json("[]"));
}

TEST(hello, does_without_what_earlier_versions_do_not_say) {
  auto text = to_json(somebody());
  text.replace(text.find("\"process\""), 9, "\"pr\"");

  auto back = hello_from_json(text);

  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(back->process, "");
}

TEST(hello, ignores_fields_of_later_versions) {
  auto text = to_json(somebody());
  text.insert(1, "\"mood\":\"fine\",");

  auto back = hello_from_json(text);

  ASSERT_TRUE(back);
  EXPECT_EQ(*back, somebody());
}

TEST(hello, is_refused_with_both_versions_or_both_clusters) {
  auto who = somebody();
  EXPECT_TRUE(may_enter(who, {1, "0.2.0", "0.17.6"}, "lab"));

  auto protocol = may_enter(who, {2, "0.2.0", "0.17.6"}, "lab");
  ASSERT_FALSE(protocol);
  EXPECT_EQ(protocol.error().code, ec::refused);
  EXPECT_THAT(protocol.error().detail, HasSubstr("tune-node 0.2.0 (protocol 2, CAF 0.17.6)"));
  EXPECT_THAT(protocol.error().detail, HasSubstr("tune-node 0.1.0 (protocol 1, CAF 0.17.6)"));
  EXPECT_FALSE(may_enter(who, {1, "0.1.0", "1.1.0"}, "lab"));

  auto cluster = may_enter(who, {1, "0.1.0", "0.17.6"}, "other");
  ASSERT_FALSE(cluster);
  EXPECT_THAT(cluster.error().detail, HasSubstr("'other'"));
  EXPECT_THAT(cluster.error().detail, HasSubstr("'lab'"));
}

TEST(node_name, is_made_free_and_harmless) {
  const auto none = [](const std::string&) { return false; };
  EXPECT_EQ(free_name("w", none), "w");
  EXPECT_EQ(free_name("w", [](const std::string& x) { return x == "w" || x == "w-2"; }), "w-3");
  EXPECT_EQ(free_name("", none), "node");
  EXPECT_EQ(free_name("../../etc", none), "..-..-etc");
  EXPECT_EQ(free_name(std::string(5000, 'x'), none).size(), 100u);
}

} // namespace
} // namespace tune
