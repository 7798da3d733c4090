/// Measures how many trial processes per second can be started, heard and reaped.
///
///   tune_process_bench [PROCESSES] [AT_ONCE] [COMMAND...]
///
/// COMMAND is `true` by default. No process has output files; stderr is read. For comparison the
/// bare posix_spawn and waitpid of the same command is measured too.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/io/process/host.hpp"
#include "tune/io/process/process_service.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {

using namespace tune;
using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// Keeps `at_once` processes running until `total` have ended.
class load : public process_listener, public std::enable_shared_from_this<load> {
public:
  load(process_service& service, process_order order, int total)
      : service_{service}, order_{std::move(order)}, left_{total}, to_launch_{total} {}

  void launch_one() {
    std::lock_guard lock{mutex_};
    if (to_launch_ == 0)
      return;
    --to_launch_;
    service_.launch(order_, shared_from_this());
  }

  void exited(const exit_info& how) override {
    if (!how.trouble.empty()) {
      std::fprintf(stderr, "process_bench: %s\n", how.trouble.c_str());
      std::exit(1);
    }
    launch_one();
    std::lock_guard lock{mutex_};
    if (--left_ == 0)
      done_.notify_all();
  }

  void wait() {
    std::unique_lock lock{mutex_};
    done_.wait(lock, [this] { return left_ == 0; });
  }

private:
  process_service& service_;
  process_order order_;
  std::mutex mutex_;
  std::condition_variable done_;
  int left_;
  int to_launch_;
};

double service_rate(const process_order& order, int total, int at_once) {
  auto service = process_service::start();
  if (!service) {
    std::fprintf(stderr, "process_bench: %s\n", service.error().detail.c_str());
    std::exit(1);
  }
  auto work = std::make_shared<load>(**service, order, total);
  auto begin = clock_type::now();
  for (int i = 0; i < at_once; ++i)
    work->launch_one();
  work->wait();
  return total / seconds_since(begin);
}

double bare_rate(const std::vector<std::string>& command, int total) {
  std::vector<char*> argv;
  for (const auto& word : command)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  auto begin = clock_type::now();
  for (int i = 0; i < total; ++i) {
    pid_t pid = 0;
    if (::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ) == 0)
      ::waitpid(pid, nullptr, 0);
  }
  return total / seconds_since(begin);
}

} // namespace

int main(int argc, char** argv) {
  if (auto status = host_main(argc, argv, {}))
    return *status;
  // The words after these belong to COMMAND.
  bench::arguments given{std::min(argc, 3), argv, "[PROCESSES] [AT_ONCE] [COMMAND...]"};
  auto total = static_cast<int>(given.number(2000, 1));
  auto at_once = static_cast<int>(given.number(4, 1));
  given.finish();
  process_order order;
  order.argv.assign(argv + std::min(argc, 3), argv + argc);
  if (order.argv.empty())
    order.argv = {"true"};
  order.env = environment_with({});
  auto rate = service_rate(order, total, at_once);
  std::printf(R"({"processes":%d,"at_once":%d,"per_second":%.0f,"bare_per_second":%.0f})"
              "\n",
              total, at_once, rate, bare_rate(order.argv, total));
  return 0;
}
