// SPDX-License-Identifier: BSD-3-Clause
#include "bowl.hpp"
#include "far_worker.hpp"

#include "tune/io/certificates/certificate_directory.hpp"

#include <gmock/gmock.h>

#include <future>

namespace tune {
namespace {

using testing::HasSubstr;

/// Records what a tuner says about its port.
struct listener : tuner_callback {
  support::told<std::string> addresses;
  support::told<std::string> lines;
  void listens(const std::string& address) override { addresses.add(address); }
  void worker_changed(const std::string& line) override { lines.add(line); }
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
    samples::far_worker far{address, *how, root / "work", samples::bowls()};

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
