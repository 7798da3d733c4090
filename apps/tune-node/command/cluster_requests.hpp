/// Requests of those that make a cluster: a head, and its workers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/io/probe/head_addresses.hpp"
#include "tune/io/probe/peer_address.hpp"
#include "tune/io/scaling/scaling_options.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// The resources that a machine offers. Nothing: all that it has.
struct offered_request {
  std::optional<double> cpus;
  std::optional<double> gpus;
  std::optional<std::uint64_t> memory;
  std::map<std::string, amount> custom;
  /// What people say of it: NAME=VALUE, and NAME or NAME=VALUE.
  std::vector<std::string> labels = {};
  std::vector<std::string> taints = {};
};

struct head_request {
  peer_address listen;
  /// Empty: the default directory.
  std::string certs;
  bool insecure_plaintext = false;
  std::string cluster = "default";
  std::string storage = "results";
  /// Empty: the default directory.
  std::string work;
  /// File of its log; empty: none.
  std::string log_file = {};
  /// Whether this machine runs trials, too.
  bool local = true;
  /// Whether it waits while another head leads in the same storage.
  bool stands_by = false;
  liveness_rules liveness;
  offered_request offers;
  /// Limits of what experiments are granted.
  allocation_limits limits = {};
  /// Where to serve the page of the storage; nothing: nowhere.
  std::optional<peer_address> http;
  /// Where machines get certificates for join tokens; nothing: nowhere.
  std::optional<peer_address> enroll;
  /// The command that gets and gives back workers; nothing: none.
  std::optional<scaling_options> scaling = {};
  /// Called once it listens, with the port; from the thread that runs it. May be empty.
  std::function<void(std::uint16_t)> listens = {};
};

struct worker_request {
  peer_address join;
  /// Other addresses of the same head, tried in turn.
  std::vector<peer_address> also = {};
  /// Empty: the machine's name.
  std::string name;
  /// Empty: the default directory.
  std::string certs;
  bool insecure_plaintext = false;
  std::string cluster = "default";
  offered_request offers;
  /// Empty: the default directory.
  std::string work;
  /// File of its log; empty: none.
  std::string log_file = {};
  /// Most space for shipped files between jobs. [bytes]
  std::uint64_t cache = std::uint64_t{10} << 30;
  /// 0: no limit.
  std::chrono::nanoseconds join_timeout{std::chrono::minutes{10}};
  std::chrono::nanoseconds leave_grace{std::chrono::seconds{30}};
  liveness_rules liveness;
  bool once = false;
  /// It leaves when nothing has run here for so long; 0: never.
  std::chrono::nanoseconds idle_exit{0};
  /// Whether to bring checkpoints to the head even if this machine could write into its directory.
  bool own_storage = false;
  /// A join token, or the file that holds it, for a machine without a certificate; empty: none.
  std::string token = {};
  /// Where the token is shown; nothing: at the next port after that of `join`.
  std::optional<peer_address> enroll = {};
};

struct doctor_request {
  /// The head to which the way is checked, at each of its addresses; nothing: this machine alone.
  std::optional<head_addresses> join;
  /// Empty: the default directory.
  std::string certs;
  bool insecure_plaintext = false;
  std::string cluster = "default";
  /// A worker's directory; empty: the default one.
  std::string work;
};

} // namespace tune::cli
