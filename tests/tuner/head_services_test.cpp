// Heads whose actors end although nobody told them to.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/head_services.hpp"

#include "support/real_system.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/system.hpp"

#include <gmock/gmock.h>

#include <utility>

namespace tune {
namespace {

using support::patience;
using support::told;
using testing::HasSubstr;

/// A member of the cluster in an actor system of its own.
struct member {
  network_config config{transport{}, 2};
  caf::actor_system system{config};
  head_links links;
  node_registry_actor node_registry;

  explicit member(std::uint16_t port) {
    auto found = dial(system, {"127.0.0.1", port}, transport{})();
    EXPECT_TRUE(found) << (found ? "" : to_text(found.error()));
    if (!found)
      return;
    node_registry = *found;
    caf::scoped_actor self{system};
    request(self.operator->(), node_registry, patience, enter_atom_v, std::uint64_t{1})
        .receive([&](head_links& x) { links = std::move(x); },
                 [&](const caf::error& why) { ADD_FAILURE() << render(system, why); });
  }
};

class head_services_test : public testing::Test {
protected:
  network_config config{transport{}, 2};
  caf::actor_system system{config};
  head_services uut{system, node_settings{}, false};
  told<std::string> broken;
  told<std::string> crippled;
  std::uint16_t port = 0;

  head_services_test() {
    uut.when_broken([this](const std::string& why) { broken.add(why); });
    uut.when_crippled([this](const std::string& why) { crippled.add(why); });
    listen_options how;
    how.where = {"127.0.0.1", 0};
    how.cluster = "default";
    auto opened = uut.listen(std::move(how));
    EXPECT_TRUE(opened) << (opened ? "" : to_text(opened.error()));
    port = opened ? *opened : std::uint16_t{0};
  }
  void TearDown() override { close(); }

  void close() {
    if (std::exchange(closed_, true))
      return;
    uut.close();
    uut.await_farewell();
  }

  /// Kills an actor of the head, as only a fault of its own could end it.
  template <class Handle>
  void strike(const Handle& known_elsewhere) {
    auto whom = system.registry().get(known_elsewhere.id());
    ASSERT_NE(whom, nullptr);
    caf::anon_send_exit(caf::actor_cast<caf::actor>(whom), caf::exit_reason::kill);
  }

private:
  bool closed_ = false;
};

TEST_F(head_services_test, says_which_of_those_that_serve_workers_has_ended) {
  member elsewhere{port};
  const auto& links = elsewhere.links;

  strike(links.checkpoint_server);
  strike(links.output_server);
  strike(links.package_server);
  strike(links.heartbeat_monitor);
  strike(elsewhere.node_registry);

  ASSERT_TRUE(crippled.wait_for(5));
  auto all = crippled.all();
  for (const auto* name : {"the checkpoint server was ended", "the output server",
                           "the package server", "the heartbeat monitor", "the node registry"})
    EXPECT_THAT(all, testing::Contains(HasSubstr(name)));
  EXPECT_EQ(broken.size(), 0U);
}

TEST_F(head_services_test, says_that_nothing_goes_on_without_the_cluster) {
  member elsewhere{port};

  strike(elsewhere.links.cluster);

  ASSERT_TRUE(broken.wait_for(1));
  EXPECT_THAT(broken.all().front(), HasSubstr("the cluster was ended"));
}

TEST_F(head_services_test, says_nothing_where_all_end_in_order) {
  { member elsewhere{port}; }

  close();

  EXPECT_EQ(broken.size() + crippled.size(), 0U);
}

} // namespace
} // namespace tune
