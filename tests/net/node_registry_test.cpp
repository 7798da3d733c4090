// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/node_registry.hpp"

#include "support/deterministic_system.hpp"

#include "tune/actors/clocks.hpp"
#include "tune/io/process/process_mark.hpp"
#include "tune/net/system.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct node_registry_test : support::deterministic_system {
  support::mock<cluster_actor> cluster = mock_cluster();
  std::vector<std::string> said;
  node_registry_actor uut;

  node_registry_test() {
    init_net_types();
    node_registry_settings settings;
    settings.say = [this](const std::string& text) { said.push_back(text); };
    uut = keep(
        spawn_node_registry(*system, std::move(settings), cluster.actor, {cluster.actor, {}, {}}));
  }

  static hello words_of(const std::string& worker, const std::string& name = "w") {
    hello result;
    result.build = this_build();
    result.cluster = "default";
    result.name = name;
    result.worker = worker;
    result.wall_ms = wall_ms();
    result.capacity.cpu = amount::of(4);
    result.labels = {"trainable x"};
    return result;
  }
  hello_answer ask(const hello& words) {
    auto read = hello_answer_from_json(ask_now<std::string>(uut, hello_atom_v, to_json(words)));
    EXPECT_TRUE(read);
    return read ? *read : hello_answer{rejection{}};
  }
  /// Greets as a worker; fails if the worker is sent away.
  welcome greet(const hello& words) {
    auto answer = ask(words);
    if (const auto* no = std::get_if<rejection>(&answer))
      ADD_FAILURE() << no->why;
    auto* yes = std::get_if<welcome>(&answer);
    return yes == nullptr ? welcome{} : *yes;
  }
  rejection refusal(const hello& words) {
    auto answer = ask(words);
    auto* no = std::get_if<rejection>(&answer);
    EXPECT_NE(no, nullptr);
    return no == nullptr ? rejection{} : *no;
  }
  void enter(std::uint64_t ticket, const support::mock<node_actor>& node) {
    tell(uut, enter_atom_v, ticket, node.actor, node_inventory{});
  }
  /// Lets a worker in. @returns its name.
  std::string let_in(const hello& words, const support::mock<node_actor>& node) {
    enter(greet(words).ticket, node);
    return cluster.take<node_offer>().node;
  }
};

TEST_F(node_registry_test, lets_a_worker_in) {
  auto node = mock_node();

  auto by = greet(words_of("a"));
  auto links = ask_now<head_links>(uut, enter_atom_v, by.ticket);
  enter(by.ticket, node);

  EXPECT_EQ(by.name, "w");
  EXPECT_EQ(by.build, this_build());
  EXPECT_EQ(links.cluster, cluster.actor);
  auto offer = cluster.take<node_offer>();
  EXPECT_EQ(offer.node, "w");
  EXPECT_EQ(offer.capacity.cpu, amount::of(4));
  EXPECT_THAT(offer.labels, ElementsAre("trainable x"));
  EXPECT_THAT(said, ElementsAre(HasSubstr("worker w joined")));
}

TEST_F(node_registry_test, tells_of_a_worker_that_goes) {
  auto node = mock_node();
  let_in(words_of("a"), node);

  dismiss(node.actor);

  ASSERT_EQ(said.size(), 2u);
  EXPECT_THAT(said[1], HasSubstr("worker w is gone: it"));
}

TEST_F(node_registry_test, lets_a_worker_in_by_an_earlier_ticket_that_reached_it_late) {
  auto node = mock_node();
  auto first = greet(words_of("a"));
  auto second = greet(words_of("a")); // from a connection that the worker has given up
  EXPECT_EQ(second.name, "w");
  EXPECT_NE(second.ticket, first.ticket);

  enter(first.ticket, node);

  EXPECT_EQ(cluster.take<node_offer>().node, "w");
}

TEST_F(node_registry_test, ignores_a_worker_s_entry_that_a_later_one_has_overtaken) {
  auto node = mock_node();
  auto first = greet(words_of("a"));
  auto second = greet(words_of("a"));

  enter(second.ticket, node);
  enter(first.ticket, node);

  cluster.take<node_offer>();
  EXPECT_EQ(cluster.heard->size(), 0u);
  EXPECT_EQ(node.heard->size(), 0u);
}

TEST_F(node_registry_test, keeps_few_tickets_of_one_worker) {
  auto node = mock_node();
  auto other = mock_node();
  auto first = greet(words_of("b", "other"));
  for (int i = 0; i < 2000; ++i)
    greet(words_of("a"));

  enter(first.ticket, other);

  EXPECT_EQ(cluster.take<node_offer>().node, "other");
}

TEST_F(node_registry_test, sends_a_node_away_whose_ticket_nobody_knows) {
  auto node = mock_node();

  enter(77, node);

  node.take<drain_atom>();
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(node_registry_test, takes_a_ticket_once) {
  auto first = mock_node();
  auto second = mock_node();
  auto by = greet(words_of("a"));

  enter(by.ticket, first);
  enter(by.ticket, second);

  cluster.take<node_offer>();
  second.take<drain_atom>();
}

TEST_F(node_registry_test, numbers_workers_of_one_name) {
  auto one = mock_node();
  auto two = mock_node();

  EXPECT_EQ(let_in(words_of("a"), one), "w");
  EXPECT_EQ(greet(words_of("b")).name, "w-2");
  EXPECT_EQ(greet(words_of("c")).name, "w-3");
  EXPECT_EQ(let_in(words_of("b"), two), "w-2");
}

TEST_F(node_registry_test, gives_the_name_of_a_node_that_is_gone_again) {
  auto one = mock_node();
  auto two = mock_node();
  let_in(words_of("a"), one);

  dismiss(one.actor);

  EXPECT_EQ(let_in(words_of("b"), two), "w");
}

TEST_F(node_registry_test, gives_a_worker_that_comes_back_its_own_place) {
  auto before = mock_node();
  auto after = mock_node();
  let_in(words_of("a"), before);

  EXPECT_EQ(let_in(words_of("a"), after), "w");
  // Only now is it noticed that the first node is gone.
  dismiss(before.actor);

  EXPECT_EQ(greet(words_of("b")).name, "w-2");
}

TEST_F(node_registry_test, sends_other_clusters_and_builds_away) {
  auto elsewhere = words_of("a");
  elsewhere.cluster = "lab";
  auto other = words_of("b");
  other.build.caf = "9.9";

  auto first = refusal(elsewhere);
  auto second = refusal(other);

  EXPECT_THAT(first.why, HasSubstr("other cluster"));
  EXPECT_FALSE(first.try_again);
  EXPECT_THAT(second.why, HasSubstr("other version"));
  EXPECT_FALSE(second.try_again);
  EXPECT_THAT(said, ElementsAre(HasSubstr("worker w was sent away: other cluster"),
                                HasSubstr("worker w was sent away: other version")));
}

TEST_F(node_registry_test, sends_away_who_talks_nonsense) {
  for (const auto* text : {"", "GET / HTTP/1.1", "{}", "[]"}) {
    auto answer
        = hello_answer_from_json(ask_now<std::string>(uut, hello_atom_v, std::string{text}));
    ASSERT_TRUE(answer) << text;
    EXPECT_TRUE(std::holds_alternative<rejection>(*answer)) << text;
  }
  EXPECT_EQ(said.size(), 4u);
  EXPECT_THAT(said[0], HasSubstr("somebody was sent away"));
}

TEST_F(node_registry_test, tells_of_a_clock_that_is_off) {
  auto late = words_of("a");
  late.wall_ms -= 60'000;

  greet(late);

  EXPECT_THAT(said, ElementsAre(HasSubstr("the clock of worker w is ")));
}

TEST_F(node_registry_test, forgets_the_oldest_of_many_who_never_come_in) {
  auto first_node = mock_node();
  auto last_node = mock_node();
  auto first = greet(words_of("0"));
  welcome last;
  for (int i = 1; i <= 1000; ++i)
    last = greet(words_of(std::to_string(i), "n" + std::to_string(i)));

  enter(first.ticket, first_node);
  enter(last.ticket, last_node);

  first_node.take<drain_atom>();
  EXPECT_EQ(cluster.take<node_offer>().node, "n1000");
}

// -- A node registry with a heartbeat monitor.

struct ears_of_heartbeat_monitor {
  std::vector<std::uint64_t> begun;
  std::vector<std::uint64_t> ended;
};

heartbeat_monitor_local_actor::behavior_type
listening_heartbeat_monitor(std::shared_ptr<ears_of_heartbeat_monitor> heard) {
  return {
      [](const heartbeat&) { return true; },
      [heard](enter_atom, std::uint64_t session) { heard->begun.push_back(session); },
      [heard](leave_atom, std::uint64_t session) {
        heard->ended.push_back(session);
        return std::uint64_t{1234};
      },
  };
}

struct watched_registry_test : node_registry_test {
  std::shared_ptr<ears_of_heartbeat_monitor> heard = std::make_shared<ears_of_heartbeat_monitor>();

  watched_registry_test() { begin({}); }
  void begin(instant head_grace) {
    node_registry_settings settings;
    settings.rules.head_grace = head_grace;
    settings.say = [this](const std::string& text) { said.push_back(text); };
    settings.heartbeat_monitor
        = keep(heartbeat_monitor_local_actor{system->spawn(listening_heartbeat_monitor, heard)});
    settings.head = "this head";
    uut = keep(
        spawn_node_registry(*system, std::move(settings), cluster.actor, {cluster.actor, {}, {}}));
  }
  /// Lets a worker in. @returns its offer.
  node_offer come(const hello& words, const support::mock<node_actor>& node) {
    auto by = greet(words);
    ask_now<head_links>(uut, enter_atom_v, by.ticket);
    tell(uut, enter_atom_v, by.ticket, node.actor, node_inventory{3, {7}});
    return cluster.take<node_offer>();
  }
};

TEST_F(watched_registry_test, has_the_silence_of_those_who_come_in_noticed) {
  auto by = greet(words_of("a"));
  EXPECT_EQ(by.head, "this head");
  EXPECT_EQ(by.lost_after_ms, 10'000);
  EXPECT_THAT(heard->begun, IsEmpty());

  ask_now<head_links>(uut, enter_atom_v, by.ticket);
  ask_now<head_links>(uut, enter_atom_v, std::uint64_t{99}); // nobody was given this ticket

  EXPECT_THAT(heard->begun, ElementsAre(by.ticket));
}

TEST_F(watched_registry_test, keeps_the_place_of_a_worker_whose_connection_broke) {
  auto node = mock_node();
  auto back = mock_node();
  auto first = come(words_of("a"), node);
  EXPECT_EQ(first.worker, "a");

  cut_off(node.actor);
  EXPECT_THAT(said.back(), HasSubstr("connection to worker w was lost"));
  EXPECT_EQ(greet(words_of("b")).name, "w-2");
  auto again = come(words_of("a"), back);

  EXPECT_EQ(again.node, "w");
  EXPECT_NE(again.session, first.session);
  EXPECT_THAT(again.has.leases, ElementsAre(7u));
  EXPECT_EQ(said.back(), "worker w is back");
  EXPECT_THAT(heard->ended, ElementsAre(first.session));
}

TEST_F(watched_registry_test, tells_a_worker_that_it_gave_up_from_one_of_an_earlier_head) {
  begin(10min);
  auto node = mock_node();
  auto back = mock_node();
  auto words = words_of("a");
  words.head = "this head";

  come(words, node);
  EXPECT_THAT(said.back(), HasSubstr("worker w is back, from the head before this one: "));
  dismiss(node.actor);
  come(words, back);

  EXPECT_THAT(said.back(), HasSubstr("worker w is back after it counted as lost: "));
}

TEST_F(watched_registry_test, tells_of_one_that_leaves_how_long_it_was_silent) {
  auto node = mock_node();
  auto offer = come(words_of("a"), node);

  dismiss(node.actor);

  EXPECT_THAT(heard->ended, ElementsAre(offer.session));
  EXPECT_THAT(said.back(), HasSubstr("worker w is gone: it"));
  EXPECT_THAT(said.back(), HasSubstr("; silent for 1234 ms at most, of 10000"));
}

TEST_F(watched_registry_test, gives_a_worker_that_is_back_the_name_that_it_had) {
  auto first = mock_node();
  auto node = mock_node();
  come(words_of("a"), first);
  EXPECT_EQ(come(words_of("b"), node).node, "w-2");
  cut_off(node.actor);
  dismiss(first.actor);

  EXPECT_EQ(greet(words_of("b")).name, "w-2");
}

TEST_F(watched_registry_test, gives_the_name_of_a_worker_to_others_after_a_while) {
  auto node = mock_node();
  come(words_of("a"), node);
  cut_off(node.actor);

  pass(19s);
  EXPECT_EQ(greet(words_of("b")).name, "w-2");
  pass(2s);

  EXPECT_EQ(greet(words_of("c")).name, "w");
  EXPECT_FALSE(has_timer());
}

TEST_F(watched_registry_test, tells_at_once_of_a_process_that_has_ended) {
  auto node = mock_node();
  auto words = words_of("a");
  auto own = mark_of_this_process();
  words.process = own.substr(0, own.rfind(':') + 1) + "1"; // an earlier process with this number
  auto offer = come(words, node);

  cut_off(node.actor);

  auto told = cluster.take<node_silent>();
  EXPECT_EQ(told.session, offer.session);
  EXPECT_THAT(told.why, HasSubstr("process has ended"));
  EXPECT_EQ(greet(words_of("b")).name, "w");
}

TEST_F(watched_registry_test, gives_the_name_of_a_process_that_has_ended_to_the_next) {
  auto node = mock_node();
  auto words = words_of("a");
  auto own = mark_of_this_process();
  words.process = own.substr(0, own.rfind(':') + 1) + "1"; // an earlier process with this number
  auto offer = come(words, node);

  EXPECT_EQ(greet(words_of("b")).name, "w");

  EXPECT_EQ(cluster.take<node_silent>().session, offer.session);
  EXPECT_THAT(said.back(), HasSubstr("worker w is gone: its process has ended"));
}

TEST_F(watched_registry_test, loses_a_worker_at_once_whose_guard_says_that_it_died) {
  auto node = mock_node();
  auto offer = come(words_of("a"), node);
  auto say = [this](const std::string& cluster_name, const std::string& worker) {
    const auto text = to_json(farewell{this_build(), cluster_name, worker});
    return *hello_answer_from_json(ask_now<std::string>(uut, hello_atom_v, text));
  };

  EXPECT_TRUE(std::holds_alternative<rejection>(say("other", "a")));
  EXPECT_TRUE(std::holds_alternative<welcome>(say("default", "b")));
  EXPECT_EQ(cluster.heard->size(), 0u);
  EXPECT_TRUE(std::holds_alternative<welcome>(say("default", "a")));

  auto told = cluster.take<node_silent>();
  EXPECT_EQ(told.session, offer.session);
  EXPECT_THAT(told.why, HasSubstr("killed"));
  EXPECT_THAT(said.back(), HasSubstr("worker w is gone: its guard says that it was killed"));
  EXPECT_EQ(greet(words_of("b")).name, "w");
}

} // namespace
} // namespace tune
