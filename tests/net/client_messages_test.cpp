// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/client_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using testing::HasSubstr;

client_hello someone() {
  return {{2, "0.1.0", "0.17.6"}, "lab", "me@laptop"};
}

TEST(client_messages, come_back_as_they_were_sent) {
  auto hello = client_hello_from_json(to_json(someone()));
  ASSERT_TRUE(hello);
  EXPECT_EQ(**hello, someone());

  for (auto queue : {std::optional<bool>{}, std::optional{true}, std::optional{false}}) {
    submission_message words{"digits", "digits-00ff", "me@laptop", resume_mode::errored_only,
                             queue,    "csv"};
    auto back = submission_message_from_json(to_json(words));
    ASSERT_TRUE(back) << to_text(back.error());
    EXPECT_EQ(*back, words);
  }
  for (auto planned : {std::optional<std::uint64_t>{}, std::optional<std::uint64_t>{7}}) {
    submission_taken taken{3, "/srv/results/digits", planned};
    auto back = submission_taken_from_json(to_json(taken));
    ASSERT_TRUE(back) << to_text(back.error());
    EXPECT_EQ(*back, taken);
  }
  for (auto what :
       {client_request::kind::state, client_request::kind::interrupt, client_request::kind::rows}) {
    client_request asked{what, 3, 1000};
    auto back = client_request_from_json(to_json(asked));
    ASSERT_TRUE(back) << to_text(back.error());
    EXPECT_EQ(*back, asked);
  }
}

TEST(client_messages, carry_commands) {
  remote_command all{"add",    {"x", "y"}, {"--key=k"},  {"experiments"},
                     {"lr=1"}, "./mine",   "--head h:1", 80};

  auto back = remote_command_from_json(to_json(all));

  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(*back, all);
  auto wrong = remote_command_from_json(
      R"({"command":"add","experiments":[1],"program":"","reaching":"","columns":0})");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().detail, HasSubstr("in a command: experiments must be texts"));
}

TEST(client_messages, tell_a_client_from_a_worker) {
  hello worker;
  worker.name = "w";

  auto read = client_hello_from_json(to_json(worker));

  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
  EXPECT_FALSE(client_hello_from_json("GET / HTTP/1.1"));
  EXPECT_FALSE(client_hello_from_json("{\"role\":\"client\"}"));
}

TEST(client_messages, come_back_to_an_experiment_and_know_what_it_optimises) {
  submission_message wish{"digits", {}, "me@laptop", std::nullopt, {}, "csv"};
  wish.attaches = true;
  wish.numbered = true;
  wish.usual_searcher = true;
  wish.search_options = {"startup", "candidates"};
  wish.add = R"([{"x":1}])";
  wish.add_key = "00ff";
  EXPECT_EQ(*submission_message_from_json(to_json(wish)), wish);
  submission_taken taken{7, "/srv/digits-2", 20, "digits-2", {{"loss", false}, {"acc", true}}};
  EXPECT_EQ(*submission_taken_from_json(to_json(taken)), taken);
  client_request rows{client_request::kind::rows, 7, 0, "csv"};
  EXPECT_EQ(*client_request_from_json(to_json(rows)), rows);
}

TEST(client_messages, may_be_of_a_head_or_client_that_knows_less) {
  auto taken = submission_taken_from_json(R"({"ok":true,"key":1,"directory":"d","planned":null})");
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->experiment, "");
  auto words = submission_message_from_json(
      R"({"experiment":"x","job":"j","from":"f","resume":null,"queue_trials":null,"rows":""})");
  ASSERT_TRUE(words);
  EXPECT_FALSE(words->attaches || words->numbered || words->usual_searcher);
  EXPECT_TRUE(words->search_options.empty());
  EXPECT_EQ(words->add + words->add_key, "");
}

TEST(client_messages, carry_a_refusal_with_its_kind) {
  auto read = submission_taken_from_json(to_json(error{ec::impossible_request, "too large"}));

  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), (error{ec::impossible_request, "too large"}));
  auto of_later = submission_taken_from_json("{\"ok\":false,\"code\":200,\"why\":\"new\"}");
  ASSERT_FALSE(of_later);
  EXPECT_EQ(of_later.error(), (error{ec::internal, "new"}));
}

TEST(client_messages, name_what_is_wrong) {
  auto unknown = client_request_from_json("{\"ask\":\"weather\",\"key\":1,\"from\":0}");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().detail, HasSubstr("'weather' cannot be asked"));
  auto negative = client_request_from_json("{\"ask\":\"state\",\"key\":-1,\"from\":0}");
  ASSERT_FALSE(negative);
  EXPECT_THAT(negative.error().detail, HasSubstr("key is negative"));
}

TEST(client_messages, are_refused_with_both_versions_or_both_clusters) {
  EXPECT_TRUE(may_submit(someone(), {2, "0.2.0", "0.17.6"}, "lab"));

  auto version = may_submit(someone(), {3, "0.2.0", "0.17.6"}, "lab");
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code, ec::refused);
  EXPECT_THAT(version.error().detail, HasSubstr("client 'me@laptop' tune-node 0.1.0 (protocol 2"));
  auto cluster = may_submit(someone(), {2, "0.1.0", "0.17.6"}, "other");
  ASSERT_FALSE(cluster);
  EXPECT_THAT(cluster.error().detail, HasSubstr("'other'"));
}

TEST(rows_piece, never_splits_a_character) {
  std::string all = "aä€😀z";
  for (std::size_t most = 4; most < 12; ++most) {
    std::string together;
    for (auto last = false; !last;) {
      auto piece = piece_of(all, together.size(), most);
      auto back = rows_piece_from_json(to_json(piece));
      ASSERT_TRUE(back);
      EXPECT_LE(piece.text.size(), most);
      together += back->text;
      last = piece.last;
    }
    EXPECT_EQ(together, all) << most;
  }
  EXPECT_EQ(piece_of("", 0, 4), (rows_piece{"", true}));
  EXPECT_EQ(piece_of("abc", 7, 4), (rows_piece{"", true}));
}

} // namespace
} // namespace tune
