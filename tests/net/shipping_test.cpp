// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/package_client.hpp"
#include "tune/net/package_server.hpp"

#include "files_on_disk.hpp"
#include "support/real_system.hpp"

#include "tune/net/caf_io.hpp"
#include "tune/net/system.hpp"

#include <gmock/gmock.h>

#include <random>

namespace tune {
namespace {

using testing::HasSubstr;

struct network_config : caf::actor_system_config {
  network_config() {
    configure_net(*this, 2);
    load_network(*this);
  }
};

/// One end of a connection: an actor system whose actors end with it.
class end_of_line {
public:
  ~end_of_line() {
    for (const auto& whom : kept_)
      caf::anon_send_exit(whom, caf::exit_reason::user_shutdown);
  }
  template <class Handle>
  Handle keep(Handle whom) {
    kept_.push_back(caf::actor_cast<caf::actor>(whom));
    return whom;
  }

private:
  network_config config_;

public:
  caf::actor_system system{config_};

private:
  std::vector<caf::actor> kept_;
};

package_server_actor::behavior_type
mute_package_server(std::shared_ptr<support::told<std::string>> heard) {
  return {
      [heard](const job_request& x, const job_taker_actor&) { heard->add(x.job); },
      [](const chunk_request&, const job_taker_actor&) {},
  };
}

struct shipping_test : testing::Test {
  support::files_on_disk disk;
  support::told<fetched_job> fetched;
  std::unique_ptr<end_of_line> head = std::make_unique<end_of_line>();
  std::unique_ptr<end_of_line> worker = std::make_unique<end_of_line>();

  /// Makes the package server reachable for the worker, over a real connection.
  package_server_actor across(const package_server_actor& package_server) const {
    auto port = publish_plain(head->system, package_server, 0, "127.0.0.1");
    EXPECT_TRUE(port) << port.error().detail;
    auto far = connect_plain<package_server_actor>(worker->system, "127.0.0.1", *port);
    EXPECT_TRUE(far) << far.error().detail;
    return *far;
  }
  /// Asks for a job; the answer goes to `fetched`.
  void fetch(const std::string& job, const package_server_actor& package_server) {
    package_client_settings settings;
    settings.work = disk.worker();
    auto package_client = spawn_package_client(worker->system, settings);
    ASSERT_TRUE(package_client) << package_client.error().detail;
    worker->keep(*package_client);
    worker->keep(worker->system.spawn([this, job, package_server, whom = *package_client](
                                          caf::event_based_actor* self) -> caf::behavior {
      request(self, whom, support::patience, fetch_job{job}, package_server)
          .then([this](const fetched_job& x) { fetched.add(x); },
                [this](const caf::error& why) {
                  fetched.add({{}, {}, {}, render(worker->system, why)});
                });
      return {[](tick_atom) {}};
    }));
  }
  fetched_job answer() {
    EXPECT_TRUE(fetched.wait_for(1));
    return fetched.size() == 0 ? fetched_job{} : fetched.all().front();
  }
  std::string offer(const package_server_local_actor& package_server, const job_offer& what) const {
    caf::scoped_actor self{head->system};
    std::string result;
    request(self.operator->(), package_server, support::patience, what)
        .receive([&](const std::string& trouble) { result = trouble; },
                 [&](const caf::error& why) { result = render(head->system, why); });
    return result;
  }
};

TEST_F(shipping_test, brings_files_over_a_real_connection) {
  constexpr unsigned seed = 7;
  std::mt19937 random{seed};
  std::string noise(3'000'001, '\0');
  for (auto& c : noise)
    c = static_cast<char>(random());
  disk.write("data/noise", noise);
  disk.write("train.py", "print('hello')");
  auto package_server = head->keep(spawn_package_server(head->system));
  ASSERT_EQ(offer(package_server, disk.offer("job", {"*"})), "");

  fetch("job", across(package_server));

  EXPECT_EQ(answer().why, "");
  EXPECT_EQ(answer().record, "record of job");
  EXPECT_EQ(disk.shipped("job", "train.py"), "print('hello')");
  EXPECT_TRUE(disk.shipped("job", "data/noise") == noise) << "seed " << seed;
}

TEST_F(shipping_test, fails_when_the_connection_is_lost) {
  auto heard = std::make_shared<support::told<std::string>>();
  auto package_server
      = across(head->keep(package_server_actor{head->system.spawn(mute_package_server, heard)}));
  fetch("job", package_server);
  ASSERT_TRUE(heard->wait_for(1));

  head.reset();

  EXPECT_THAT(answer().why, HasSubstr("lost"));
}

} // namespace
} // namespace tune
