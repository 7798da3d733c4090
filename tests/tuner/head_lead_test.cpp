// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/head_lead.hpp"

#include "support/processes.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

namespace tune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

struct head_lead_test : testing::Test {
  support::scratch_directory place;
  std::promise<std::string> fenced;
  std::string told;

  head_lead::settings how(bool stands_by = false) {
    head_lead::settings result;
    result.storage = place.path();
    result.most_silence = 1s;
    result.stands_by = stands_by;
    result.tell = [this](const std::string& text) { told += text + "\n"; };
    result.wait = [](instant time) { std::this_thread::sleep_for(time); };
    result.fenced = [this](const std::string& why) { fenced.set_value(why); };
    return result;
  }
  [[nodiscard]] fs::path part(const char* name) const { return place.path() / ".tune_lead" / name; }
  /// Puts another file in the place of this one, at once.
  void replace(const char* name, const std::string& text) const {
    std::ofstream{part("new")} << text;
    fs::rename(part("new"), part(name));
  }
};

TEST_F(head_lead_test, is_for_one_head_at_a_time) {
  auto first = head_lead::take(how());
  ASSERT_TRUE(first);
  EXPECT_FALSE((*first)->by_force());

  auto second = head_lead::take(how());

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ec::refused);
  EXPECT_THAT(second.error().detail, HasSubstr("leads the experiments in"));
  EXPECT_THAT(second.error().detail, HasSubstr("--standby"));
}

TEST_F(head_lead_test, is_taken_by_the_one_that_stands_by_when_the_first_ends) {
  auto first = head_lead::take(how());
  ASSERT_TRUE(first);
  auto second = std::async(std::launch::async, [this] { return head_lead::take(how(true)); });
  // It keeps the lead however long the other waits.
  ASSERT_EQ(second.wait_for(1500ms), std::future_status::timeout);

  first->reset();

  auto next = second.get();
  ASSERT_TRUE(next);
  EXPECT_FALSE((*next)->by_force());
  EXPECT_THAT(told, HasSubstr("stands by: "));
}

TEST_F(head_lead_test, is_lost_to_a_head_of_a_later_epoch) {
  auto first = head_lead::take(how());
  ASSERT_TRUE(first);

  replace("beat", R"({"epoch":7,"beat":1})");

  auto why = fenced.get_future();
  ASSERT_EQ(why.wait_for(30s), std::future_status::ready);
  EXPECT_THAT(why.get(), HasSubstr("(epoch 7, ours is 1)"));
}

TEST_F(head_lead_test, is_lost_with_the_lock) {
  auto first = head_lead::take(how());
  ASSERT_TRUE(first);

  replace("lock", "another\n");

  auto why = fenced.get_future();
  ASSERT_EQ(why.wait_for(30s), std::future_status::ready);
  EXPECT_THAT(why.get(), HasSubstr("was replaced while it was in use"));
}

TEST_F(head_lead_test, goes_on_where_its_beat_makes_no_sense) {
  for (const auto* text : {"", "{", "[]", R"({"epoch":-3,"beat":"x"})"}) {
    {
      auto first = head_lead::take(how());
      ASSERT_TRUE(first) << text;
    }
    std::ofstream{part("beat")} << text;
  }
  EXPECT_TRUE(head_lead::take(how()));
}

} // namespace
} // namespace tune
