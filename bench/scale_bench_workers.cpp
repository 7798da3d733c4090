// SPDX-License-Identifier: BSD-3-Clause
#include "scale_bench_workers.hpp"

#include "scale_bench_trials.hpp"

#include "tune/net/dial.hpp"
#include "tune/net/head_session.hpp"
#include "tune/net/system.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

extern char** environ;

namespace tune::bench {

namespace {

/// Scheduler threads of a worker: its trials do nothing.
constexpr std::size_t threads_of_worker = 1;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "scale_bench: %s\n", why.c_str());
  std::_Exit(1);
}

/// Events of all workers of this process.
struct worker_tally {
  std::atomic<std::uint64_t> joined = 0;
  std::atomic<std::uint64_t> retries = 0;
  std::atomic<std::uint64_t> losses = 0;
};

class worker_watch : public head_session_observer {
public:
  explicit worker_watch(worker_tally& tally) : tally_{tally} {}

  void joined(const std::string&, const welcome&) override { ++tally_.joined; }
  void away(const std::string&, std::chrono::milliseconds) override { ++tally_.losses; }
  void back() override {}
  void lost(const std::string& why) override {
    std::fprintf(stderr, "scale_bench: a worker is off: %s\n", why.c_str());
    ++tally_.losses;
    --tally_.joined;
  }
  void waits(const std::string& why, std::chrono::milliseconds) override {
    if (!why.empty())
      ++tally_.retries;
  }
  void idle() override {}
  void ended(const worker_end& how) override { give_up("a worker ended: " + how.why); }

private:
  worker_tally& tally_;
};

/// One worker.
class worker {
public:
  worker(const worker_order& what, std::uint64_t number, const transport& how,
         const std::shared_ptr<paced_trials>& trials, worker_tally& tally)
      : config_{how, threads_of_worker}, system_{config_} {
    head_session_settings settings;
    settings.dial = dial(system_, {"127.0.0.1", what.port}, how, std::chrono::seconds{30});
    settings.worker = "bench-" + std::to_string(number);
    settings.node.name = "w" + std::to_string(number);
    settings.node.capacity.cpu = amount::of(static_cast<double>(what.slots));
    settings.node.trainables = trials->registry();
    settings.furnish = [this](node_settings& node, const head_links&) {
      node.finder = spawn_finder(system_);
      node.checkpoint_service = spawn_idle_checkpoint_service(system_);
    };
    settings.observer = std::make_shared<worker_watch>(tally);
    send_from_outside(spawn_head_session(system_, std::move(settings)), run_atom_v);
  }

private:
  network_config config_;
  caf::actor_system system_;
};

void answer(const worker_tally& tally, const paced_trials& trials) {
  const auto all = trials.counts();
  std::printf("%llu %llu %llu %llu %llu\n", static_cast<unsigned long long>(tally.joined),
              static_cast<unsigned long long>(all.running),
              static_cast<unsigned long long>(all.answered),
              static_cast<unsigned long long>(tally.retries),
              static_cast<unsigned long long>(tally.losses));
  std::fflush(stdout);
}

} // namespace

worker_counts& worker_counts::operator+=(const worker_counts& x) {
  joined += x.joined;
  running += x.running;
  answered += x.answered;
  retries += x.retries;
  losses += x.losses;
  return *this;
}

void work(const worker_order& what) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  init_net_types();
  auto how = choose_transport({"127.0.0.1", what.port}, what.certificates, false);
  if (!how)
    give_up(to_text(how.error()));
  auto trials = std::make_shared<paced_trials>();
  worker_tally tally;
  std::vector<std::unique_ptr<worker>> all;
  for (std::uint64_t i = 0; i < what.count; ++i)
    all.push_back(std::make_unique<worker>(what, what.first + i, *how, trials, tally));
  std::array<char, 64> line{};
  while (std::fgets(line.data(), line.size(), stdin) != nullptr) {
    if (line[0] == 'p')
      trials->set_pace(std::chrono::microseconds{std::atoll(&line[1])});
    else
      answer(tally, *trials);
  }
  std::_Exit(0);
}

worker_process::worker_process(const worker_order& what) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0)
    give_up("cannot make a pipe");
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  std::vector<std::string> words{"tune_scale_bench",         "__workers",
                                 std::to_string(what.port),  what.certificates.string(),
                                 std::to_string(what.first), std::to_string(what.count),
                                 std::to_string(what.slots)};
  std::vector<char*> raw;
  for (auto& word : words)
    raw.push_back(word.data());
  raw.push_back(nullptr);
  if (::posix_spawn(&process_, "/proc/self/exe", &files, nullptr, raw.data(), environ) != 0)
    give_up("cannot start workers");
  ::posix_spawn_file_actions_destroy(&files);
  ::close(in[0]);
  ::close(out[1]);
  to_ = ::fdopen(in[1], "w");
  from_ = ::fdopen(out[0], "r");
}

worker_process::worker_process(worker_process&& x) noexcept
    : process_{std::exchange(x.process_, 0)}
    , to_{std::exchange(x.to_, nullptr)}
    , from_{std::exchange(x.from_, nullptr)} {}

worker_process::~worker_process() {
  kill();
}

void worker_process::set_pace(std::int64_t microseconds) {
  std::fprintf(to_, "p%lld\n", static_cast<long long>(microseconds));
  std::fflush(to_);
}

worker_counts worker_process::counts() {
  std::fputs("c\n", to_);
  std::fflush(to_);
  std::array<unsigned long long, 5> x{};
  if (std::fscanf(from_, "%llu %llu %llu %llu %llu", &x[0], &x[1], &x[2], &x[3], &x[4]) != 5)
    throw std::runtime_error{"a process of workers has ended"};
  return {x[0], x[1], x[2], x[3], x[4]};
}

void worker_process::kill() {
  if (process_ == 0)
    return;
  ::kill(process_, SIGKILL);
  ::waitpid(std::exchange(process_, 0), nullptr, 0);
  std::fclose(to_);
  std::fclose(from_);
}

} // namespace tune::bench
