// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/head_session.hpp"

#include "support/deterministic_system.hpp"

#include "tune/net/system.hpp"

#include <gmock/gmock.h>

#include <deque>

namespace tune {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Records all that an observer hears, as lines.
struct listener : head_session_observer {
  std::vector<std::string> lines;
  std::vector<milliseconds> waited;
  std::vector<worker_end> ends;

  void joined(const std::string& name, const welcome&) override {
    lines.push_back("joined " + name);
  }
  void away(const std::string&, milliseconds) override { lines.emplace_back("away"); }
  void back() override { lines.emplace_back("back"); }
  void lost(const std::string&) override { lines.emplace_back("lost"); }
  void waits(const std::string& why, milliseconds wait) override {
    lines.push_back("waits: " + why);
    waited.push_back(wait);
  }
  void idle() override { lines.emplace_back("idle"); }
  void ended(const worker_end& how) override { ends.push_back(how); }
};

/// Behaviour of a node registry, and the messages it received.
struct node_registry_script {
  /// The answer to a hello; empty: it never answers.
  std::string answer = to_json(hello_answer{welcome{this_build(), "w-2", 5, 0}});
  bool gives_links = true;
  head_links links;
  std::vector<hello> hellos;
  std::vector<std::uint64_t> tickets;
  std::vector<node_actor> nodes;
  std::vector<node_inventory> inventories;
};

struct silent_state {
  static inline const char* name = "test.node_registry";
  std::deque<caf::typed_response_promise<std::string>> unanswered;
  std::deque<caf::typed_response_promise<head_links>> unlinked;
};

node_registry_actor::behavior_type
scripted_node_registry(node_registry_actor::stateful_pointer<silent_state> self,
                       std::shared_ptr<node_registry_script> script) {
  return {
      [self, script](hello_atom, const std::string& text) {
        auto promise = self->make_response_promise<std::string>();
        auto words = hello_from_json(text);
        EXPECT_TRUE(words);
        if (words)
          script->hellos.push_back(*words);
        if (script->answer.empty())
          state_of(self).unanswered.push_back(promise);
        else
          promise.deliver(script->answer);
        return promise;
      },
      [self, script](enter_atom, std::uint64_t ticket) {
        auto promise = self->make_response_promise<head_links>();
        script->tickets.push_back(ticket);
        if (script->gives_links)
          promise.deliver(script->links);
        else
          state_of(self).unlinked.push_back(promise);
        return promise;
      },
      [script](enter_atom, std::uint64_t ticket, const node_actor& node,
               const node_inventory& has) {
        script->tickets.push_back(ticket);
        script->nodes.push_back(node);
        script->inventories.push_back(has);
      },
  };
}

/// Behaviour of a heartbeat monitor, and the messages it received.
struct heartbeat_monitor_script {
  bool answers = true;
  bool counts = true;
  std::vector<heartbeat> beats;
};

struct heartbeat_monitor_state {
  static inline const char* name = "test.heartbeat_monitor";
  std::deque<caf::typed_response_promise<bool>> unanswered;
};

heartbeat_monitor_actor::behavior_type
scripted_heartbeat_monitor(heartbeat_monitor_actor::stateful_pointer<heartbeat_monitor_state> self,
                           std::shared_ptr<heartbeat_monitor_script> script) {
  return {
      [self, script](const heartbeat& x) {
        auto promise = self->make_response_promise<bool>();
        script->beats.push_back(x);
        if (script->answers)
          promise.deliver(script->counts);
        else
          state_of(self).unanswered.push_back(promise);
        return promise;
      },
  };
}

struct finder_state {
  static inline const char* name = "test.finder";
  std::vector<caf::typed_response_promise<job_ready>> asked;
};

using endless_actor = extend<job_lookup_actor, caf::result<void>(package_server_actor)>;

/// Never finds the job, so that a launch stays pending. Counts in `turns` how often it was turned
/// to another package server.
endless_actor::behavior_type endless(endless_actor::stateful_pointer<finder_state> self,
                                     std::shared_ptr<int> turns) {
  return {
      [self](const job_wanted&) {
        return state_of(self).asked.emplace_back(self->make_response_promise<job_ready>());
      },
      [](const job_over&) {},
      [turns](const package_server_actor&) { ++*turns; },
  };
}

struct head_session_test : support::deterministic_system {
  support::mock<cluster_actor> desk = mock_cluster();
  std::shared_ptr<node_registry_script> script = std::make_shared<node_registry_script>();
  std::shared_ptr<listener> seen = std::make_shared<listener>();
  head_session_settings settings;
  /// Errors of the next attempts to dial; after them, dialing gives the node registry.
  std::deque<error> faults;
  int dialed = 0;
  node_registry_actor node_registry;
  job_lookup_actor finder;
  std::shared_ptr<int> turns_of_finder = std::make_shared<int>(0);
  head_session_actor uut;

  head_session_test() {
    init_net_types();
    script->links.cluster = desk.actor;
    settings.worker = "drawn once";
    settings.node.name = "w";
    settings.node.capacity.cpu = amount::of(3);
    settings.observer = seen;
    settings.own_thread = false;
    settings.dial = [this]() -> expected<node_registry_actor> {
      ++dialed;
      if (faults.empty())
        return node_registry;
      auto result = faults.front();
      faults.pop_front();
      return result;
    };
    settings.furnish = [this](node_settings& node, const head_links&) {
      finder = job_lookup_actor{system->spawn(endless, turns_of_finder)};
      node.finder = finder;
    };
  }
  void TearDown() override {
    script->nodes.clear();
    script->links = head_links{};
    finder = nullptr;
    node_registry = nullptr;
    support::deterministic_system::TearDown();
  }

  void open_node_registry() {
    node_registry = keep(node_registry_actor{system->spawn(scripted_node_registry, script)});
  }
  /// Starts the session; there is a node registry.
  void start() {
    if (!node_registry)
      open_node_registry();
    uut = keep(spawn_head_session(*system, settings));
    tell(uut, run_atom_v);
  }
  /// The next `times` attempts to dial find nobody.
  void nobody(int times) {
    for (int i = 0; i < times; ++i)
      faults.push_back({ec::unreachable, "nobody listens"});
  }
  /// Launches an attempt on the node that does not end by itself.
  void occupy(const support::mock<trial_actor>& trial) {
    launch_order order;
    order.job = "unknown";
    order.lease = 9;
    order.attempt = attempt_id{1, 1};
    order.turn = 1;
    order.session = script->tickets.back();
    tell(script->nodes.back(), order, trial.actor);
  }
  worker_end end() {
    EXPECT_EQ(seen->ends.size(), 1u);
    return seen->ends.empty() ? worker_end{worker_end::kind::unreachable, "it has not ended"}
                              : seen->ends.front();
  }
  void expect_left() { EXPECT_EQ(end().how, worker_end::kind::left) << end().why; }
};

TEST_F(head_session_test, introduces_its_worker_and_enters_with_the_ticket) {
  start();

  ASSERT_EQ(script->hellos.size(), 1u);
  const auto& words = script->hellos.front();
  EXPECT_EQ(words.name, "w");
  EXPECT_EQ(words.worker, "drawn once");
  EXPECT_EQ(words.cluster, "default");
  EXPECT_EQ(words.build, this_build());
  EXPECT_EQ(words.capacity.cpu, amount::of(3));
  EXPECT_THAT(script->tickets, ElementsAre(5u, 5u));
  EXPECT_EQ(script->nodes.size(), 1u);
  EXPECT_THAT(seen->lines, ElementsAre("joined w-2"));
}

TEST_F(head_session_test, waits_twice_as_long_each_time_up_to_a_limit) {
  nobody(9);

  start();
  pass(121'400ms);

  EXPECT_EQ(dialed, 9);
  EXPECT_THAT(seen->waited, ElementsAre(500ms, 1s, 2s, 4s, 8s, 16s, 30s, 30s, 30s));
  EXPECT_THAT(seen->lines.front(), HasSubstr("nobody listens"));
  pass(100ms);
  EXPECT_EQ(dialed, 10);
  EXPECT_EQ(seen->lines.back(), "joined w-2");
}

TEST_F(head_session_test, begins_with_the_shortest_wait_again_once_it_was_in) {
  nobody(3);
  start();
  pass(3500ms);
  ASSERT_EQ(seen->lines.back(), "joined w-2");
  seen->waited.clear();
  nobody(2);

  dismiss(node_registry);
  open_node_registry();
  pass(1500ms);

  EXPECT_THAT(seen->waited, ElementsAre(500ms, 1s, 2s));
}

TEST_F(head_session_test, gives_up_after_its_patience) {
  nobody(100);
  settings.patience = 5s;

  start();
  pass(10s);

  EXPECT_EQ(end().how, worker_end::kind::unreachable);
  EXPECT_EQ(end().why, "nobody listens");
  EXPECT_EQ(dialed, 4); // at 0, 0.5, 1.5 and 3.5 s; the next would be at 7.5 s
  EXPECT_TRUE(is_gone(uut));
}

TEST_F(head_session_test, waits_without_limit_for_a_head_that_it_had) {
  settings.patience = 5s;
  start();
  nobody(100);

  dismiss(node_registry);
  pass(300s);

  EXPECT_FALSE(is_gone(uut));
  EXPECT_EQ(seen->waited.back(), settings.most_wait);
}

TEST_F(head_session_test, ends_where_waiting_mends_nothing) {
  faults.push_back({ec::refused, "the certificate expired"});

  start();

  EXPECT_EQ(end().how, worker_end::kind::refused);
  EXPECT_EQ(end().why, "the certificate expired");
  EXPECT_FALSE(has_timer());
}

TEST_F(head_session_test, ends_when_it_is_sent_away) {
  script->answer = to_json(hello_answer{rejection{"other cluster", false}});

  start();

  EXPECT_EQ(end().how, worker_end::kind::refused);
  EXPECT_EQ(end().why, "other cluster");
  EXPECT_THAT(script->nodes, IsEmpty());
}

TEST_F(head_session_test, tries_again_when_it_is_told_to) {
  script->answer = to_json(hello_answer{rejection{"not now", true}});
  start();
  script->answer = node_registry_script{}.answer;

  pass(500ms);

  EXPECT_THAT(seen->lines, ElementsAre("waits: not now", "joined w-2"));
}

TEST_F(head_session_test, tries_again_where_the_head_does_not_answer) {
  script->answer.clear();
  start();
  pass(9900ms);
  EXPECT_THAT(seen->lines, IsEmpty());
  script->answer = node_registry_script{}.answer;
  script->gives_links = false;

  pass(600ms);
  ASSERT_EQ(seen->lines.size(), 1u);
  EXPECT_THAT(seen->lines[0], HasSubstr("the head does not answer"));
  pass(10s);

  ASSERT_EQ(seen->lines.size(), 2u);
  EXPECT_THAT(seen->lines[1], HasSubstr("the head does not answer"));
  EXPECT_THAT(script->nodes, IsEmpty());
}

TEST_F(head_session_test, tries_again_after_an_answer_that_makes_no_sense) {
  script->answer = "welcome!";

  start();

  ASSERT_EQ(seen->lines.size(), 1u);
  EXPECT_THAT(seen->lines[0], HasSubstr("makes no sense"));
}

TEST_F(head_session_test, comes_back_as_the_same_worker_when_the_head_is_lost) {
  start();
  auto first = script->nodes.back();

  dismiss(node_registry);
  EXPECT_TRUE(is_gone(first));
  EXPECT_THAT(seen->lines, ElementsAre("joined w-2", "lost", "waits: "));
  open_node_registry();
  pass(500ms);

  ASSERT_EQ(script->hellos.size(), 2u);
  EXPECT_EQ(script->hellos[1].worker, script->hellos[0].worker);
  EXPECT_EQ(seen->lines.back(), "joined w-2");
  EXPECT_NE(script->nodes.back(), first);
}

TEST_F(head_session_test, ends_what_runs_when_the_head_is_lost) {
  auto trial = mock_trial();
  start();
  occupy(trial);

  dismiss(node_registry);

  trial.take<attempt_ended>();
  desk.take<lease_over>();
  EXPECT_TRUE(is_gone(script->nodes.back()));
  EXPECT_TRUE(is_gone(finder));
}

TEST_F(head_session_test, goes_with_its_first_head_where_it_shall) {
  settings.once = true;
  start();

  tell(script->nodes.back(), drain_atom_v);

  expect_left();
  EXPECT_THAT(seen->lines, ElementsAre("joined w-2", "lost"));
}

TEST_F(head_session_test, asks_to_be_let_in_again_when_the_head_let_it_go) {
  start();

  tell(script->nodes.back(), drain_atom_v);
  pass(500ms);

  EXPECT_THAT(seen->lines, ElementsAre("joined w-2", "lost", "waits: ", "joined w-2"));
}

TEST_F(head_session_test, leaves_after_it_was_idle_for_long) {
  settings.idle_exit = 60s;
  start();
  pass(59s);
  EXPECT_FALSE(is_gone(uut));

  pass(2s);

  desk.take<node_leaving>();
  EXPECT_EQ(seen->lines.back(), "idle");
  expect_left();
}

TEST_F(head_session_test, leaves_after_it_found_no_head_for_long) {
  settings.idle_exit = 60s;
  nobody(100);

  start();
  pass(61s);

  expect_left();
}

TEST_F(head_session_test, is_not_idle_while_something_runs) {
  auto trial = mock_trial();
  settings.idle_exit = 60s;
  start();
  pass(30s);
  occupy(trial);
  pass(300s);
  EXPECT_FALSE(is_gone(uut));

  tell(script->nodes.back(), lease_revoked{9});
  desk.take<lease_over>();
  pass(59s);
  EXPECT_FALSE(is_gone(uut));
  pass(2s);

  desk.take<node_leaving>();
  expect_left();
}

TEST_F(head_session_test, leaves_while_it_dials) {
  settings.dial = [this]() -> expected<node_registry_actor> {
    send_from_outside(uut, leave_atom_v);
    return node_registry;
  };

  start();

  expect_left();
  EXPECT_THAT(script->hellos, IsEmpty());
}

TEST_F(head_session_test, leaves_while_it_waits) {
  nobody(1);
  start();

  tell(uut, leave_atom_v);

  expect_left();
  pass(1min);
  EXPECT_EQ(dialed, 1);
}

TEST_F(head_session_test, leaves_while_the_head_thinks) {
  script->answer.clear();
  start();

  tell(uut, leave_atom_v);

  expect_left();
  EXPECT_THAT(seen->lines, IsEmpty());
}

TEST_F(head_session_test, leaves_before_it_is_in) {
  script->gives_links = false;
  start();
  ASSERT_THAT(script->tickets, ElementsAre(5u));

  tell(uut, leave_atom_v);

  expect_left();
  EXPECT_THAT(script->nodes, IsEmpty());
}

TEST_F(head_session_test, leaves_at_once_where_nothing_runs) {
  start();

  tell(uut, leave_atom_v);

  EXPECT_EQ(desk.take<node_leaving>().node, "w-2");
  expect_left();
  EXPECT_TRUE(is_gone(script->nodes.back()));
}

TEST_F(head_session_test, lets_what_runs_go_on_for_its_grace_when_it_leaves) {
  auto trial = mock_trial();
  start();
  occupy(trial);

  tell(uut, leave_atom_v);
  desk.take<node_leaving>();
  pass(29'900ms);
  EXPECT_THAT(seen->ends, IsEmpty());
  pass(100ms);

  EXPECT_EQ(trial.take<attempt_ended>().how, static_cast<std::uint8_t>(end_class::preempted));
  desk.take<lease_over>();
  expect_left();
}

TEST_F(head_session_test, hands_back_what_runs_when_it_is_told_to_leave_again) {
  auto trial = mock_trial();
  start();
  occupy(trial);

  tell(uut, leave_atom_v);
  desk.take<node_leaving>();
  tell(uut, leave_atom_v);

  EXPECT_EQ(trial.take<attempt_ended>().how, static_cast<std::uint8_t>(end_class::preempted));
  desk.take<lease_over>();
  expect_left();
}

TEST_F(head_session_test, leaves_in_order_although_the_head_is_lost_meanwhile) {
  auto trial = mock_trial();
  start();
  occupy(trial);
  tell(uut, leave_atom_v);
  desk.take<node_leaving>();

  dismiss(node_registry);

  trial.take<attempt_ended>();
  desk.take<lease_over>();
  expect_left();
}

// -- A head that watches for silence, and falls out of reach.

struct watched_head_session_test : head_session_test {
  std::shared_ptr<heartbeat_monitor_script> watch = std::make_shared<heartbeat_monitor_script>();
  support::mock<trial_actor> trial = mock_trial();

  watched_head_session_test() {
    settings.clock = [this] { return clock_now(); };
    script->links.heartbeat_monitor
        = keep(heartbeat_monitor_actor{system->spawn(scripted_heartbeat_monitor, watch)});
    welcome_as(5, "this head");
  }

  void TearDown() override {
    // Attempts that still run would keep their node alive.
    for (const auto& x : std::vector<node_actor>{script->nodes})
      dismiss(x);
    head_session_test::TearDown();
  }

  void welcome_as(std::uint64_t ticket, const std::string& head) {
    welcome by{this_build(), "w-2", ticket, 0};
    by.head = head;
    by.lost_after_ms = 10'000;
    script->answer = to_json(hello_answer{by});
  }
  /// The head tells which leases may go on.
  void let_go_on(std::vector<std::uint64_t> leases) {
    tell(script->nodes.back(), leases_kept{std::move(leases), false, script->tickets.back()});
  }
  void start_with_work() {
    start();
    let_go_on({});
    occupy(trial);
  }
  void lose_node_registry() {
    cut_off(node_registry);
    node_registry = nullptr;
  }
};

TEST_F(watched_head_session_test, shows_that_it_lives_three_times_in_the_time_it_has) {
  start();

  pass(9s);

  EXPECT_EQ(watch->beats.size(), 3u);
  EXPECT_EQ(watch->beats.back().session, 5u);
  EXPECT_FALSE(watch->beats.back().is_frozen);
  EXPECT_THAT(seen->lines, ElementsAre("joined w-2"));
}

TEST_F(watched_head_session_test,
       keeps_what_runs_when_the_connection_breaks_and_comes_back_with_it) {
  start_with_work();
  auto node = script->nodes.back();
  nobody(1);

  lose_node_registry();
  pass(500ms);
  EXPECT_THAT(seen->lines, ElementsAre("joined w-2", "away", "waits: nobody listens"));
  welcome_as(6, "this head");
  open_node_registry();
  pass(1s);

  EXPECT_EQ(script->nodes.back(), node);
  EXPECT_THAT(script->inventories.back().leases, ElementsAre(9u));
  EXPECT_EQ(script->tickets.back(), 6u);
  let_go_on({9});
  EXPECT_EQ(seen->lines.back(), "back");
  EXPECT_FALSE(is_gone(node));
  EXPECT_EQ(trial.heard->size(), 0u);
}

TEST_F(watched_head_session_test, looks_for_jobs_at_the_next_head_before_that_can_launch_anything) {
  start_with_work();
  lose_node_registry();
  EXPECT_EQ(*turns_of_finder, 0);

  welcome_as(6, "this head");
  open_node_registry();
  pass(1s);

  ASSERT_EQ(script->tickets.back(), 6u);
  EXPECT_EQ(*turns_of_finder, 1);
  EXPECT_NE(seen->lines.back(), "back");
}

TEST_F(watched_head_session_test,
       comes_back_where_the_head_answers_no_more_although_it_is_connected) {
  start_with_work();
  watch->answers = false;

  pass(9'400ms);
  EXPECT_THAT(seen->lines, ElementsAre("joined w-2"));
  watch->answers = true;
  pass(700ms);

  EXPECT_EQ(seen->lines.back(), "away");
  EXPECT_EQ(script->hellos.size(), 2u);
}

TEST_F(watched_head_session_test, comes_back_when_the_head_counts_on_it_no_more) {
  start_with_work();
  watch->counts = false;

  pass(4s);

  EXPECT_THAT(seen->lines, testing::Contains("away"));
  EXPECT_EQ(script->hellos.size(), 2u);
  watch->counts = true;
  pass(10s);
  EXPECT_EQ(script->hellos.size(), 3u);
}

TEST_F(watched_head_session_test, ends_what_runs_when_the_head_is_not_found_in_time) {
  start_with_work();
  auto node = script->nodes.back();
  nobody(1000);

  watch->answers = false;
  lose_node_registry();
  pass(15s);
  EXPECT_FALSE(is_gone(node));
  pass(6s);

  EXPECT_TRUE(is_gone(node));
  EXPECT_THAT(seen->lines, testing::Contains("lost"));
  EXPECT_EQ(trial.heard->size(), 0u); // fenced
}

TEST_F(watched_head_session_test, ends_what_runs_for_a_head_that_another_one_follows) {
  start_with_work();
  auto node = script->nodes.back();

  welcome_as(1, "another head");
  lose_node_registry();
  open_node_registry();
  pass(2s);

  EXPECT_TRUE(is_gone(node));
  EXPECT_EQ(seen->lines.back(), "joined w-2");
  EXPECT_NE(script->nodes.back(), node);
}

TEST_F(watched_head_session_test, leaves_at_once_while_the_head_is_out_of_reach) {
  start_with_work();
  nobody(1000);
  lose_node_registry();

  tell(uut, leave_atom_v);

  expect_left();
}

} // namespace
} // namespace tune
