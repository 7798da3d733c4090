// A peer's bytes: which messages pass, which become unreadable, and which end the connection.
// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/message_filter.hpp"

#include "support/attacks.hpp"
#include "support/real_system.hpp"
#include "tune/net/system.hpp"

#include <caf/binary_serializer.hpp>
#include <caf/scoped_execution_unit.hpp>

#include <gmock/gmock.h>

#include <optional>

namespace tune::detail {
namespace {

using caf::io::basp::header;
using caf::io::basp::message_type;
using verdict = message_filter::verdict;
using testing::HasSubstr;

struct checkpoint_server_double_state {
  static inline const char* name = "tune.checkpoint_server";
};
struct unknown_state {
  static inline const char* name = "tune.runner";
};

using some_actor = typed_actor<caf::result<void>(tick_atom)>;

template <class State>
some_actor::behavior_type idle(some_actor::stateful_pointer<State>) {
  return {[](tick_atom) {}};
}

class message_filter_test : public testing::Test {
protected:
  network_config config{transport{}, 2};
  caf::actor_system system{config};
  std::shared_ptr<const reachable_actors> words = std::make_shared<const reachable_actors>(system);
  std::optional<message_filter> uut{std::in_place, system, message_filter::side::accepted, words};
  caf::node_id peer = *caf::make_node_id(7, std::string(40, 'a'));
  caf::node_id third = *caf::make_node_id(8, std::string(40, 'b'));
  std::vector<some_actor> all;

  ~message_filter_test() override {
    for (const auto& x : all)
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  }

  /// Spawns an actor and registers it, as CAF does with an actor that it names to a peer. @returns
  /// its id.
  template <class State>
  caf::actor_id known_actor() {
    auto made = system.spawn(idle<State>);
    all.push_back(made);
    system.registry().put(made.id(), caf::actor_cast<caf::strong_actor_ptr>(made));
    return made.id();
  }

  template <class... Ts>
  std::vector<char> bytes_of(const Ts&... xs) {
    std::vector<char> result;
    caf::binary_serializer to{system, result};
    EXPECT_FALSE(to(const_cast<Ts&>(xs)...));
    return result;
  }
  verdict look_at(header head, std::vector<char> payload) {
    head.payload_len = static_cast<std::uint32_t>(payload.size());
    auto part = bytes_of(head);
    EXPECT_EQ(part.size(), caf::io::basp::header_size);
    if (uut->look(part) == verdict::ends)
      return verdict::ends;
    if (payload.empty())
      return verdict::goes_on;
    sent_ = std::move(payload);
    return uut->look(sent_);
  }
  static header greeting() { return {message_type::client_handshake, 0, 0, 0, 0, 0}; }
  static header words_to(caf::actor_id whom, caf::message_id id = caf::make_message_id(),
                         caf::actor_id from = 5) {
    return {message_type::direct_message, 0, 0, id.integer_value(), from, whom};
  }
  void greet() { ASSERT_EQ(look_at(greeting(), bytes_of(peer)), verdict::goes_on); }

  /// Whether the message passes unchanged.
  bool passes(const header& head, const caf::message& what) {
    auto payload = bytes_of(std::vector<caf::strong_actor_ptr>{}, what);
    auto before = payload;
    EXPECT_EQ(look_at(head, std::move(payload)), verdict::goes_on);
    return sent_ == before;
  }
  /// Whether CAF could deserialize what was left of the last payload.
  bool is_readable() {
    caf::scoped_execution_unit context{&system};
    caf::binary_deserializer from{&context, sent_.data(), sent_.size()};
    std::vector<caf::strong_actor_ptr> stages;
    caf::message what;
    return !from(stages, what);
  }

private:
  std::vector<char> sent_;
};

TEST_F(message_filter_test, lets_the_words_of_an_interface_pass) {
  auto checkpoint_server = known_actor<checkpoint_server_double_state>();
  greet();

  EXPECT_TRUE(passes(words_to(checkpoint_server),
                     caf::make_message(checkpoint_offer{}, checkpoint_peer_actor{})));
  EXPECT_EQ(uut->complaint(), "");
}

TEST_F(message_filter_test, makes_everything_else_unreadable_and_says_so) {
  auto checkpoint_server = known_actor<checkpoint_server_double_state>();
  greet();

  for (const auto& x : support::system_attacks(nullptr, nullptr)) {
    EXPECT_FALSE(passes(words_to(checkpoint_server, x.id), x.what)) << x.name;
    EXPECT_FALSE(is_readable()) << x.name;
    EXPECT_THAT(uut->complaint(), HasSubstr("sent tune.checkpoint_server a message")) << x.name;
  }
}

TEST_F(message_filter_test, keeps_all_messages_from_whoever_is_not_named) {
  auto runner = known_actor<unknown_state>();
  greet();

  for (const auto& x : support::foreign_attacks(nullptr, nullptr))
    EXPECT_FALSE(passes(words_to(runner, x.id), x.what)) << x.name;
  EXPECT_FALSE(passes(words_to(runner), caf::make_message(tick_atom_v)));
}

TEST_F(message_filter_test, keeps_all_messages_from_services_of_caf_and_from_nobody) {
  greet();

  for (const auto& x : support::system_attacks(nullptr, nullptr)) {
    for (const auto* service : {"SpawnServ", "ConfigServ"}) {
      auto head = words_to(static_cast<std::uint64_t>(caf::atom_from_string(service)), x.id);
      head.flags = header::named_receiver_flag;
      EXPECT_FALSE(passes(head, x.what)) << x.name;
    }
    EXPECT_FALSE(passes(words_to(99'999, x.id), x.what)) << x.name;
  }
}

TEST_F(message_filter_test, keeps_what_has_no_sender_from_everybody) {
  auto checkpoint_server = known_actor<checkpoint_server_double_state>();
  greet();

  EXPECT_FALSE(passes(words_to(checkpoint_server, caf::make_message_id(), 0),
                      caf::make_message(checkpoint_offer{}, checkpoint_peer_actor{})));
}

TEST_F(message_filter_test, keeps_a_number_that_is_none_of_a_message_from_everybody) {
  auto checkpoint_server = known_actor<checkpoint_server_double_state>();
  greet();
  const auto fine = caf::make_message(checkpoint_offer{}, checkpoint_peer_actor{});

  for (auto category :
       {caf::message_id::upstream_message_category, caf::message_id::downstream_message_category})
    EXPECT_FALSE(
        passes(words_to(checkpoint_server, caf::make_message_id().with_category(category)), fine));
  EXPECT_FALSE(passes(words_to(checkpoint_server, caf::message_id{17}.response_id()), fine));
}

TEST_F(message_filter_test, tells_atoms_apart) {
  auto node_registry
      = published{known_actor<unknown_state>(), words_of<node_registry_actor>(system)};
  uut.emplace(system, message_filter::side::accepted, words, node_registry);
  greet();

  EXPECT_TRUE(
      passes(words_to(node_registry.whom), caf::make_message(enter_atom_v, std::uint64_t{1})));
  EXPECT_FALSE(
      passes(words_to(node_registry.whom), caf::make_message(leave_atom_v, std::uint64_t{1})));
}

TEST_F(message_filter_test, survives_payloads_of_any_bytes) {
  auto checkpoint_server = known_actor<checkpoint_server_double_state>();
  greet();
  for (std::size_t size = 1; size < 40; ++size) {
    for (auto byte : {'\0', '\1', '\x7f', '\x80', '\xff'}) {
      EXPECT_EQ(look_at(words_to(checkpoint_server), std::vector<char>(size, byte)),
                verdict::goes_on);
      EXPECT_FALSE(is_readable());
    }
  }
}

TEST_F(message_filter_test, cuts_messages_off_at_every_byte_and_survives) {
  auto checkpoint_server = known_actor<checkpoint_server_double_state>();
  greet();
  auto whole = bytes_of(std::vector<caf::strong_actor_ptr>{},
                        caf::make_message(checkpoint_offer{}, checkpoint_peer_actor{}));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    // Without complete type names it passes too: CAF makes an empty message of it.
    EXPECT_EQ(look_at(words_to(checkpoint_server),
                      {whole.begin(), whole.begin() + static_cast<long>(size)}),
              verdict::goes_on);
  }
}

TEST_F(message_filter_test, ends_with_a_peer_that_does_not_greet_first) {
  EXPECT_EQ(look_at(words_to(1), std::vector<char>(10, 'x')), verdict::ends);
  EXPECT_THAT(uut->complaint(), HasSubstr("did not greet"));
}

TEST_F(message_filter_test, ends_with_a_peer_that_greets_without_a_name) {
  EXPECT_EQ(look_at(greeting(), {}), verdict::ends);
}

TEST_F(message_filter_test, ends_with_a_peer_that_greets_as_another_one_or_as_this_node) {
  EXPECT_EQ(look_at(greeting(), bytes_of(system.node())), verdict::ends);
  greet();
  greet(); // the same greeting again is fine
  EXPECT_EQ(look_at(greeting(), bytes_of(third)), verdict::ends);
}

TEST_F(message_filter_test, ends_with_a_peer_that_takes_the_other_side) {
  header other{message_type::server_handshake, 0, 0, 4, 0, 0};
  EXPECT_EQ(look_at(other, bytes_of(peer)), verdict::ends);
}

TEST_F(message_filter_test, ends_with_a_peer_that_wants_its_words_passed_on) {
  greet();
  header routed{message_type::routed_message, 0, 0, 0, 5, 6};
  EXPECT_EQ(look_at(routed, bytes_of(peer, third)), verdict::ends);
}

TEST_F(message_filter_test, ends_with_a_peer_that_speaks_of_the_actors_of_others) {
  header down{message_type::down_message, 0, 0, 0, 5, 0};
  header monitor{message_type::monitor_message, 0, 0, 0, 0, 5};
  const auto here = system.node();
  greet();
  EXPECT_EQ(look_at(down, bytes_of(peer, here, caf::error{})), verdict::goes_on);
  EXPECT_EQ(look_at(monitor, bytes_of(peer, here)), verdict::goes_on);

  EXPECT_EQ(look_at(down, bytes_of(third, here, caf::error{})), verdict::ends);
  EXPECT_EQ(look_at(monitor, bytes_of(third, here)), verdict::ends);
  EXPECT_EQ(look_at(monitor, bytes_of(peer, third)), verdict::ends);
}

TEST_F(message_filter_test, ends_with_a_peer_that_promises_more_than_a_message_may_have) {
  greet();
  auto head = words_to(1);
  head.payload_len = 0xffff'ffff;
  auto part = bytes_of(head);

  EXPECT_EQ(uut->look(part), verdict::ends);
  EXPECT_THAT(uut->complaint(), HasSubstr("4294967295 bytes"));
}

TEST_F(message_filter_test, ends_with_a_peer_whose_header_is_none) {
  greet();
  std::vector<char> part(caf::io::basp::header_size, '\xee');
  EXPECT_EQ(uut->look(part), verdict::ends);
}

} // namespace
} // namespace tune::detail
