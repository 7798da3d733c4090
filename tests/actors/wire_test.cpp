// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"
#include "support/packed.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <regex>

namespace tune {
namespace {

using bytes = support::packed_bytes;

struct wire_test : support::deterministic_system {
  template <class T>
  bytes packed(T x) {
    bytes result;
    EXPECT_TRUE(support::pack(*system, x, result));
    return result;
  }

  template <class T>
  bool unpack(const bytes& from, T& into) {
    return support::unpack(*system, from, into);
  }

  /// Packs and unpacks `x`, and checks that packing the copy gives the same bytes.
  template <class T>
  T travelled(const T& x) {
    auto there = packed(x);
    T back{};
    EXPECT_TRUE(unpack(there, back));
    EXPECT_EQ(packed(back), there);
    return back;
  }

  /// Like `travelled`, but as a whole message, which is how values cross between processes.
  template <class T>
  T travelled_as_message(const T& x) {
    auto there = packed(caf::make_message(x));
    caf::message back;
    EXPECT_TRUE(unpack(there, back));
    EXPECT_TRUE(back.match_elements<T>());
    return back.match_elements<T>() ? back.get_as<T>(0) : T{};
  }
};

object awkward() {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  return {{"nan", std::nan("")},
          {"inf", infinity},
          {"-inf", -infinity},
          {"subnormal", 1e-310},
          {"minus zero", -0.0},
          {"most", std::numeric_limits<std::int64_t>::max()},
          {"", ""},
          {"zero", std::string{"a\0b", 3}},
          {"planes", "aé€𝄞\xF4\x8F\xBF\xBF"},
          {"list", value::list{value::list{1, value::list{}}, object{{"x", nullptr}}}},
          {"object", object{{"deep", object{{"deeper", -1.5}}}}}};
}

shared_object shared(object what) {
  return {std::make_shared<const object>(std::move(what))};
}

TEST_F(wire_test, carries_a_launch_order_unharmed) {
  launch_order x;
  x.trial = 7;
  x.attempt = attempt_id{3, 1'000'000'007};
  x.lease = 12;
  x.config = shared(awkward());
  x.gpus = {0, 3, 4'000'000'000};
  x.cpus = 0.1;
  x.gpu_amount = std::nan("");
  x.memory = std::numeric_limits<std::uint64_t>::max();
  x.restore_from = "trials/00007/attempt_1_2/checkpoint_000003";
  x.launch_token = "sealed";
  x.iteration = 42;
  x.time_total_ns = -1;
  x.turn = 77;
  x.lacks_objective = true;

  auto y = travelled(x);

  EXPECT_EQ(y.turn, x.turn);
  EXPECT_TRUE(y.lacks_objective);
  EXPECT_EQ(y.trial, x.trial);
  EXPECT_EQ(y.attempt.id(), x.attempt.id());
  EXPECT_EQ(y.lease, x.lease);
  EXPECT_EQ(*y.config.content, awkward());
  EXPECT_EQ(y.gpus, x.gpus);
  EXPECT_EQ(y.cpus.bits, x.cpus.bits);
  EXPECT_EQ(y.gpu_amount.bits, x.gpu_amount.bits);
  EXPECT_EQ(y.memory, x.memory);
  EXPECT_EQ(y.restore_from, x.restore_from);
  EXPECT_EQ(y.launch_token, x.launch_token);
  EXPECT_EQ(y.iteration, x.iteration);
  EXPECT_EQ(y.time_total_ns, x.time_total_ns);
  EXPECT_EQ(packed(travelled_as_message(x)), packed(x));
}

TEST_F(wire_test, carries_what_a_node_says_when_it_comes_back_unharmed) {
  node_inventory has{7, {1, 3, std::numeric_limits<std::uint64_t>::max()}};
  leases_kept kept{{3}};
  words_heard heard{attempt_id{2, 9}, 5};

  EXPECT_EQ(travelled(has).turn, has.turn);
  EXPECT_EQ(travelled(has).leases, has.leases);
  EXPECT_EQ(travelled(kept).leases, kept.leases);
  EXPECT_EQ(travelled(heard).attempt.id(), heard.attempt.id());
  EXPECT_EQ(travelled(heard).upto, heard.upto);
}

TEST_F(wire_test, carries_whether_a_node_lacks_something_only_for_now) {
  launch_declined x{std::numeric_limits<std::uint64_t>::max(), "no process: pids.max", true};

  EXPECT_EQ(travelled(x).lease, x.lease);
  EXPECT_EQ(travelled(x).why, x.why);
  EXPECT_TRUE(travelled(x).is_passing);
  EXPECT_FALSE(travelled(launch_declined{1, "", false}).is_passing);
}

TEST_F(wire_test, carries_a_report_unharmed) {
  attempt_report x;
  x.attempt = attempt_id{1, 2};
  x.number = 3;
  x.iteration = 4;
  x.time_this_iter_ns = 5;
  x.time_total_ns = 6;
  x.timestamp_ms = std::numeric_limits<std::int64_t>::max();
  x.pid = -7;
  x.done = true;
  x.has_checkpoint = true;
  x.metrics = shared(awkward());

  auto y = travelled(x);

  EXPECT_EQ(y.attempt.id(), x.attempt.id());
  EXPECT_EQ(y.number, 3u);
  EXPECT_EQ(y.iteration, 4u);
  EXPECT_EQ(y.time_this_iter_ns, 5);
  EXPECT_EQ(y.time_total_ns, 6);
  EXPECT_EQ(y.timestamp_ms, x.timestamp_ms);
  EXPECT_EQ(y.pid, -7);
  EXPECT_TRUE(y.done);
  EXPECT_TRUE(y.has_checkpoint);
  EXPECT_EQ(*y.metrics.content, awkward());
  EXPECT_EQ(packed(travelled_as_message(x)), packed(x));
}

TEST_F(wire_test, carries_exports_and_what_is_said_of_pauses_unharmed) {
  attempt_id id{4, 5};

  auto made = travelled_as_message(
      attempt_exported{id, "there", 7, {"model", "onnx"}, {"there/model", ""}, {"", "why"}});
  auto dropped = travelled_as_message(pause_dropped{"w1", "job", "memory:there"});

  EXPECT_EQ(made.attempt.id(), id);
  EXPECT_EQ(made.location, "there");
  EXPECT_EQ(made.bytes, 7u);
  EXPECT_EQ(made.formats, (std::vector<std::string>{"model", "onnx"}));
  EXPECT_EQ(made.paths, (std::vector<std::string>{"there/model", ""}));
  EXPECT_EQ(made.whys, (std::vector<std::string>{"", "why"}));
  EXPECT_EQ(dropped.job, "job");
  EXPECT_EQ(dropped.location, "memory:there");
}

TEST_F(wire_test, carries_the_rest_of_an_attempt_unharmed) {
  attempt_id id{4, 5};

  auto answer
      = travelled_as_message(attempt_answer{id, 1, answer_kind::save_and_end, 2, 3, true, true});
  EXPECT_TRUE(answer.in_memory);
  EXPECT_TRUE(answer.exports);
  auto started = travelled_as_message(attempt_started{id, -1});
  auto saved = travelled_as_message(attempt_saved{id, 1, 2, 3, std::string{"a\0b", 3}, 4});
  auto failed = travelled_as_message(attempt_save_failed{id, 1, "why", 5, true});
  EXPECT_EQ(failed.iteration, 5u);
  EXPECT_TRUE(failed.unable);
  auto ended = travelled_as_message(attempt_ended{id, 3, "why", true, -9});
  auto halt = travelled_as_message(attempt_halt{id, 2, true});
  EXPECT_TRUE(halt.exports);
  auto key = travelled_as_message(attempt_key{id});

  EXPECT_EQ(answer.attempt.id(), id);
  EXPECT_EQ(answer.number, 1u);
  EXPECT_EQ(answer.kind, answer_kind::save_and_end);
  EXPECT_EQ(answer.until, 2u);
  EXPECT_EQ(answer.checkpoint, 3u);
  EXPECT_EQ(started.pid, -1);
  EXPECT_EQ(saved.checkpoint, 1u);
  EXPECT_EQ(saved.iteration, 2u);
  EXPECT_EQ(saved.time_total_ns, 3);
  EXPECT_EQ(saved.location, (std::string{"a\0b", 3}));
  EXPECT_EQ(saved.bytes, 4u);
  EXPECT_EQ(failed.why, "why");
  EXPECT_EQ(ended.how, 3);
  EXPECT_EQ(ended.detail, "why");
  EXPECT_TRUE(ended.has_status);
  EXPECT_EQ(ended.exit_status, -9);
  EXPECT_EQ(halt.how, 2);
  EXPECT_EQ(key.id(), id);
}

TEST_F(wire_test, tells_no_object_from_an_empty_one) {
  EXPECT_EQ(travelled(shared_object{}).content, nullptr);
  ASSERT_NE(travelled(shared({})).content, nullptr);
  EXPECT_TRUE(travelled(shared({})).content->empty());
}

TEST_F(wire_test, keeps_every_bit_of_a_number) {
  for (auto x : {0.1, -0.0, 1e-310, std::nan(""), std::numeric_limits<double>::infinity(),
                 -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(travelled(f64{x}).bits, f64{x}.bits) << x;
  }
}

TEST_F(wire_test, carries_handles_of_actors) {
  auto trial = mock_trial();
  auto trainable = mock_trainable();
  auto node = mock_node();

  EXPECT_EQ(travelled_as_message(trial.actor), trial.actor);
  EXPECT_EQ(travelled_as_message(trainable.actor), trainable.actor);
  EXPECT_EQ(travelled_as_message(node.actor), node.actor);
}

TEST_F(wire_test, refuses_a_report_whose_metrics_were_damaged) {
  attempt_report x;
  x.metrics = shared({{"loss", 0.5}});
  auto good = packed(x);
  attempt_report y;
  ASSERT_TRUE(unpack(good, y));

  // The number is the last nine bytes before the empty list of remarks and a flag: give it an
  // unknown kind.
  const auto behind = packed(x.remarks).size() + packed(x.trained_on).size();
  auto bad = good;
  bad[bad.size() - behind - 9] = bytes::value_type{99};

  EXPECT_FALSE(unpack(bad, y));
}

TEST(wire_header, names_no_raw_floating_point_number) {
  for (const auto* name :
       {"/include/tune/actors/wire.hpp", "/include/tune/actors/node_messages.hpp",
        "/include/tune/actors/actors.hpp"}) {
    std::ifstream in{std::string{TUNE_SOURCE_DIR} + name};
    ASSERT_TRUE(in) << name;
    std::size_t lines = 0;
    for (std::string line; std::getline(in, line); ++lines) {
      line = line.substr(0, line.find("//"));
      EXPECT_FALSE(std::regex_search(line, std::regex{R"(\b(double|float)\b)"})) << line;
    }
    EXPECT_GT(lines, 100u) << name;
  }
}

} // namespace
} // namespace tune
