/// Measures how fast a worker's checkpoint becomes safe at its head, compared with a bare loop that
/// does only the necessary: chunks of the same size, as many under way, SHA-256 and fsync.
///
///   tune_checkpoint_bench [--mb=1000] [--rounds=4] [--cert=F --key=F --ca=F]
///
/// The worker is a process on this machine; each round does it both ways, and the rounds alternate
/// in which comes first. The time is from the moment at which the trainable has written its
/// checkpoint, so it includes the listing and hashing at the worker. Without certificates the
/// connections are plain. Works in the current directory.
// SPDX-License-Identifier: BSD-3-Clause
#include "travel.hpp"

#include "tune/actors/launch_token.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/net/checkpoint_client.hpp"
#include "tune/net/checkpoint_server.hpp"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <unistd.h>

namespace tune::bench {

/// Offers a file that the head is to fetch by the bare loop.
struct bare_offer {
  std::uint64_t bytes = 0;
};
template <class Inspector>
auto inspect(Inspector& f, bare_offer& x) {
  return inspect_fields(f, "bare_offer", x, field("bytes", x.bytes));
}

/// Fetches the offered file, and answers once it has it.
using bare_taker_actor = typed_actor<caf::result<std::string>(bare_offer, bare_source_actor),
                                     caf::result<std::uint64_t>(ping_atom, std::uint64_t)>;
/// Saves a checkpoint, or offers a file to the bare loop, and reports the result.
using saver_actor = typed_actor<caf::result<work_report>(work_order, checkpoint_server_actor,
                                                         bare_taker_actor, std::string)>;
/// The worker introduces itself to this actor.
using greeter_actor = typed_actor<caf::result<void>(saver_actor)>;

} // namespace tune::bench

CAF_BEGIN_TYPE_ID_BLOCK(checkpoint_bench, caf::id_block::ship_bench::end)
CAF_ADD_TYPE_ID(checkpoint_bench, (tune::bench::bare_offer))
CAF_ADD_TYPE_ID(checkpoint_bench, (tune::bench::bare_taker_actor))
CAF_ADD_TYPE_ID(checkpoint_bench, (tune::bench::saver_actor))
CAF_ADD_TYPE_ID(checkpoint_bench, (tune::bench::greeter_actor))
CAF_END_TYPE_ID_BLOCK(checkpoint_bench)

namespace {

using namespace tune;
using namespace tune::bench;
namespace fs = std::filesystem;

constexpr std::chrono::minutes patience{20};
constexpr const char* job_name = "bench";

using network_config = bench_config<caf::id_block::ship_bench, caf::id_block::checkpoint_bench>;

attempt_claim claim_of(std::uint64_t round, const std::string& secret) {
  attempt_claim result;
  result.job = job_name;
  result.attempt = attempt_id{1, round + 1};
  result.launch_token = launch_token_of(secret, result);
  return result;
}

// -- The worker.

struct saver_state {
  fs::path data;
  checkpoint_service_actor client;
  std::unique_ptr<pinger> pings;
  std::unique_ptr<peak_memory> memory;

  saver_state() = default;

  work_report report(const std::string& trouble) const {
    return {trouble, memory->extra_kib(), pings->stop()};
  }
};

/// Writes a draft as a trainable does, before the clock starts.
keep_draft draft_of(const fs::path& data, const work_order& order, const std::string& secret) {
  const auto root = fs::absolute("worker");
  auto who = claim_of(order.round, secret);
  auto place
      = root / checkpoint_folder(trial_id{0}, who.attempt) / (checkpoint_name(1) + draft_suffix);
  fs::create_directories(place);
  fs::create_hard_link(data, place / "data");
  return {std::move(who), {root, std::move(place), 1}};
}

saver_actor::behavior_type saver(saver_actor::stateful_pointer<saver_state> self,
                                 const std::string& data) {
  auto& state = state_of(self);
  state.data = data;
  return {
      [self, &state](const work_order& order, const checkpoint_server_actor& checkpoint_server,
                     const bare_taker_actor& head, const std::string& secret) {
        auto answer = self->make_response_promise<work_report>();
        state.memory = std::make_unique<peak_memory>();
        state.pings = std::make_unique<pinger>(self->system(), caf::actor_cast<pong_actor>(head));
        auto done = [&state, answer](const std::string& trouble) mutable {
          answer.deliver(state.report(trouble));
        };
        auto failed = [done](const caf::error&) mutable { done("somebody does not answer"); };
        if (order.job.empty()) {
          request(self, head, patience, bare_offer{order.bytes},
                  spawn_source(self->system(), state.data))
              .then(done, failed);
          return answer;
        }
        if (!state.client) {
          checkpoint_client_settings how;
          how.share = false;
          how.piece_bytes = chunk_bytes;
          how.credit = credit;
          state.client = spawn_checkpoint_client(self->system(), checkpoint_server, how);
        }
        request(self, state.client, patience, draft_of(state.data, order, secret))
            .then([done](const draft_kept& x) mutable { done(x.why); }, failed);
        return answer;
      },
  };
}

int work(const settings& given) {
  const auto port = static_cast<std::uint16_t>(std::stoul(given.words.at(1)));
  network_config config{given};
  caf::actor_system system{config};
  auto head = connect_to<greeter_actor>(system, given, port);
  send_from_outside(head, saver_actor{system.spawn(saver, std::string{"data"})});
  caf::scoped_actor self{system};
  self->wait_for(head);
  std::_Exit(0);
}

// -- The head.

struct taker_state {
  std::optional<caf::typed_response_promise<std::string>> asker;
  std::uint64_t count = 0;
  taker_state() = default;
};

using taker_impl = extend<bare_taker_actor, caf::result<void>(std::string)>;

taker_impl::behavior_type taker(taker_impl::stateful_pointer<taker_state> self) {
  auto& state = state_of(self);
  return {
      [self, &state](const bare_offer& what, const bare_source_actor& from) {
        state.asker = self->make_response_promise<std::string>();
        spawn_sink(self->system(), "head/bare" + std::to_string(++state.count), what.bytes, from,
                   caf::actor_cast<done_actor>(self));
        return *state.asker;
      },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](const std::string& trouble) {
        if (auto asker = std::exchange(state.asker, std::nullopt))
          asker->deliver(trouble);
      },
  };
}

/// The place where the head waits for its worker.
class meeting {
public:
  void add(const saver_actor& who) {
    std::lock_guard guard{mutex_};
    there_ = who;
    changed_.notify_all();
  }
  saver_actor wait() {
    std::unique_lock guard{mutex_};
    if (!changed_.wait_for(guard, patience, [&] { return there_.has_value(); }))
      give_up("the worker is missing");
    return *there_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<saver_actor> there_;
};

greeter_actor::behavior_type greeter(greeter_actor::pointer, meeting* where) {
  return {[where](const saver_actor& who) { where->add(who); }};
}

struct head_actors {
  checkpoint_server_actor checkpoint_server;
  bare_taker_actor taker;
  std::string secret;
};

void run(caf::scoped_actor& self, const head_actors& head, const saver_actor& worker,
         const work_order& order, series& into) {
  // Data that are not on the disk yet must not slow down the next measurement.
  ::sync();
  peak_memory memory;
  const auto begin = clock_type::now();
  request(self.operator->(), worker, patience, order, head.checkpoint_server, head.taker,
          head.secret)
      .receive(
          [&](const work_report& x) {
            if (!x.trouble.empty())
              give_up(x.trouble);
            const auto seconds = std::chrono::duration<double>(clock_type::now() - begin).count();
            into.add({x}, order.bytes, seconds, memory);
          },
          [](const caf::error&) { give_up("the worker was lost"); });
  for (const auto* place : {"head", "worker"}) {
    fs::remove_all(place);
    fs::create_directories(fs::path{place} / "trials");
  }
}

int lead(const settings& given) {
  const auto bytes = given.number("mb", 1000) * 1'000'000;
  for (const auto* place : {"head", "worker"})
    fs::create_directories(fs::path{place} / "trials");
  write_noise("data", bytes);

  network_config config{given};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  checkpoint_server_settings how;
  how.secret = fresh_secret();
  how.piece_bytes = chunk_bytes;
  how.credit = credit;
  auto checkpoint_server = spawn_checkpoint_server(system, how);
  send_from_outside(checkpoint_server, job_place{job_name, fs::absolute("head")});
  meeting all;
  auto node_registry = system.spawn(greeter, &all);
  const auto port = open_for(system, given, node_registry);
  const auto pid = start_worker(given, {"worker", std::to_string(port)});
  const auto worker = all.wait();
  const head_actors actors{checkpoint_server, bare_taker_actor{system.spawn(taker)}, how.secret};

  series saved;
  series bare;
  for (std::size_t round = 0; round < given.number("rounds", 4); ++round) {
    for (auto is_bare : {round % 2 == 0, round % 2 != 0})
      run(self, actors, worker, {is_bare ? "" : job_name, round, bytes}, is_bare ? bare : saved);
  }
  const object result{{"benchmark", "checkpoint"},
                      {"tls", given.has_tls()},
                      {"bytes", static_cast<std::int64_t>(bytes)},
                      {"save", saved.json()},
                      {"bare", bare.json()},
                      {"ratio", saved.median() / bare.median()}};
  std::printf("%s\n", to_json(result).c_str());
  std::fflush(stdout);
  end_workers({pid});
  std::_Exit(0);
}

} // namespace

int main(int count, char** all) {
  init_net_types();
  init_types<caf::id_block::ship_bench, caf::id_block::checkpoint_bench>();
  const settings given{
      count, all, "[--mb 1000] [--rounds 4] [--cert F --key F --ca F]", {"mb", "rounds"}};
  return !given.words.empty() && given.words[0] == "worker" ? work(given) : lead(given);
}
