// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/checkpoint_server.hpp"

#include "checkpoint_disk_worker.hpp"

#include "tune/actors/firm.hpp"
#include "tune/actors/job_servers.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tune {

namespace {

/// Checkpoint clients of a node: one, and a new one each time that it has joined anew.
constexpr long most_peers_of_node = 8;
/// Numbers of one worker in use, over all jobs. Above what disk workers hold of it at a time: see
/// checkpoint_disk_worker.cpp.
constexpr std::size_t most_numbers = 100'000;

// Answers to a worker if no disk worker serves its job.

storage_answer refusal_of(const storage_question& x, const std::string& why, bool /*passes*/) {
  storage_answer result;
  result.number = x.number;
  result.why = why;
  return result;
}

checkpoint_settled refusal_of(const checkpoint_offer& x, const std::string& why, bool /*passes*/) {
  return {x.number, why};
}

checkpoint_found refusal_of(const checkpoint_wanted& x, const std::string& why, bool passes) {
  checkpoint_found result;
  result.number = x.number;
  result.why = why;
  result.is_passing = passes;
  return result;
}

struct checkpoint_server_state {
  static inline const char* name = "tune.checkpoint_server";

  checkpoint_server_settings settings;
  checkpoint_server_impl::pointer self = nullptr;
  struct job_here {
    job_place place;
    /// Attempts that were given up before the job had a disk worker.
    std::vector<attempt_given_up> given_up = {};
  };
  std::map<std::string, job_here> jobs;
  /// One disk worker per job, so that a disk that stands still blocks no other job.
  job_pool<disk_worker_actor> disk_workers;
  monitors watched;
  /// By worker: the disk workers that deal with its numbers.
  std::map<caf::actor_addr, std::map<std::uint64_t, disk_worker_actor>> peers;

  /// @errors `ec::refused` for a job that is not here; `ec::shortage`.
  expected<disk_worker_actor> disk_worker_of(const std::string& job) {
    if (const auto* known = disk_workers.of(job))
      return *known;
    auto known = jobs.find(job);
    if (known == jobs.end())
      return error{ec::refused, "the head knows no job " + job};
    auto spawn = [this] {
      return spawn_checkpoint_disk_worker(self->system(), settings, checkpoint_server_impl{self});
    };
    auto result = server_of(self, disk_workers, job, settings.own_thread, spawn);
    if (!result)
      return result;
    send(self, *result, known->second.place);
    for (auto& x : std::exchange(known->second.given_up, {}))
      send(self, *result, std::move(x));
    return result;
  }

  /// Whether the node has too many checkpoint clients already.
  [[nodiscard]] bool is_one_too_many(const checkpoint_peer_actor& who) const {
    auto lives_there = [&](const auto& x) { return x.first.node() == who.address().node(); };
    return !peers.contains(who.address())
           && std::count_if(peers.begin(), peers.end(), lives_there) >= most_peers_of_node;
  }

  /// Numbers of the worker; null: its messages are ignored.
  std::map<std::uint64_t, disk_worker_actor>* numbers_of(const checkpoint_peer_actor& who) {
    if (!is_of_sender(self, who) || is_one_too_many(who))
      return nullptr;
    auto [at, is_new] = peers.try_emplace(who.address());
    if (is_new)
      watched.watch(self, who, [this, where = who.address()](const caf::error&) { //
        peers.erase(where);
      });
    return &at->second;
  }

  // -- Messages of workers.

  static expected<disk_worker_actor> too_many() {
    return error{ec::shortage, "too many checkpoints are on their way"};
  }

  /// Takes a message about a job.
  template <class Words>
  void take(Words& x, const checkpoint_peer_actor& who) {
    auto* numbers = numbers_of(who);
    if (numbers == nullptr)
      return;
    auto disk_worker = numbers->size() < most_numbers ? disk_worker_of(x.who.job) : too_many();
    if (!disk_worker) {
      const auto passes = disk_worker.error().code == ec::shortage;
      return send(self, who, refusal_of(x, to_text(disk_worker.error()), passes));
    }
    numbers->insert_or_assign(x.number, *disk_worker);
    send(self, *disk_worker, worker_message{std::move(x)}, who);
  }

  void take(checkpoint_dropped& x, const checkpoint_peer_actor& who) {
    auto* numbers = numbers_of(who);
    if (numbers == nullptr)
      return;
    if (auto gone = numbers->extract(x.number); !gone.empty())
      send(self, gone.mapped(), worker_message{x}, who);
  }

  void take(piece_wanted& x, const checkpoint_peer_actor& who) {
    if (!pass_on(x, who))
      send(self, who, checkpoint_piece{x.number, x.offset, {}, "there is no such piece", false});
  }

  void take(checkpoint_piece& x, const checkpoint_peer_actor& who) {
    static_cast<void>(pass_on(x, who));
  }

  /// @returns false if no disk worker deals with its number.
  template <class Words>
  bool pass_on(Words& x, const checkpoint_peer_actor& who) {
    auto* numbers = numbers_of(who);
    if (numbers == nullptr)
      return true;
    auto known = numbers->find(x.number);
    if (known == numbers->end())
      return false;
    send(self, known->second, worker_message{std::move(x)}, who);
    return true;
  }

  // -- Messages that disk workers send through this actor.

  void say(checkpoint_server_words& x, const checkpoint_peer_actor& who) {
    std::visit([&](const auto& words) { forget(words, who); }, x.what);
    std::visit([&](auto& words) { send(self, who, std::move(words)); }, x.what);
  }

  void forget(std::uint64_t number, const checkpoint_peer_actor& who) {
    if (auto known = peers.find(who.address()); known != peers.end())
      known->second.erase(number);
  }
  void forget(const storage_answer& x, const checkpoint_peer_actor& who) { forget(x.number, who); }
  void forget(const checkpoint_settled& x, const checkpoint_peer_actor& who) {
    forget(x.number, who);
  }
  void forget(const checkpoint_found& x, const checkpoint_peer_actor& who) {
    if (!x.why.empty())
      forget(x.number, who);
  }
  /// Keeps the number: its transfer still goes on.
  void forget(const piece_wanted&, const checkpoint_peer_actor&) {}
  void forget(const checkpoint_piece&, const checkpoint_peer_actor&) {}

  // -- Jobs.

  void add(const job_place& x) {
    jobs[x.job] = {x};
    if (const auto* known = disk_workers.of(x.job))
      send(self, *known, x);
  }

  void withdraw(const job_withdrawn& x) {
    jobs.erase(x.job);
    end_service(self, disk_workers, x.job, x);
  }

  void give_up(attempt_given_up x) {
    if (const auto* known = disk_workers.of(x.who.job))
      return send(self, *known, std::move(x));
    // Nothing of the attempt is under way, and no attempt of an unknown job is let in.
    if (auto here = jobs.find(x.who.job); here != jobs.end())
      here->second.given_up.push_back({x.who, [] {}});
    x.then();
  }
};

template <class Words>
auto takes(checkpoint_server_state& state) {
  return [&state](Words& x, const checkpoint_peer_actor& who) { state.take(x, who); };
}

checkpoint_server_impl::behavior_type
checkpoint_server(checkpoint_server_impl::stateful_pointer<checkpoint_server_state> self,
                  const checkpoint_server_settings& settings) {
  stand_firm(self);
  auto& state = state_of(self);
  state.self = self;
  state.settings = settings;
  state.watched.init(self);
  return {
      takes<storage_question>(state),
      takes<checkpoint_offer>(state),
      takes<checkpoint_wanted>(state),
      takes<checkpoint_dropped>(state),
      takes<piece_wanted>(state),
      takes<checkpoint_piece>(state),
      [&state](const job_place& x) { state.add(x); },
      [&state](const job_withdrawn& x) { state.withdraw(x); },
      [&state](checkpoint_server_words& x, const checkpoint_peer_actor& who) { state.say(x, who); },
      [&state](const attempt_given_up& x) { state.give_up(x); },
  };
}

} // namespace

checkpoint_server_local_actor spawn_checkpoint_server(caf::actor_system& system,
                                                      checkpoint_server_settings settings) {
  return checkpoint_server_local_actor{system.spawn(checkpoint_server, std::move(settings))};
}

void give_up(const checkpoint_server_local_actor& whom, const std::string& job, trial_id trial,
             attempt_id attempt, std::function<void()> then) {
  attempt_given_up what;
  what.who.job = job;
  what.who.trial = trial.number;
  what.who.attempt = attempt;
  what.then = std::move(then);
  send_from_outside(caf::actor_cast<checkpoint_server_impl>(whom), std::move(what));
}

} // namespace tune
