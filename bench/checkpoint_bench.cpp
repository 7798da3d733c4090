/// Measures how fast a worker's checkpoint is safe at its head, beside a bare loop that does the
/// same with nothing around it: chunks of the same size, as many under way, SHA-256 and fsync.
///
///   tune_checkpoint_bench [--mb=1000] [--rounds=4] [--cert=F --key=F --ca=F]
///
/// The worker is a process on this machine; each round does it both ways, by turns one or the other
/// first. The time is from the moment at which the trainable has written its checkpoint, so it
/// includes the listing and hashing at the worker. Without certificates the connections are plain.
/// Works in the current directory.
// SPDX-License-Identifier: BSD-3-Clause
#include "ship_bench_actors.hpp"

#include "tune/actors/seal.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/net/checkpoint_courier.hpp"
#include "tune/net/vault.hpp"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace tune::bench {

/// A file that the head shall take by the bare loop.
struct bare_offer {
  std::uint64_t bytes = 0;
};
template <class Inspector>
auto inspect(Inspector& f, bare_offer& x) {
  return inspect_fields(f, "bare_offer", x, field("bytes", x.bytes));
}

/// Answers once it has the file.
using bare_taker_actor = typed_actor<caf::result<std::string>(bare_offer, bare_source_actor),
                                     caf::result<std::uint64_t>(ping_atom, std::uint64_t)>;
/// Saves a checkpoint, or offers a file to the bare loop, and tells what it took.
using saver_actor
    = typed_actor<caf::result<work_report>(work_order, vault_actor, bare_taker_actor, std::string)>;
/// Greeted by the worker.
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

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "checkpoint_bench: %s\n", why.c_str());
  std::_Exit(1);
}

template <class T>
T must(expected<T> what) {
  if (!what)
    give_up(to_text(what.error()));
  return std::move(*what);
}

/// The command line: "--name=value", and the words before.
struct settings {
  std::vector<std::string> words;
  std::map<std::string, std::string> flags;

  settings(int count, char** all) {
    for (int i = 1; i < count; ++i) {
      const std::string word = all[i];
      const auto equals = word.find('=');
      if (word.starts_with("--") && equals != std::string::npos)
        flags[word.substr(2, equals - 2)] = word.substr(equals + 1);
      else
        words.push_back(word);
    }
  }
  std::size_t number(const std::string& name, std::size_t otherwise) const {
    auto found = flags.find(name);
    return found == flags.end() ? otherwise : std::stoul(found->second);
  }
  tls_files tls() const {
    auto text = [this](const char* name) {
      auto found = flags.find(name);
      return found == flags.end() ? std::string{} : found->second;
    };
    return {text("cert"), text("key"), text("ca")};
  }
  bool has_tls() const {
    const auto x = tls();
    return !x.certificate.empty() && !x.key.empty() && !x.authority.empty();
  }
};

struct network_config : caf::actor_system_config {
  explicit network_config(const settings& given) {
    configure_net(*this);
    add_types<caf::id_block::ship_bench, caf::id_block::checkpoint_bench>(*this);
    if (given.has_tls())
      load_network(*this, given.tls());
    else
      load_network(*this);
  }
};

attempt_claim claim_of(std::uint64_t round, const std::string& secret) {
  attempt_claim result;
  result.job = job_name;
  result.attempt = attempt_id{1, round + 1};
  result.seal = seal_of(secret, result);
  return result;
}

// -- The worker.

struct saver_state {
  fs::path data;
  keeper_actor courier;
  std::unique_ptr<pinger> pings;
  std::unique_ptr<peak_memory> memory;

  saver_state() = default;

  work_report report(const std::string& trouble) const {
    return {trouble, memory->extra_kib(), pings->stop()};
  }
};

/// As a trainable writes it: the file is there before the clock starts.
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
      [self, &state](const work_order& order, const vault_actor& vault,
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
        if (!state.courier) {
          checkpoint_courier_settings how;
          how.share = false;
          how.piece_bytes = chunk_bytes;
          how.credit = credit;
          state.courier = spawn_checkpoint_courier(self->system(), vault, how);
        }
        request(self, state.courier, patience, draft_of(state.data, order, secret))
            .then([done](const draft_kept& x) mutable { done(x.why); }, failed);
        return answer;
      },
  };
}

int work(const settings& given) {
  const auto port = static_cast<std::uint16_t>(std::stoul(given.words.at(1)));
  network_config config{given};
  caf::actor_system system{config};
  auto head = must(given.has_tls() ? connect_tls<greeter_actor>(system, "127.0.0.1", port)
                                   : connect_plain<greeter_actor>(system, "127.0.0.1", port));
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

/// Where the worker is awaited.
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

/// Bytes that no layer can compress.
void write_noise(const fs::path& file, std::size_t bytes) {
  std::mt19937_64 random{1};
  std::vector<std::uint64_t> block(8192);
  std::ofstream out{file, std::ios::binary};
  for (std::size_t written = 0; written < bytes;) {
    std::generate(block.begin(), block.end(), std::ref(random));
    const auto part = std::min(bytes - written, block.size() * sizeof block[0]);
    out.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(part));
    written += part;
  }
  if (!out.flush())
    give_up("cannot write " + file.string());
}

/// What one way came to.
struct series {
  std::vector<double> rates; // MB/s
  double worker_mib = 0;
  double head_mib = 0;
  double longest_ping_ms = 0;

  double median() const {
    auto sorted = rates;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }
  object json() const {
    value::list all;
    for (auto rate : rates)
      all.emplace_back(rate);
    return {{"mb_per_second", median()},
            {"all", value{std::move(all)}},
            {"worker_extra_mib", worker_mib},
            {"head_extra_mib", head_mib},
            {"longest_ping_ms", longest_ping_ms}};
  }
};

struct head_actors {
  vault_actor vault;
  bare_taker_actor taker;
  std::string secret;
};

void run(caf::scoped_actor& self, const head_actors& head, const saver_actor& worker,
         const work_order& order, series& into) {
  // What is not yet on the disk must not burden the next.
  ::sync();
  peak_memory memory;
  const auto begin = clock_type::now();
  request(self.operator->(), worker, patience, order, head.vault, head.taker, head.secret)
      .receive(
          [&](const work_report& x) {
            if (!x.trouble.empty())
              give_up(x.trouble);
            const auto seconds = std::chrono::duration<double>(clock_type::now() - begin).count();
            into.rates.push_back(static_cast<double>(order.bytes) / 1e6 / seconds);
            into.worker_mib = std::max(into.worker_mib, static_cast<double>(x.extra_kib) / 1024);
            into.longest_ping_ms
                = std::max(into.longest_ping_ms, static_cast<double>(x.longest_ping_us) / 1e3);
          },
          [](const caf::error&) { give_up("the worker was lost"); });
  into.head_mib = std::max(into.head_mib, static_cast<double>(memory.extra_kib()) / 1024);
  for (const auto* place : {"head", "worker"}) {
    fs::remove_all(place);
    fs::create_directories(fs::path{place} / "trials");
  }
}

::pid_t start_worker(const settings& given, std::uint16_t port) {
  std::vector<std::string> words{"tune_checkpoint_bench", "worker", std::to_string(port)};
  for (const auto& [name, value] : given.flags)
    words.push_back("--" + name + "=" + value);
  std::vector<char*> raw;
  for (auto& word : words)
    raw.push_back(word.data());
  raw.push_back(nullptr);
  ::pid_t pid = 0;
  if (::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, raw.data(), environ) != 0)
    give_up("cannot start the worker");
  return pid;
}

int lead(const settings& given) {
  const auto bytes = given.number("mb", 1000) * 1'000'000;
  for (const auto* place : {"head", "worker"})
    fs::create_directories(fs::path{place} / "trials");
  write_noise("data", bytes);

  network_config config{given};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  vault_settings how;
  how.secret = fresh_secret();
  how.piece_bytes = chunk_bytes;
  how.credit = credit;
  auto vault = spawn_vault(system, how);
  send_from_outside(vault, job_place{job_name, fs::absolute("head")});
  meeting all;
  auto door = system.spawn(greeter, &all);
  const auto port = must(given.has_tls() ? publish_tls(system, door, 0, "127.0.0.1")
                                         : publish_plain(system, door, 0, "127.0.0.1"));
  const auto pid = start_worker(given, port);
  const auto worker = all.wait();
  const head_actors actors{vault, bare_taker_actor{system.spawn(taker)}, how.secret};

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
  ::kill(pid, SIGTERM);
  ::waitpid(pid, nullptr, 0);
  std::_Exit(0);
}

} // namespace

int main(int count, char** all) {
  init_net_types();
  init_types<caf::id_block::ship_bench, caf::id_block::checkpoint_bench>();
  const settings given{count, all};
  return !given.words.empty() && given.words[0] == "worker" ? work(given) : lead(given);
}
