// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/control/control_server.hpp"

#include "../scratch_directory.hpp"
#include "tune/io/control/control_client.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <future>
#include <mutex>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using op = control_request::op;

/// Records requests, and answers at once unless it is told to keep the replies.
struct desk {
  std::mutex guard;
  std::vector<control_request> asked;
  std::vector<control_reply> kept;
  bool keeps = false;
  std::promise<void> was_asked;

  control_handler handler() {
    return [this](const control_request& what, control_reply reply) {
      std::lock_guard lock{guard};
      asked.push_back(what);
      if (!keeps)
        return reply(to_json(control_answer{{{order_verdict::kind::taken, "done", {}}}, {}}));
      kept.push_back(std::move(reply));
      was_asked.set_value();
    };
  }
};

class control_socket : public samples::scratch_directory {
protected:
  fs::path directory;
  desk at;

  void SetUp() override {
    scratch_directory::SetUp();
    directory = root / "x";
    fs::create_directory(directory);
  }
  std::unique_ptr<control_server> start() {
    auto made = control_server::start(directory, at.handler());
    EXPECT_TRUE(made) << made.error().detail;
    return made ? std::move(*made) : nullptr;
  }
  static control_request wish(op what, std::vector<trial_id> trials = {}) {
    control_request result;
    result.what = what;
    result.trials = std::move(trials);
    return result;
  }
  fs::path socket() const { return control_directory(directory) / "socket"; }
};

TEST_F(control_socket, brings_requests_to_the_handler_and_answers_back) {
  auto uut = start();

  auto answer = ask_control(directory, wish(op::stop, {{3}}));

  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_EQ(answer->told.at(0).text, "done");
  ASSERT_EQ(at.asked.size(), 1u);
  EXPECT_EQ(at.asked[0], wish(op::stop, {{3}}));
}

TEST_F(control_socket, is_its_owners_alone_and_gone_with_the_server) {
  auto uut = start();
  struct stat place {};
  struct stat file {};
  ASSERT_EQ(::stat(control_directory(directory).c_str(), &place), 0);
  ASSERT_EQ(::stat(socket().c_str(), &file), 0);

  EXPECT_EQ(place.st_mode & 0777, 0700u);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  EXPECT_TRUE(S_ISSOCK(file.st_mode));
  uut.reset();
  EXPECT_FALSE(fs::exists(control_directory(directory)));
}

TEST_F(control_socket, is_taken_back_from_a_place_that_was_open_to_others) {
  fs::create_directory(control_directory(directory));
  fs::permissions(control_directory(directory), fs::perms::all);

  auto uut = start();

  struct stat place {};
  ASSERT_EQ(::stat(control_directory(directory).c_str(), &place), 0);
  EXPECT_EQ(place.st_mode & 0777, 0700u);
}

TEST_F(control_socket, is_not_made_by_way_of_a_link) {
  fs::create_directory(root / "elsewhere");
  fs::create_directory_symlink(root / "elsewhere", control_directory(directory));

  auto made = control_server::start(directory, at.handler());

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ec::refused);
  EXPECT_TRUE(fs::is_empty(root / "elsewhere"));
}

TEST_F(control_socket, replaces_what_a_killed_head_left) {
  auto left = open_control(directory);
  ASSERT_TRUE(left);
  ::close(*left);
  ASSERT_TRUE(fs::exists(socket()));
  auto nobody = ask_control(directory, wish(op::status));
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, ec::unreachable);
  EXPECT_THAT(nobody.error().detail, HasSubstr("nobody runs this experiment now"));

  auto uut = start();

  EXPECT_TRUE(ask_control(directory, wish(op::pause)));
}

TEST_F(control_socket, may_lie_at_a_path_of_any_length) {
  for (int i = 0; i < 5; ++i)
    directory /= std::string(100, 'd');
  fs::create_directories(directory);
  auto uut = start();

  EXPECT_TRUE(ask_control(directory, wish(op::pause)));
}

TEST_F(control_socket, tells_who_waits_that_the_experiment_ended) {
  at.keeps = true;
  auto uut = start();
  auto waiting
      = std::async(std::launch::async, [this] { return ask_control(directory, wish(op::stop)); });
  at.was_asked.get_future().wait();

  uut.reset();

  auto told = waiting.get();
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, ec::unreachable);
  // A late reply does no harm.
  at.kept.at(0)("too late");
}

TEST_F(control_socket, lets_the_idlest_go_where_too_many_come) {
  auto uut = start();
  std::vector<int> idle;
  for (std::size_t i = 0; i < 3 * most_control_clients; ++i) {
    auto made = connect_control(directory);
    ASSERT_TRUE(made) << made.error().detail;
    idle.push_back(*made);
  }

  EXPECT_TRUE(ask_control(directory, wish(op::unpause)));

  // The first client was disconnected.
  char byte = 0;
  EXPECT_EQ(::read(idle.front(), &byte, 1), 0);
  for (auto x : idle)
    ::close(x);
}

TEST_F(control_socket, tells_whether_a_head_works_on_it) {
  EXPECT_FALSE(is_led(directory));
  {
    auto lock = directory_lock::take(directory);
    ASSERT_TRUE(lock);
    EXPECT_TRUE(is_led(directory));
    auto busy = ask_control(directory, wish(op::status));
    ASSERT_FALSE(busy);
    EXPECT_THAT(busy.error().detail, HasSubstr("works on it, but does not listen here"));
  }
  EXPECT_FALSE(is_led(directory));
}

} // namespace
} // namespace tune
