// No message of a peer ends an actor that others depend on: each actor that peers can reach is sent
// every attack, as if it had passed the message filter.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/firm.hpp"

#include "../../src/actors/attempt_proxy.hpp"
#include "../../src/net/heartbeat_sender.hpp"
#include "../../src/net/message_filter.hpp"

#include "files_on_disk.hpp"
#include "support/attacks.hpp"
#include "support/deterministic_system.hpp"
#include "support/real_system.hpp"

#include "tune/actors/cluster.hpp"
#include "tune/actors/trial.hpp"
#include "tune/net/checkpoint_client.hpp"
#include "tune/net/checkpoint_server.hpp"
#include "tune/net/head_client.hpp"
#include "tune/net/head_session.hpp"
#include "tune/net/heartbeat_monitor.hpp"
#include "tune/net/node_registry.hpp"
#include "tune/net/output_client.hpp"
#include "tune/net/output_server.hpp"
#include "tune/net/package_client.hpp"
#include "tune/net/package_server.hpp"
#include "tune/net/submission_server.hpp"
#include "tune/net/system.hpp"

#include <caf/actor_proxy.hpp>
#include <caf/binary_serializer.hpp>

#include <gmock/gmock.h>

#include <limits>

namespace tune {
namespace {

using namespace std::chrono_literals;

/// A proxy of an actor on another node; it ignores all messages.
class silent_proxy : public caf::actor_proxy {
public:
  using actor_proxy::actor_proxy;
  void enqueue(caf::mailbox_element_ptr, caf::execution_unit*) override {}
  void kill_proxy(caf::execution_unit* context, caf::error why) override {
    cleanup(std::move(why), context);
  }
};

/// An observer of a head session that ignores everything.
struct deaf : head_session_observer {
  void joined(const std::string&, const welcome&) override {}
  void waits(const std::string&, std::chrono::milliseconds) override {}
  void away(const std::string&, std::chrono::milliseconds) override {}
  void back() override {}
  void lost(const std::string&) override {}
  void idle() override {}
  void ended(const worker_end&) override {}
};

class firm_test : public support::deterministic_system {
protected:
  support::files_on_disk disk;
  support::mock<cluster_actor> cluster = mock_cluster();
  std::shared_ptr<session_fence> gate
      = std::make_shared<session_fence>([this] { return clock_now(); });
  caf::strong_actor_ptr peer;
  caf::strong_actor_ptr other;
  /// Knows the names of all types, unlike the test's own system.
  network_config names_config{transport{}, 2};
  caf::actor_system names{names_config};
  std::unique_ptr<reachable_actors> table;

  firm_test() {
    init_net_types();
    table = std::make_unique<reachable_actors>(names);
    gate->set_end(clock_now() + 1h);
    peer = proxy(7);
    other = proxy(8);
  }
  void TearDown() override {
    cluster.heard->forget();
    support::deterministic_system::TearDown();
  }

  caf::strong_actor_ptr proxy(std::uint32_t process) {
    caf::actor_config config;
    return caf::make_actor<silent_proxy, caf::strong_actor_ptr>(
        5, *caf::make_node_id(process, std::string(40, 'a')), system, config);
  }

  template <class Handle, class... Ts>
  void say_as(const caf::strong_actor_ptr& who, const Handle& to, Ts... xs) {
    caf::actor_cast<caf::strong_actor_ptr>(to)->enqueue(
        caf::make_mailbox_element(who, caf::make_message_id(), {}, caf::make_message(xs...)),
        nullptr);
    run_now();
  }

  /// Whether the message filter would let the message through. It would not for CAF's own messages,
  /// which are sent nevertheless.
  bool may_come(const std::string& name, const support::attack& x) {
    std::vector<char> bytes;
    caf::binary_serializer to{names, bytes};
    std::vector<caf::strong_actor_ptr> stages;
    auto what = x.what;
    EXPECT_FALSE(to(stages, what));
    auto word = detail::word_of(bytes);
    return word && table->may_receive(name, *word);
  }

  template <class Handle>
  void attack(const std::string& name, const Handle& whom,
              const std::set<std::string>& orders = {}) {
    auto who = caf::actor_cast<caf::strong_actor_ptr>(whom);
    auto* local = dynamic_cast<caf::local_actor*>(caf::actor_cast<caf::abstract_actor*>(who));
    ASSERT_EQ(local->name(), name);
    run_now();
    auto say = [&](const support::attack& x) {
      who->enqueue(caf::make_mailbox_element(peer, x.id, {}, x.what), nullptr);
      run_now();
      ASSERT_FALSE(is_gone(whom)) << name << " ended by: " << x.name;
    };
    for (const auto& x : support::system_attacks(peer, other)) {
      // Only the message filter protects against this one: CAF itself obeys it.
      if (x.what.match_elements<caf::exit_msg>()
          && x.what.get_as<caf::exit_msg>(0).reason == caf::exit_reason::kill)
        continue;
      say(x);
    }
    std::size_t heard = 0;
    for (const auto& all : {support::foreign_attacks(peer, other), support::false_attacks(peer)}) {
      for (const auto& x : all) {
        if (!may_come(name, x) || orders.contains(x.name))
          continue;
        ++heard;
        say(x);
      }
    }
    EXPECT_EQ(heard > 0, hears(name)) << name << " was told " << heard << " words of ours";
    // An actor still ends when its own process tells it to.
    dismiss(whom);
    EXPECT_TRUE(is_gone(whom)) << name;
  }

  /// Whether the table allows it any messages: the others only send requests.
  bool hears(const std::string& name) {
    return name != "tune.head_session" && name != "tune.heartbeat_sender";
  }

  node_settings far_node() const {
    node_settings result;
    result.gate = gate;
    result.when_open = [] {};
    return result;
  }
};

TEST_F(firm_test, node_registry_stays) {
  attack("tune.node_registry",
         spawn_node_registry(*system, {}, cluster.actor, {cluster.actor, {}, {}}));
}

TEST_F(firm_test, cluster_stays) {
  attack("tune.cluster", spawn_cluster(*system));
}

TEST_F(firm_test, package_server_stays) {
  attack("tune.package_server", spawn_package_server(*system, false));
}

TEST_F(firm_test, output_server_stays) {
  attack("tune.output_server", spawn_output_server(*system, false));
}

TEST_F(firm_test, checkpoint_server_stays) {
  checkpoint_server_settings how;
  how.secret = "secret";
  how.own_thread = false;
  attack("tune.checkpoint_server", spawn_checkpoint_server(*system, how));
}

TEST_F(firm_test, heartbeat_monitor_stays) {
  attack("tune.heartbeat_monitor", spawn_heartbeat_monitor(*system, {}, cluster.actor));
}

TEST_F(firm_test, trial_stays) {
  auto runner = mock_runner();
  attack("tune.trial", spawn_trial(*system, trial_id{0}, runner.actor));
  EXPECT_EQ(runner.heard->size(), 0U); // the attacks are about attempts that were never launched
}

TEST_F(firm_test, front_stays) {
  auto package_client = package_client_actor{};
  attack("tune.submission_server",
         spawn_submission_server(
             *system, {[](const job_spec&) { return job_supervisor_actor{}; }, package_client}));
}

TEST_F(firm_test, node_stays) {
  // Its head may give these orders.
  attack("tune.node", spawn_local_node(*system, far_node(), cluster.actor),
         {"atom drain", "atom leave", "drain", "leave"});
}

TEST_F(firm_test, attempt_proxy_stays) {
  auto trial = mock_trial();
  attack("tune.attempt_proxy", spawn_attempt_proxy(*system, attempt_id{1, 1}, gate, trial.actor));
}

TEST_F(firm_test, package_client_stays) {
  package_client_settings how;
  how.work = disk.worker();
  how.own_thread = false;
  attack("tune.package_client", *spawn_package_client(*system, how));
}

TEST_F(firm_test, output_client_stays) {
  const output_server_actor output_server{keep(spawn_output_server(*system, false))};
  attack("tune.output_client", spawn_output_client(*system, output_server, false, 10s));
}

TEST_F(firm_test, checkpoint_client_stays) {
  checkpoint_client_settings how;
  how.own_thread = false;
  checkpoint_server_settings head;
  head.own_thread = false;
  const checkpoint_server_actor checkpoint_server{keep(spawn_checkpoint_server(*system, head))};
  attack("tune.checkpoint_client", spawn_checkpoint_client(*system, checkpoint_server, how));
}

TEST_F(firm_test, head_session_stays) {
  head_session_settings how;
  how.dial = []() -> expected<node_registry_actor> { return error{ec::unreachable, "nobody"}; };
  how.observer = std::make_shared<deaf>();
  how.own_thread = false;
  attack("tune.head_session", spawn_head_session(*system, how));
}

TEST_F(firm_test, heartbeat_sender_stays) {
  heartbeat_sender_settings how{1, {}, clock_now(), {}, gate, std::nullopt};
  attack("tune.heartbeat_sender", spawn_heartbeat_sender(*system, how, {}));
}

/// Plays the node registry. Only the registry meets the client's actor, which introduces itself
/// there.
struct meeting_state {
  static inline const char* name = "test.node_registry";
};

entrance_actor::behavior_type meeting(entrance_actor::stateful_pointer<meeting_state> self,
                                      caf::strong_actor_ptr* met,
                                      const submission_server_actor& front) {
  return {
      [self, met](hello_atom, const std::string&) {
        *met = self->current_sender();
        return to_json(hello_answer{welcome{}});
      },
      [](enter_atom, std::uint64_t) { return head_links{}; },
      [](enter_atom, std::uint64_t, const node_actor&, const node_inventory&) {},
      [front](submission_wanted) { return front; },
  };
}

class firm_client_test : public firm_test {};

TEST_F(firm_client_test, follower_stays) {
  network_config config{transport{}, 2};
  caf::actor_system real{config};
  auto front
      = spawn_submission_server(real, {[](const job_spec&) { return job_supervisor_actor{}; }, {}});
  caf::strong_actor_ptr met;
  auto node_registry = real.spawn(meeting, &met, submission_server_actor{front});
  {
    head_client_settings how;
    how.dial = [node_registry]() -> expected<node_registry_actor> {
      return node_registry_actor{node_registry};
    };
    auto link = head_client::connect(real, how);
    ASSERT_TRUE(link) << to_text(link.error());
    auto attack = [&](const std::string& name) {
      auto* local = dynamic_cast<caf::local_actor*>(caf::actor_cast<caf::abstract_actor*>(met));
      ASSERT_EQ(local->name(), name);
      for (const auto& x : support::system_attacks(peer, other)) {
        if (!x.what.match_elements<caf::exit_msg>() || x.name != "exit")
          met->enqueue(caf::make_mailbox_element(peer, x.id, {}, x.what), nullptr);
      }
      met->enqueue(caf::make_mailbox_element(peer, caf::make_message_id(), {},
                                             caf::make_message(caf::exit_msg{
                                                 {}, caf::make_error(caf::sec::runtime_error)})),
                   nullptr);
    };
    attack("tune.follower");

    client_request question;
    EXPECT_TRUE((*link)->ask(question)) << "it does not answer any more";
  }
  met = nullptr;
  caf::anon_send_exit(node_registry, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(front, caf::exit_reason::user_shutdown);
}

// -- What a node says of others.

TEST_F(firm_test, a_trial_hears_of_its_attempt_from_where_that_was_launched) {
  auto runner = mock_runner();
  auto uut = keep(spawn_trial(*system, trial_id{3}, runner.actor));
  const attempt_key attempt{attempt_id{1, 9}};
  launch_order order;
  order.attempt = attempt;
  tell(uut, order);
  attempt_report word;
  word.attempt = attempt;
  word.number = word.iteration = 1;
  say_as(peer, uut, std::uint64_t{1}, word);
  EXPECT_EQ(runner.heard->size(), 0U) << "it was launched here";

  tell(caf::actor_cast<trial_local_actor>(uut),
       attempt_place{attempt, caf::actor_cast<node_actor>(peer)});
  say_as(other, uut, std::uint64_t{1}, word);
  say_as(other, uut, attempt, caf::actor_cast<attempt_proxy_actor>(other));
  EXPECT_EQ(runner.heard->size(), 0U);

  say_as(peer, uut, std::uint64_t{1}, word);
  auto reported = runner.heard->take_news<on::reported>();
  EXPECT_EQ(reported.what->trial, trial_id{3});
  EXPECT_NE(reported.what->metrics, nullptr) << "it had none";
}

TEST_F(firm_test, a_trial_takes_no_checkpoint_that_is_not_its_own_and_no_end_that_is_none) {
  auto runner = mock_runner();
  auto uut = keep(spawn_trial(*system, trial_id{3}, runner.actor));
  const attempt_key attempt{attempt_id{1, 9}};
  launch_order order;
  order.attempt = attempt;
  tell(uut, order);
  tell(caf::actor_cast<trial_local_actor>(uut),
       attempt_place{attempt, caf::actor_cast<node_actor>(peer)});
  attempt_saved saved;
  saved.attempt = attempt;
  std::uint64_t number = 0;
  for (const auto* place : {"trials/00004/attempt_1_9/checkpoint_0", "trials/00003/attempt_1_8/x",
                            "/etc", "trials/00003/attempt_1_9/../../00004"}) {
    saved.location = place;
    say_as(peer, uut, ++number, saved);
    EXPECT_THAT(runner.heard->take_news<on::save_failed>().why, testing::HasSubstr(place));
  }
  saved.location = "trials/00003/attempt_1_9/checkpoint_0";
  say_as(peer, uut, ++number, saved);
  EXPECT_EQ(runner.heard->take_news<on::saved>().location, saved.location);

  attempt_ended ended;
  ended.attempt = attempt;
  ended.how = 255;
  say_as(peer, uut, ++number, ended);
  EXPECT_EQ(runner.heard->take_news<on::ended>().how, end_class::killed);
}

TEST_F(firm_test, the_cluster_hears_a_node_of_itself_and_its_leases_only) {
  auto runner = mock_runner();
  auto uut = keep(spawn_cluster(*system));
  tell(uut, runner.actor);
  resources two;
  two.cpu = amount::of(2);
  tell(uut, node_offer{"one", two, {}}, caf::actor_cast<node_actor>(peer));
  runner.heard->take_news<on::node_up>();
  lease_request wanted;
  wanted.trial = trial_id{0};
  wanted.what.bundles.resize(1);
  wanted.what.bundles.front().cpu = amount::of(2);
  tell(uut, wanted, runner.actor);
  auto lease = runner.take<lease_granted>().what.id;
  wanted.trial = trial_id{1};
  tell(uut, wanted, runner.actor);

  say_as(other, uut, lease_over{lease});
  say_as(other, uut, launch_declined{lease.number, "no"});
  say_as(other, uut, node_leaving{"one"});
  EXPECT_EQ(runner.heard->size(), 0U);

  say_as(peer, uut, lease_over{lease});
  EXPECT_EQ(runner.take<lease_granted>().trial, trial_id{1});
  say_as(peer, uut, node_leaving{"one"});
  EXPECT_EQ(runner.heard->take_news<on::node_leaving>().node, "one");
}

TEST_F(firm_test, the_node_registry_lets_nobody_bring_in_the_node_of_others) {
  auto node = mock_node();
  auto uut = keep(spawn_node_registry(*system, {}, cluster.actor, {cluster.actor, {}, {}}));
  hello words;
  words.build = this_build();
  words.cluster = "default";
  words.name = "w";
  words.worker = "x";
  auto answer = hello_answer_from_json(ask_now<std::string>(uut, hello_atom_v, to_json(words)));
  auto ticket = std::get<welcome>(*answer).ticket;
  auto again = hello_answer_from_json(ask_now<std::string>(uut, hello_atom_v, to_json(words)));
  EXPECT_GT(ticket, 1000U) << "it is drawn, not counted";
  EXPECT_NE(std::get<welcome>(*again).ticket, ticket + 1);
  ticket = std::get<welcome>(*again).ticket;

  for (const auto& whose :
       {other, caf::actor_cast<caf::strong_actor_ptr>(node.actor), caf::strong_actor_ptr{}})
    say_as(peer, uut, enter_atom_v, ticket, caf::actor_cast<node_actor>(whose), node_inventory{});
  EXPECT_EQ(cluster.heard->size(), 0U);
  EXPECT_EQ(node.heard->size(), 0U);

  say_as(peer, uut, enter_atom_v, ticket, caf::actor_cast<node_actor>(peer), node_inventory{});
  EXPECT_EQ(cluster.heard->size(), 1U);
}

TEST_F(firm_test, the_node_registry_refuses_hellos_of_numbers_that_no_machine_has) {
  auto uut = keep(spawn_node_registry(*system, {}, cluster.actor, {cluster.actor, {}, {}}));
  hello words;
  words.build = this_build();
  words.cluster = "default";
  words.name = "w";
  words.wall_ms = std::numeric_limits<std::int64_t>::min();
  auto is_welcome = [&] {
    auto said = hello_answer_from_json(ask_now<std::string>(uut, hello_atom_v, to_json(words)));
    return said && std::holds_alternative<welcome>(*said);
  };
  EXPECT_TRUE(is_welcome());

  words.capacity.cpu.units = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(is_welcome());
  words.capacity.cpu.units = 0;
  words.capacity.custom["licence"].units = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(is_welcome());
  words.capacity.custom.clear();
  words.labels.insert(std::string(1'000'000, 'x'));
  EXPECT_FALSE(is_welcome());
}

// -- Those that work for another one.

using helper_actor = typed_actor<caf::result<void>(tick_atom)>;

struct helped_state {
  static inline const char* name = "test.helped";
};

TEST_F(firm_test, who_cannot_go_on_without_a_helper_goes_with_it_and_says_why) {
  auto helper = system->spawn([]() -> helper_actor::behavior_type {
    return {[](tick_atom) { throw std::runtime_error{"no more memory"}; }};
  });
  auto owner = system->spawn(
      [helper](helper_actor::stateful_pointer<helped_state> self) -> helper_actor::behavior_type {
        stand_firm(self);
        share_end(self, helper);
        return {[](tick_atom) {}};
      });
  caf::error why;
  when_gone(owner, [&](const caf::error& x) { why = x; });
  run_now();
  ASSERT_FALSE(is_gone(owner));

  tell(helper, tick_atom_v);

  EXPECT_TRUE(is_gone(owner));
  EXPECT_EQ(why, caf::make_error(caf::sec::runtime_error));
}

TEST_F(firm_test, who_speaks_of_an_actor_elsewhere_is_told_from_its_owner) {
  auto whom = mock_node();
  auto said = std::make_shared<std::vector<bool>>();
  auto uut = keep(system->spawn([said](caf::event_based_actor* self) -> caf::behavior {
    return {[self, said](const caf::actor& x) {
      said->push_back(is_from_here(self));
      said->push_back(is_of_sender(self, x));
      said->push_back(is_here(self, x));
    }};
  }));
  auto tell_as = [&](const caf::strong_actor_ptr& me, const caf::strong_actor_ptr& of) {
    caf::actor_cast<caf::strong_actor_ptr>(uut)->enqueue(
        caf::make_mailbox_element(me, caf::make_message_id(), {},
                                  caf::make_message(caf::actor_cast<caf::actor>(of))),
        nullptr);
    run_now();
    return std::exchange(*said, {});
  };
  auto here = caf::actor_cast<caf::strong_actor_ptr>(whom.actor);

  EXPECT_THAT(tell_as(nullptr, here), testing::ElementsAre(true, true, true));
  EXPECT_THAT(tell_as(nullptr, peer), testing::ElementsAre(true, false, false));
  EXPECT_THAT(tell_as(peer, here), testing::ElementsAre(false, false, true));
  EXPECT_THAT(tell_as(peer, peer), testing::ElementsAre(false, true, false));
  EXPECT_THAT(tell_as(peer, other), testing::ElementsAre(false, false, false));
  EXPECT_THAT(tell_as(peer, nullptr), testing::ElementsAre(false, false, false));
}

} // namespace
} // namespace tune
