// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/scaling/scaling_command.hpp"

#include "tune/io/json.hpp"
#include "tune/io/scaling/scaling_options.hpp"

#include <gmock/gmock.h>

#include <thread>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

scaling_call some_call() {
  scaling_call result;
  result.wanted = 5;
  result.now = 2;
  result.asked = 1;
  result.more = 2;
  result.idle = {"w1", "w2"};
  resources half;
  half.cpu = amount::of(2);
  half.gpu = amount::of(0.5);
  half.memory = 1024;
  half.custom["licence"] = amount::of(1);
  result.pending = {{half, 3, {"require model == A100", "tolerate spot"}}};
  result.kinds
      = {{{"require a == 1 or b", "require c", "tolerate flaky,spot=2"}, 1, 1}, {{}, 1, 0}};
  result.least = 1;
  result.most = 8;
  return result;
}

struct scaling_command_test : testing::Test {
  scaling_command how{"", "/", 30s, {"TUNE_HEAD=h:1"}};
  std::atomic<bool> stop = false;

  scaling_result run(const std::string& text) {
    how.text = text;
    return run_scaling_command(how, some_call(), stop);
  }
  std::string fault(const std::string& text) {
    auto result = run(text);
    return result.how ? std::string{"none"} : result.how.error().detail;
  }
};

TEST_F(scaling_command_test, is_told_by_json_and_by_variables) {
  // Lines are cut where people are to see them.
  const auto x = run(
      "sed 's/,\"kinds\"/\\n&/'; echo \"$TUNE_WANTED_WORKERS $TUNE_NOW_WORKERS $TUNE_ASKED_WORKERS "
      "$TUNE_MORE_WORKERS $TUNE_MIN_WORKERS $TUNE_MAX_WORKERS $TUNE_IDLE_WORKERS "
      "$TUNE_HEAD $PWD\"; echo \"$TUNE_MORE_KINDS\"");

  ASSERT_TRUE(x.how);
  EXPECT_FALSE(*x.how);
  EXPECT_THAT(x.lines, ElementsAre(R"({"wanted":5,"now":2,"asked":1,"more":2,"idle":["w1","w2"],)"
                                   R"("pending":[{"cpu":2,"gpu":0.5,"memory":1024,"count":3,)"
                                   R"("custom":{"licence":1},"require":"model == A100",)"
                                   R"("tolerate":["spot"]}])",
                                   R"(,"kinds":[{"more":1,"asked":1,)"
                                   R"x("require":"(a == 1 or b) and (c)",)x"
                                   R"("tolerate":["flaky","spot=2"]},{"more":1,"asked":0}],)"
                                   R"("bounds":[1,8]})",
                                   "5 2 1 2 1 8 w1 w2 h:1 /",
                                   "1|1|flaky,spot=2|(a == 1 or b) and (c)", "1|0||"));
}

TEST_F(scaling_command_test, may_answer_how_many_it_asked_for) {
  EXPECT_EQ(**run("echo '{\"asked\": 1, \"more\": \"to come\"}'").how, 1u);
  EXPECT_EQ(*run("echo '{}'").how, std::nullopt);
  EXPECT_EQ(*run("true").how, std::nullopt);
}

TEST_F(scaling_command_test, may_answer_after_much_else) {
  EXPECT_EQ(**run("seq 1 300000; echo '{\"asked\": 0}'").how, 0u);
}

TEST_F(scaling_command_test, answers_that_make_no_sense_are_failures) {
  EXPECT_THAT(fault("echo '{\"asked\": '"), HasSubstr("its answer is no JSON object"));
  EXPECT_THAT(fault("echo '{\"asked\": -1}'"), HasSubstr("asked is negative"));
  EXPECT_THAT(fault("echo '{\"asked\": \"two\"}'"), HasSubstr("asked has a wrong type"));
}

TEST_F(scaling_command_test, failures_are_told_with_what_it_said_last) {
  EXPECT_EQ(fault("echo no quota >&2; exit 3"), "it exited with 3: no quota");
  EXPECT_EQ(fault("kill -9 $$"), "it was ended by signal 9");
  EXPECT_THAT(fault("/not/there"), HasSubstr("it exited with 127: "));
  how.directory = "/not/there";
  EXPECT_THAT(fault("true"), HasSubstr("/not/there"));
}

TEST_F(scaling_command_test, one_that_hangs_is_killed) {
  how.timeout = 300ms;
  EXPECT_THAT(fault("sleep 100"), HasSubstr("did not end within 1 s"));
  EXPECT_THAT(fault("sleep 100 & echo begun"), HasSubstr("may hold its output open"));
}

TEST_F(scaling_command_test, is_killed_when_the_head_ends) {
  std::thread later{[this] {
    std::this_thread::sleep_for(300ms);
    stop = true;
  }};

  EXPECT_THAT(fault("sleep 100"), HasSubstr("the head ends"));

  later.join();
}

TEST_F(scaling_command_test, prints_so_much_and_no_more) {
  const auto x = run("i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i + 1)); done;"
                     "head -c 5000 /dev/zero | tr '\\0' x; printf '\\033[2J\\n' >&2");

  EXPECT_TRUE(x.how);
  EXPECT_THAT(x.lines, SizeIs(20));
  EXPECT_THAT(run("printf '\\033[2J\\n' >&2").lines, ElementsAre("\\x1b[2J"));
}

TEST_F(scaling_command_test, need_not_read_what_it_is_told) {
  EXPECT_TRUE(run("exec <&-; exit 0").how);
}

TEST(scale_worker, is_one_object) {
  auto read = scale_worker_from(R"({"cpu": 4, "gpu": 1, "memory": "2GiB"})");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(to_text(read->front()), "4 CPU, 1 GPU, 2 GiB memory");
  EXPECT_TRUE(scale_worker_from(" ")->empty());
  for (const auto* wrong : {"4", "{", "{\"cpu\": 1}, {\"cpu\": 2}", "{\"cup\": 1}", "[]"})
    EXPECT_FALSE(scale_worker_from(wrong)) << wrong;
}

} // namespace
} // namespace tune
