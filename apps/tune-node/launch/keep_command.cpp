// SPDX-License-Identifier: BSD-3-Clause
#include "launch/keep_command.hpp"

#include "console/announcer.hpp"
#include "console/text.hpp"
#include "launch/keeper.hpp"
#include "launch/kept_cluster.hpp"
#include "launch/ssh_target.hpp"
#include "run/ending.hpp"
#include "run/interrupts.hpp"
#include "run/load_configuration.hpp"

#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"
#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/files/hmac.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_reads{100};
constexpr std::size_t tag_bytes = 6;
/// A keeper that has not even taken its lock by then has died.
constexpr milliseconds keeper_patience{10'000};

/// What a user wants, from the command line and the file.
struct keep_order {
  fs::path storage;
  std::string hosts;
  bool local = true;
};

/// @returns nothing if the file has faults, which were told.
std::optional<keep_order> order_from(const launch_request& what, const choices& all) {
  keep_order result{"results", what.hosts, what.local};
  if (!what.run.file.empty()) {
    auto loaded = load_or_complain(what.run.file, what.run.overrides, all, true);
    if (!loaded)
      return std::nullopt;
    result.storage = experiment_directory(loaded->what, fs::current_path()).parent_path();
    if (result.hosts.empty())
      result.hosts = loaded->what.cluster.hosts;
    result.local = what.local && loaded->what.cluster.local;
  }
  if (!what.storage.empty())
    result.storage = what.storage;
  result.storage = fs::absolute(result.storage).lexically_normal();
  if (!result.storage.has_filename())
    result.storage = result.storage.parent_path();
  return result;
}

/// Adds machines to those that are wanted already. @errors `ec::bad_option`.
expected<wanted_cluster> with_hosts(wanted_cluster to, const std::string& more) {
  const auto targets = ssh_targets_from(more);
  if (!targets)
    return error{ec::bad_option, "--hosts: " + targets.error().detail};
  for (const auto& x : *targets) {
    if (std::find(to.hosts.begin(), to.hosts.end(), x.text) == to.hosts.end())
      to.hosts.push_back(x.text);
  }
  return to;
}

/// @errors those of the directory; `ec::bad_option`.
expected<wanted_cluster> change(const kept_cluster& where, const keep_order& order,
                                const launch_request& what) {
  auto before = where.wanted();
  if (!before)
    return before.error();
  if (!*before && order.hosts.empty())
    return error{ec::bad_option, "no machines: name them by --hosts A,B or [cluster] hosts"};
  auto wanted = before->value_or(wanted_cluster{});
  if (wanted.tag.empty())
    wanted.tag = random_hex(tag_bytes);
  if (!order.hosts.empty()) {
    auto added = with_hosts(std::move(wanted), order.hosts);
    if (!added)
      return added.error();
    wanted = std::move(*added);
  }
  ++wanted.round;
  if (!*before) {
    wanted.ssh = what.ssh;
    wanted.program = what.program;
    wanted.work = what.work;
    wanted.is_direct = what.is_direct;
    wanted.worker_options = what.worker_options;
    wanted.local = order.local;
  }
  certificate_order head;
  head.whom.name = "head";
  if (auto made = init_certificates(where.certificates(), "launch", head); !made)
    return made.error();
  if (auto done = where.want(wanted); !done)
    return done.error();
  return wanted;
}

bool is_settled(const seen_cluster& x, const wanted_cluster& wanted) {
  return x.round == wanted.round && x.port != 0
         && std::none_of(x.hosts.begin(), x.hosts.end(),
                         [](const auto& host) { return host.second == host_state::starting; });
}

/// Waits until each machine has joined or failed, and shows what the keeper says.
/// @param signal Set where one came meanwhile.
/// @returns nothing if the keeper is no more, or at a signal.
std::optional<seen_cluster> follow_keeper(const kept_cluster& where, const wanted_cluster& wanted,
                                          log_tail& log, std::optional<int>& signal) {
  auto patience = keeper_patience;
  for (;;) {
    if (signal = take_held_signal(); signal) {
      announce("launch", "what was started goes on; "
                             + program_call("down " + shell_word(where.storage().string()))
                             + " ends it");
      return std::nullopt;
    }
    const auto seen = where.seen();
    log.show();
    if (seen && is_settled(*seen, wanted))
      return seen;
    const auto is_kept = where.keeper().has_value();
    patience = is_kept ? keeper_patience : patience - between_reads;
    if (patience.count() <= 0 || (seen && seen->code)) {
      log.show();
      return std::nullopt;
    }
    std::this_thread::sleep_for(between_reads);
  }
}

exit_code tell_how_it_stands(const kept_cluster& where, const seen_cluster& seen,
                             const launch_request& what) {
  const auto joined = static_cast<std::size_t>(
      std::count_if(seen.hosts.begin(), seen.hosts.end(),
                    [](const auto& x) { return x.second == host_state::joined; }));
  const auto head = "127.0.0.1:" + std::to_string(seen.port);
  const auto file = what.run.file.empty() ? std::string{"FILE"} : shell_word(what.run.file);
  std::cout << "head: " << head << "\nworkers: " << joined << " of " << seen.hosts.size()
            << " machines\n"
            << "run:  "
            << program_call("run " + file + " --head " + head + " --certs "
                            + shell_word(where.certificates().string()))
            << "\nend:  " << program_call("down " + shell_word(where.storage().string())) << "\n";
  return joined == seen.hosts.size() ? exit_code::done : exit_code::unreachable;
}

} // namespace

exit_code keep_cluster(const command_line&, const launch_request& what, const choices& all) {
  const auto order = order_from(what, all);
  if (!order)
    return exit_code::configuration;
  // Checked before anything is made.
  if (!order->hosts.empty()) {
    if (auto fine = ssh_targets_from(order->hosts); !fine)
      return complain({ec::bad_option, "--hosts: " + fine.error().detail});
  }
  const kept_cluster where{order->storage};
  std::error_code failed;
  if (order->hosts.empty() && !fs::exists(where.directory(), failed))
    return complain({ec::bad_option, "no machines: name them by --hosts A,B or [cluster] hosts"});
  auto changing = where.begin_change(true);
  if (!changing)
    return complain(changing.error());
  const auto wanted = change(where, *order, what);
  if (!wanted)
    return complain(wanted.error());
  log_tail log{where.log()};
  if (!where.keeper()) {
    if (auto started = start_keeper(where); !started)
      return complain(started.error());
  }
  std::optional<int> signal;
  const auto seen = follow_keeper(where, *wanted, log, signal);
  if (signal)
    return static_cast<exit_code>(128 + *signal);
  if (!seen)
    return complain(
        {ec::unreachable, "the cluster could not be started; "
                              + program_call("down " + shell_word(where.storage().string()))
                              + " removes what is left of it"});
  return tell_how_it_stands(where, *seen, what);
}

} // namespace tune::cli
