// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/quick_heartbeats.hpp"

#include "tune/actors/caf.hpp"
#include "tune/net/caf_io.hpp"
#include "tune/net/heartbeat_monitor.hpp"
#include "tune/net/system.hpp"
#include "tune/net/wire.hpp"

#include "support/real_system.hpp"

#include <caf/binary_serializer.hpp>

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <vector>

#if !TUNE_CAF_1

namespace tune::detail {
namespace {

using caf::io::basp::header;
using caf::io::basp::message_type;
using support::patience;

class quick_heartbeats_test : public testing::Test {
protected:
  network_config config{transport{}, 2};
  caf::actor_system system{config};
  quick_heartbeats uut{system};

  template <class T>
  std::vector<char> payload_of(const T& what) {
    std::vector<char> result;
    caf::binary_serializer to{system, result};
    std::vector<caf::strong_actor_ptr> stages;
    auto message = caf::make_message(what);
    EXPECT_FALSE(to(stages, message));
    return result;
  }
  /// A monitor that waits for session 3.
  heartbeat_monitor_local_actor monitor() {
    auto made = spawn_heartbeat_monitor(system, {}, cluster_actor{});
    caf::scoped_actor self{system};
    request(self.operator->(), made, patience, enter_atom_v, std::uint64_t{3})
        .receive([] {}, [](const caf::error&) { FAIL(); });
    system.registry().put(made.id(), caf::actor_cast<caf::strong_actor_ptr>(made));
    all.push_back(made);
    return made;
  }
  /// What is answered on the thread of the connections; nothing: the usual way is left to it.
  std::optional<io_buffer> answer_to(std::uint64_t session, caf::actor_id whom) {
    const auto payload = payload_of(heartbeat{session, false});
    std::promise<std::optional<io_buffer>> result;
    connection_loop(system).post([&] {
      io_buffer to;
      const auto is_done = uut.answer(head_of(payload, whom), payload, to);
      result.set_value(is_done ? std::optional{to} : std::nullopt);
    });
    return result.get_future().get();
  }
  ~quick_heartbeats_test() override {
    for (const auto& x : all) {
      system.registry().erase(x.id());
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
    }
  }
  std::vector<heartbeat_monitor_local_actor> all;

  header head_of(const std::vector<char>& payload, caf::actor_id to) {
    return {message_type::direct_message,       0,  static_cast<std::uint32_t>(payload.size()),
            caf::message_id{7}.integer_value(), 99, to};
  }
};

TEST_F(quick_heartbeats_test, knows_a_heartbeat_as_it_is_sent) {
  const auto payload = payload_of(heartbeat{0xfedcba9876543210, false});
  EXPECT_TRUE(uut.may_be(head_of(payload, 5)));
  EXPECT_EQ(uut.session_in(payload), 0xfedcba9876543210);
}

TEST_F(quick_heartbeats_test, leaves_all_else_to_the_usual_way) {
  const auto frozen = payload_of(heartbeat{3, true});
  EXPECT_EQ(uut.session_in(frozen), std::nullopt);
  EXPECT_EQ(uut.session_in(payload_of(std::uint64_t{3})), std::nullopt);
  EXPECT_EQ(uut.session_in({}), std::nullopt);

  auto payload = payload_of(heartbeat{3, false});
  auto header_of_none = head_of(payload, 5);
  header_of_none.operation = message_type::heartbeat;
  EXPECT_FALSE(uut.may_be(header_of_none));
  auto without_sender = head_of(payload, 5);
  without_sender.source_actor = caf::invalid_actor_id;
  EXPECT_FALSE(uut.may_be(without_sender));
  auto longer = head_of(payload, 5);
  ++longer.payload_len;
  EXPECT_FALSE(uut.may_be(longer));
  auto no_request = head_of(payload, 5);
  no_request.operation_data = 0;
  EXPECT_FALSE(uut.may_be(no_request));
  for (auto& byte : payload) {
    ++byte;
    const auto session = uut.session_in(payload);
    EXPECT_TRUE(!session || *session != 3u);
    --byte;
  }
}

TEST_F(quick_heartbeats_test, answers_a_node_that_is_waited_for_as_caf_would) {
  const auto whom = monitor().id();

  const auto answer = answer_to(3, whom);
  ASSERT_TRUE(answer);
  ASSERT_GT(answer->size(), caf::io::basp::header_size);
  const std::vector<char> payload(answer->begin() + caf::io::basp::header_size, answer->end());
  header how{};
  caf::binary_deserializer from{system, answer->data(), answer->size()};
  ASSERT_FALSE(from(how));
  EXPECT_TRUE(valid(how));
  EXPECT_EQ(how.operation_data, caf::message_id{7}.response_id().integer_value());
  EXPECT_EQ(how.source_actor, whom);
  EXPECT_EQ(how.dest_actor, 99u);
  EXPECT_EQ(how.payload_len, payload.size());
  EXPECT_EQ(payload, payload_of(true));

  EXPECT_FALSE(answer_to(4, whom)); // the monitor itself says that it does not count
}

TEST_F(quick_heartbeats_test, serves_nodes_over_the_network) {
  const heartbeat_monitor_actor whom = monitor();
  const auto port = publish_plain(system, whom, 0, "127.0.0.1");
  ASSERT_TRUE(port);
  network_config its{transport{}, 2};
  caf::actor_system node{its};
  const auto found = connect_plain<heartbeat_monitor_actor>(node, "127.0.0.1", *port);
  ASSERT_TRUE(found);
  caf::scoped_actor self{node};
  for (const std::uint64_t session : {3, 4, 3, 3, 5}) {
    std::optional<bool> counts;
    request(self.operator->(), *found, patience, heartbeat{session, false})
        .receive([&](bool x) { counts = x; }, [](const caf::error&) {});
    EXPECT_EQ(counts, std::optional{session == 3}) << session;
  }
}

TEST_F(quick_heartbeats_test, has_nobody_answer_where_nobody_listens) {
  const auto payload = payload_of(heartbeat{3, false});
  io_buffer answer;
  EXPECT_FALSE(uut.answer(head_of(payload, 123456), payload, answer));
  EXPECT_TRUE(answer.empty());
}

} // namespace
} // namespace tune::detail

#endif
