// A malicious member of a cluster that holds a certificate and speaks CAF.
//
// usage: tune_hostile_node --join HOST:PORT --certs DIR [--plain] --rounds N
//
// It joins as a worker, learns the actors that workers speak with, and sends to all of them, and to
// every actor with a small id, every attack it knows. It prints "harm done" after each round.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/attacks.hpp"

#include "tune/core/resource/resources.hpp"
#include "tune/io/process/process_mark.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/hello.hpp"
#include "tune/net/system.hpp"

#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace tune;

/// Upper bound of the ids of the actors that a head has when its first trials run.
constexpr caf::actor_id most_known = 80;
constexpr std::chrono::seconds patience{10};

class hostile {
public:
  hostile(caf::actor_system& system, node_registry_actor door)
      : system_{system}, self_{system}, other_{system}, door_{std::move(door)} {}

  void do_harm() {
    come_in();
    const auto named = targets(0);
    for (const auto& [number, whom] : targets(most_known))
      attack_all(whom, named.contains(number));
    link_and_die();
    std::cout << "harm done" << std::endl;
  }

private:
  caf::actor_system& system_;
  caf::scoped_actor self_;
  caf::scoped_actor other_;
  node_registry_actor door_;
  std::optional<head_links> links_;

  static caf::strong_actor_ptr address_of(const caf::scoped_actor& whom) {
    return caf::actor_cast<caf::strong_actor_ptr>(whom);
  }

  template <class Answer, class... Ts>
  std::optional<Answer> ask(Ts&&... xs) {
    std::optional<Answer> result;
    request(self_.operator->(), door_, patience, std::forward<Ts>(xs)...)
        .receive([&](Answer& x) { result = std::move(x); }, [](const caf::error&) {});
    return result;
  }

  /// Joins as a worker that offers no resources.
  void come_in() {
    hello words;
    words.build = this_build();
    words.cluster = "default";
    words.name = "three";
    words.worker = "a name that nobody else has";
    words.process = mark_of_this_process();
    auto text = ask<std::string>(hello_atom_v, to_json(words));
    auto answer = hello_answer_from_json(text.value_or(""));
    if (!answer || !std::holds_alternative<welcome>(*answer)) {
      std::cerr << "not let in: " << text.value_or("no answer") << '\n';
      std::exit(1);
    }
    links_ = ask<head_links>(enter_atom_v, std::get<welcome>(*answer).ticket);
    if (!links_) {
      std::cerr << "not told whom to speak with\n";
      std::exit(1);
    }
  }

  caf::strong_actor_ptr proxy_of(caf::actor_id number) {
    auto broker = detail::connection_broker(system_);
    auto* whom = caf::actor_cast<caf::abstract_actor*>(broker);
    auto& proxies = static_cast<caf::io::basp_broker*>(whom)->instance.proxies();
    return proxies.get_or_put(door_.node(), number);
  }

  /// Targets by actor id, so that none is attacked twice.
  /// @param most Guesses the actors that it was not told about: every id up to this one.
  std::map<caf::actor_id, caf::strong_actor_ptr> targets(caf::actor_id most) {
    std::map<caf::actor_id, caf::strong_actor_ptr> result;
    auto add = [&](const auto& whom) {
      auto found = caf::actor_cast<caf::strong_actor_ptr>(whom);
      result.emplace(found->id(), found);
    };
    add(door_);
    add(links_->cluster);
    add(links_->package_server);
    add(links_->output_server);
    add(links_->checkpoint_server);
    add(links_->heartbeat_monitor);
    for (caf::actor_id number = 1; number <= most; ++number)
      result.emplace(number, proxy_of(number));
    return result;
  }

  /// @param all If false, leaves out the long attacks and the anonymous repetitions.
  void attack_all(const caf::strong_actor_ptr& whom, bool all) {
    const auto me = address_of(self_);
    const auto other = address_of(other_);
    for (const auto& attacks : {support::system_attacks(me, other),
                                support::foreign_attacks(me, other), support::false_attacks(me)}) {
      for (const auto& x : attacks) {
        const auto is_long = x.name.ends_with("huge") || x.name.ends_with("megabytes");
        if (is_long && !all)
          continue;
        send_as(me, whom, x);
        if (all || x.what.size() == 1)
          send_as(nullptr, whom, x);
      }
    }
    send_streams(me, whom);
  }

  static void send_as(const caf::strong_actor_ptr& me, const caf::strong_actor_ptr& whom,
                      const support::attack& x) {
    whom->enqueue(caf::make_mailbox_element(me, x.id, {}, x.what), nullptr);
  }

  /// CAF decodes the content of such a message by its category, without checking its type.
  static void send_streams(const caf::strong_actor_ptr& me, const caf::strong_actor_ptr& whom) {
    for (auto category : {caf::message_id::upstream_message_category,
                          caf::message_id::downstream_message_category}) {
      auto id = caf::make_message_id().with_category(category);
      whom->enqueue(caf::make_mailbox_element(me, id, {}, caf::make_message(42)), nullptr);
    }
  }

  /// An actor linked to another one ends with it unless it traps exits.
  void link_and_die() {
    for (const auto& [number, whom] : targets(most_known)) {
      auto dies = system_.spawn([whom = whom](caf::event_based_actor* me) {
        me->link_to(caf::actor_cast<caf::actor>(whom));
        me->quit(caf::exit_reason::kill);
      });
      self_->wait_for(dies);
    }
  }
};

} // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  bool plain = false;
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string{"--plain"})
      plain = true;
    else if (i + 1 < argc)
      options[argv[i]] = argv[i + 1], ++i;
  }
  auto where = peer_address_from(options["--join"]);
  if (!where) {
    std::cerr << to_text(where.error()) << '\n';
    return 2;
  }
  auto how = choose_transport(*where, options["--certs"], plain);
  if (!how) {
    std::cerr << to_text(how.error()) << '\n';
    return 2;
  }
  network_config config{*how};
  caf::actor_system system{config};
  auto door = dial(system, *where, *how, patience)();
  if (!door) {
    std::cerr << to_text(door.error()) << '\n';
    return 1;
  }
  hostile it{system, *door};
  for (int round = std::atoi(options["--rounds"].c_str()); round > 0; --round)
    it.do_harm();
  return 0;
}
