/// A worker in an actor system of its own, for tests of heads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/real_system.hpp"

#include "tune/net/checkpoint_client.hpp"
#include "tune/net/head_session.hpp"
#include "tune/net/job_lookup.hpp"
#include "tune/net/output_client.hpp"
#include "tune/net/package_client.hpp"
#include "tune/net/system.hpp"
#include "tune/tuner/shipment.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace tune::samples {

struct worker_events : head_session_observer {
  support::told<std::string> joins;
  support::told<worker_end> ends;
  void joined(const std::string& name, const welcome&) override { joins.add(name); }
  void away(const std::string&, std::chrono::milliseconds) override {}
  void back() override {}
  void lost(const std::string&) override {}
  void waits(const std::string&, std::chrono::milliseconds) override {}
  void idle() override {}
  void ended(const worker_end& how) override { ends.add(how); }
};

/// A worker like `tune-node worker --once`.
class far_worker {
public:
  far_worker(const std::string& address, const transport& how, const std::filesystem::path& work,
             const trainable_registry& trainables)
      : config_{how, 2}, system_{config_} {
    package_client_settings fetching;
    fetching.work = work;
    package_client_ = *spawn_package_client(system_, std::move(fetching));
    head_session_settings settings;
    settings.dial = dial(system_, *peer_address_from(address), how);
    settings.worker = "00ff";
    settings.node.name = "far";
    settings.node.capacity.cpu = amount::of(2);
    settings.node.trainables = std::make_shared<const trainable_registry>(trainables);
    settings.furnish = [this](node_settings& node, const head_links& links) {
      node.finder
          = spawn_job_lookup(system_, package_client_, links.package_server, worker_job_maker());
      node.outputs = spawn_output_client(system_, links.output_server, true,
                                         std::chrono::minutes{5}, node.gate);
      checkpoint_client_settings keeping;
      keeping.gate = node.gate;
      node.checkpoint_service = spawn_checkpoint_client(system_, links.checkpoint_server, keeping);
    };
    settings.once = true;
    settings.observer = events;
    auto head_session = spawn_head_session(system_, std::move(settings));
    send_from_outside(head_session, run_atom_v);
  }
  ~far_worker() {
    // Whatever the test did: a head session that stays would keep the system alive.
    EXPECT_TRUE(events->ends.wait_for(1));
    caf::anon_send_exit(package_client_, caf::exit_reason::user_shutdown);
  }

  std::shared_ptr<worker_events> events = std::make_shared<worker_events>();

private:
  network_config config_;
  caf::actor_system system_;
  package_client_actor package_client_;
};

} // namespace tune::samples
