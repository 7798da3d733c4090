/// A worker in an actor system of its own, for tests of heads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/real_system.hpp"

#include "tune/net/checkpoint_courier.hpp"
#include "tune/net/connector.hpp"
#include "tune/net/fetcher.hpp"
#include "tune/net/job_finder.hpp"
#include "tune/net/output_courier.hpp"
#include "tune/net/system.hpp"
#include "tune/tuner/shipment.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace tune::samples {

struct worker_events : connector_observer {
  support::told<std::string> joins;
  support::told<worker_end> ends;
  void joined(const std::string& name, const welcome&) override { joins.add(name); }
  void away(const std::string&, std::chrono::milliseconds) override {}
  void back() override {}
  void lost(const std::string&) override {}
  void waits(const std::string&, std::chrono::milliseconds) override {}
  void ended(const worker_end& how) override { ends.add(how); }
};

/// A worker, as `tune-node worker --once` is one.
class far_worker {
public:
  far_worker(const std::string& address, const transport& how, const std::filesystem::path& work,
             const trainable_registry& trainables)
      : config_{how, 2}, system_{config_} {
    fetcher_settings fetching;
    fetching.work = work;
    fetcher_ = *spawn_fetcher(system_, std::move(fetching));
    connector_settings settings;
    settings.dial = dial(system_, *peer_address_from(address), how);
    settings.worker = "00ff";
    settings.node.name = "far";
    settings.node.capacity.cpu = amount::of(2);
    settings.node.trainables = std::make_shared<const trainable_registry>(trainables);
    settings.furnish = [this](node_settings& node, const head_links& links) {
      node.finder = spawn_job_finder(system_, fetcher_, links.depot, worker_job_maker());
      node.outputs
          = spawn_output_courier(system_, links.inbox, true, std::chrono::minutes{5}, node.gate);
      checkpoint_courier_settings keeping;
      keeping.gate = node.gate;
      node.keeper = spawn_checkpoint_courier(system_, links.vault, keeping);
    };
    settings.once = true;
    settings.observer = events;
    auto connector = spawn_connector(system_, std::move(settings));
    send_from_outside(connector, run_atom_v);
  }
  ~far_worker() {
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

} // namespace tune::samples
