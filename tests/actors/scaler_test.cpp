// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include "tune/actors/scaler.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <mutex>
#include <thread>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

lease_request one_cpu(std::uint64_t trial) {
  resources what;
  what.cpu = amount::of(1);
  return {trial_id{trial}, {{what}, {}}, true, {}};
}

/// A command's calls, and how they end; its own thread calls it.
struct calls {
  std::mutex mutex;
  std::vector<scaling_call> all;
  scaling_result answer;
  std::vector<std::string> said;
};

struct scaler_test : support::deterministic_system {
  cluster_actor cluster = keep(spawn_cluster(*system));
  support::mock<runner_actor> runner = mock_runner();
  support::mock<node_actor> node = mock_node();
  std::shared_ptr<calls> made = std::make_shared<calls>();
  std::shared_ptr<scaling_board> board = std::make_shared<scaling_board>();

  void begin(const scaling_rules& rules) {
    scaler_settings settings;
    settings.rules = rules;
    settings.call = [made = made](const scaling_call& what, const std::atomic<bool>&) {
      std::lock_guard guard{made->mutex};
      made->all.push_back(what);
      return made->answer;
    };
    settings.say = [made = made](const std::string& text) { made->said.push_back(text); };
    settings.board = board;
    keep(spawn_scaler(*system, std::move(settings), caf::actor_cast<cluster_local_actor>(cluster)));
    run_now();
  }

  std::size_t count() {
    std::lock_guard guard{made->mutex};
    return made->all.size();
  }

  /// Waits for the thread of a call; no time passes.
  void wait_until(const std::function<bool()>& holds) {
    for (int i = 0; i < 10'000 && !holds(); ++i) {
      std::this_thread::sleep_for(1ms);
      run_now();
    }
    EXPECT_TRUE(holds());
  }
  bool is_at_rest() { return !board->read()->what.is_calling; }
  void offer(const std::string& name, std::uint64_t session) {
    resources has;
    has.cpu = amount::of(1);
    tell(cluster, node_offer{name, has, {}, session, "process of " + name}, node.actor);
    node.heard->forget();
  }
};

TEST_F(scaler_test, calls_for_what_waits_and_tells_of_it) {
  tell(cluster, one_cpu(1), runner.actor);
  begin({});

  wait_until([this] { return count() == 1 && is_at_rest(); });

  EXPECT_EQ(made->all[0].more, 1u);
  EXPECT_THAT(made->said, Contains("asks for 1 worker: 1 wanted, 0 there"));
  EXPECT_EQ(board->read()->what.asked, 1u);
  runner.heard->forget();
}

TEST_F(scaler_test, tells_what_failed_and_tries_again) {
  made->answer = {error{ec::process, "it exited with 3: no quota"}, {"a line"}};
  tell(cluster, one_cpu(1), runner.actor);
  begin({});
  wait_until([this] { return count() == 1 && is_at_rest(); });
  EXPECT_THAT(made->said, Contains("scale_command: a line"));
  EXPECT_THAT(made->said, Contains("scale_command failed: it exited with 3: no quota; tried again "
                                   "in 30 s"));
  EXPECT_EQ(board->read()->what.last_failure, "it exited with 3: no quota");
  made->answer = {};

  pass(31s);

  wait_until([this] { return count() == 2 && is_at_rest(); });
  EXPECT_EQ(board->read()->what.failures, 0u);
  runner.heard->forget();
}

TEST_F(scaler_test, names_idle_workers_once_nothing_can_be_placed_there) {
  offer("far", 5);
  begin({});
  pass(302s);
  wait_until([this] { return count() == 1 && is_at_rest(); });

  EXPECT_EQ(made->all[0].idle, std::vector<std::string>{"far"});
  tell(cluster, one_cpu(1), runner.actor);
  EXPECT_EQ(runner.heard->size(), 0u);
  pass(60s);
  wait_until([this] { return count() == 2 && is_at_rest(); });
  runner.heard->forget();
  // It stays there, and works again.
  pass(245s);
  EXPECT_EQ(runner.take<lease_granted>().trial.number, 1u);
  EXPECT_THAT(made->said, Contains(HasSubstr("worker far gets trials again")));
  runner.heard->forget();
  node.heard->forget();
}

} // namespace
} // namespace tune
