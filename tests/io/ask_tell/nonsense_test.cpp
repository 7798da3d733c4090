// Faults of a request are reported and have no other effect.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/ask_tell/puppet.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using samples::go_on_zero;
using samples::ok;
using samples::scripted;
using samples::talk;
using testing::HasSubstr;
using testing::StartsWith;

/// A bad line, and the complaint about it.
struct nonsense {
  const char* line;
  const char* why;
};

TEST(ask_tell, faults_nonsense_and_goes_on) {
  talk uut{scripted({{{1, 1}, {{{1}, pause_trial{}, {}}}}})};
  uut.ask();
  uut.ask();
  uut.report(1, 1, 1);
  uut.report(0, 1, 1);
  const nonsense all[] = {
      {R"({})", "\"op\" is missing"},
      {R"({"op":7})", "\"op\" is missing"},
      {R"({"op":"tell"})", "unknown op \"tell\""},
      {R"({"op":"report","metrics":{}})", "\"trial\" is missing"},
      {R"({"op":"report","trial":"x","metrics":{}})", "is not the number of a trial"},
      {R"({"op":"report","trial":"","metrics":{}})", "is not the number of a trial"},
      {R"({"op":"report","trial":-1,"metrics":{}})", "must be the number of a trial"},
      {R"({"op":"report","trial":[],"metrics":{}})", "must be the number of a trial"},
      {R"({"op":"report","trial":"99","metrics":{}})", "there is no trial 00099"},
      {R"({"op":"report","trial":"00002","metrics":{}})", "was not given to you"},
      {R"({"op":"report","trial":"99999999999999999999","metrics":{}})", "is not the number"},
      {R"({"op":"report","trial":"00000"})", "\"metrics\" is missing"},
      {R"({"op":"report","trial":"00000","metrics":[1]})", "\"metrics\" must be an object"},
      {R"({"op":"report","trial":"00000","metrics":"x"})", "\"metrics\" must be an object"},
      {R"({"op":"report","trial":"00000","metrics":{"training_iteration":0}})",
       "training_iteration must be"},
      {R"({"op":"report","trial":"00000","metrics":{"training_iteration":2.5}})",
       "training_iteration must be"},
      {R"({"op":"report","trial":"00000","metrics":{"training_iteration":"2"}})",
       "training_iteration must be"},
      {R"({"op":"report","trial":"00000","metrics":{},"checkpoint":7})", "\"checkpoint\" must be"},
      {R"({"op":"report","trial":"00000","metrics":{},"checkpoint":""})", "\"checkpoint\" must be"},
      {R"({"op":"report","trial":"00000","metrics":{},"attempt":"1"})", "\"attempt\" must be"},
      {R"({"op":"report","trial":"00000","metrics":{},"attempt":2})",
       "has had 1 attempt: there is no 2"},
      {R"({"op":"report","trial":"00001","metrics":{"loss":1}})", "is paused"},
      {R"({"op":"complete","trial":"00001"})", "is paused"},
      {R"({"op":"complete","trial":"00000","metrics":7})", "\"metrics\" must be an object"},
      {R"({"op":"error","trial":"00001"})", "is paused"},
      {R"({"op":"error","trial":"00000","message":{}})", "\"message\" must be a text"},
      {R"({"op":"error","trial":"00000","restore":"yes"})", "\"restore\" must be true or false"},
      {R"({"op":"stop"})", "\"trial\" is missing"},
      {R"({"op":"stop","trial":"99"})", "there is no trial 00099"},
      {R"({"op":"ask","running":7})", "\"running\" must be a list"},
  };
  auto before = uut.world.disk.size();

  for (const auto& x : all) {
    auto answer = uut.say(x.line);
    EXPECT_THAT(answer, StartsWith(R"({"op":"fault","error":")")) << x.line;
    auto said = object_from_json(answer);
    EXPECT_THAT(*said->find("error")->as_string(), HasSubstr(x.why)) << x.line;
  }

  EXPECT_EQ(uut.world.disk.size(), before);
  EXPECT_EQ(uut.report(0, 2, 1), go_on_zero);
}

TEST(ask_tell, faults_a_report_on_what_the_executor_ended) {
  talk uut{{}};
  uut.ask();
  uut.say(R"({"op":"complete","trial":"00000"})");

  EXPECT_EQ(uut.report(0, 1, 1), R"({"op":"fault","error":"trial 00000 has ended"})");
  EXPECT_EQ(uut.say(R"({"op":"complete","trial":"00000"})"), ok);
}

TEST(ask_tell, does_not_repeat_nonsense_at_length) {
  talk uut{{}};

  auto answer = uut.say(R"({"op":")" + std::string(100'000, 'x') + R"("})");

  EXPECT_THAT(answer, StartsWith(R"({"op":"fault")"));
  EXPECT_LT(answer.size(), 1000u);
}

} // namespace
} // namespace tune
