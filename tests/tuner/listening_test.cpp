// SPDX-License-Identifier: BSD-3-Clause
#include "bowl.hpp"

#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/net/connector.hpp"
#include "tune/net/fetcher.hpp"
#include "tune/net/job_finder.hpp"
#include "tune/net/output_courier.hpp"
#include "tune/net/system.hpp"
#include "tune/tuner/shipment.hpp"

#include <gmock/gmock.h>

#include <future>

namespace tune {
namespace {

using testing::HasSubstr;

/// Waits for what a tuner says of its port.
struct listener : tuner_callback {
  support::told<std::string> addresses;
  support::told<std::string> lines;
  void listens(const std::string& address) override { addresses.add(address); }
  void worker_changed(const std::string& line) override { lines.add(line); }
};

struct worker_events : connector_observer {
  support::told<std::string> joins;
  support::told<worker_end> ends;
  void joined(const std::string& name, const welcome&) override { joins.add(name); }
  void lost(const std::string&) override {}
  void waits(const std::string&, std::chrono::milliseconds) override {}
  void ended(const worker_end& how) override { ends.add(how); }
};

/// A worker, as `tune-node worker --once` is one.
class worker {
public:
  worker(const std::string& address, const transport& how, const std::filesystem::path& work)
      : config_{how, 2}, system_{config_} {
    fetcher_settings fetching;
    fetching.work = work;
    fetcher_ = *spawn_fetcher(system_, std::move(fetching));
    connector_settings settings;
    settings.dial = dial(system_, *peer_address_from(address), how);
    settings.worker = "00ff";
    settings.node.name = "far";
    settings.node.capacity.cpu = amount::of(2);
    settings.node.trainables = std::make_shared<const trainable_registry>(samples::bowls());
    settings.furnish = [this](node_settings& node, const head_links& links) {
      node.finder = spawn_job_finder(system_, fetcher_, links.depot, worker_job_maker());
      node.outputs = spawn_output_courier(system_, links.inbox);
    };
    settings.once = true;
    settings.observer = events;
    auto connector = spawn_connector(system_, std::move(settings));
    send_from_outside(connector, run_atom_v);
  }
  ~worker() {
    // Whatever became of the test: a connector that stays would keep the system.
    EXPECT_TRUE(events->ends.wait_for(1));
    caf::anon_send_exit(fetcher_, caf::exit_reason::user_shutdown);
  }

  std::shared_ptr<worker_events> events = std::make_shared<worker_events>();

private:
  network_config config_;
  caf::actor_system system_;
  fetcher_actor fetcher_;
};

class listening_test : public samples::tuner_test {
protected:
  std::shared_ptr<listener> heard = std::make_shared<listener>();

  std::filesystem::path certificates() const {
    certificate_order first;
    first.whom.name = "head";
    auto made = init_certificates(root / "certs", "test", first);
    EXPECT_TRUE(made) << (made ? "" : to_text(made.error()));
    return root / "certs";
  }
  run_options remote(const std::filesystem::path& certs) const {
    return options()
        .listen("127.0.0.1:0", certs)
        .isolation(isolation_kind::thread)
        .set("cluster.local", false)
        .set("log.file", "run.log")
        .callback(heard);
  }
};

TEST_F(listening_test, runs_its_trials_on_a_worker_that_joins) {
  auto certs = certificates();
  auto ran
      = std::async(std::launch::async, [&] { return tuner{samples::bowls()}.run(remote(certs)); });
  ASSERT_TRUE(heard->addresses.wait_for(1));
  auto address = heard->addresses.all().front();
  auto how = choose_transport(*peer_address_from(address), certs, false);
  ASSERT_TRUE(how) << to_text(how.error());
  {
    worker far{address, *how, root / "work"};

    auto grid = ran.get();

    ASSERT_TRUE(grid) << to_text(grid.error());
    EXPECT_EQ(grid->status(), experiment_status::done);
    ASSERT_EQ(grid->trials().size(), 3u);
    for (const auto& x : grid->trials())
      EXPECT_EQ(x.iterations, 5u);
    EXPECT_EQ(far.events->joins.all(), std::vector<std::string>{"far"});
  }
  ASSERT_GE(heard->lines.size(), 1u);
  EXPECT_THAT(heard->lines.all().front(), HasSubstr("worker far joined"));
  auto log = content(root / "e" / "run.log");
  EXPECT_THAT(log, HasSubstr("info 00002 TERMINATED"));
  EXPECT_THAT(log, HasSubstr("the run is over, done"));
}

TEST_F(listening_test, opens_no_port_without_certificates) {
  auto grid = tuner{samples::bowls()}.run(remote(root / "none"));

  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().code, ec::refused);
  EXPECT_THAT(grid.error().detail, HasSubstr("tune-node certs init"));
  EXPECT_FALSE(std::filesystem::exists(root / "e"));
}

TEST_F(listening_test, refuses_an_actor_system_that_speaks_with_no_other) {
  system_config config{2};
  caf::actor_system system{config};

  auto grid = tuner{samples::bowls()}.run(remote(certificates()).run_in(system));

  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().code, ec::refused);
  EXPECT_THAT(grid.error().detail, HasSubstr("network_config"));
}

TEST_F(listening_test, does_not_run_without_the_log_that_was_asked_for) {
  fill(root / "taken", "");

  auto grid
      = tuner{samples::bowls()}.run(options().set("log.file", (root / "taken" / "x").string()));

  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().code, ec::storage);
}

} // namespace
} // namespace tune
