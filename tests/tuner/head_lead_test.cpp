// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/head_lead.hpp"

#include "support/processes.hpp"

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
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

/// Another process leads, and is stopped.
struct stopped_head_test : head_lead_test {
  pid_t child = -1;

  void begin() {
    child = ::fork();
    if (child == 0) {
      const auto lead = head_lead::take(how());
      if (lead)
        ::raise(SIGSTOP);
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));
  }
  ~stopped_head_test() override {
    if (child > 0) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  /// @returns the signal that has ended it; 0: none has.
  int ended_by() {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) != child)
      return 0;
    child = -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
};

TEST_F(stopped_head_test, is_killed_by_the_one_that_takes_its_place) {
  ASSERT_NO_FATAL_FAILURE(begin());

  auto second = head_lead::take(how(true));

  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_FALSE((*second)->by_force());
  EXPECT_EQ(ended_by(), SIGKILL);
  EXPECT_THAT(told, HasSubstr("takes over by force: killed pid "));
}

TEST_F(stopped_head_test, is_put_out_of_the_lead_where_it_is_on_another_machine) {
  ASSERT_NO_FATAL_FAILURE(begin());
  std::stringstream beat;
  beat << std::ifstream{part("beat")}.rdbuf();
  auto text = beat.str();
  const std::string key = "\"process\":\"";
  ASSERT_THAT(text, HasSubstr(key));
  replace("beat", text.insert(text.find(key) + key.size(), "another-boot-"));

  auto second = head_lead::take(how(true));

  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_TRUE((*second)->by_force());
  EXPECT_EQ(ended_by(), 0);
  EXPECT_THAT(told,
              HasSubstr("silent, but not gone, and is not ended from here: it is on another"));
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
