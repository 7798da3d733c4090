// SPDX-License-Identifier: BSD-3-Clause
#include "launch/keeper.hpp"

#include "command/help.hpp"
#include "console/announcer.hpp"
#include "head/head_command.hpp"
#include "launch/host_launch.hpp"
#include "output/content_of.hpp"
#include "run/ending.hpp"

#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/process/piped_program.hpp"
#include "tune/net/dial.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

extern char** environ; // NOLINT(readability-redundant-declaration)

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

constexpr std::string_view keeper_flag = "__tune-keeper";
constexpr milliseconds between_glances{200};
/// How long workers may take to end when the head has let them go.
constexpr milliseconds kept_parting{20'000};

/// One machine: its steps run on a thread of their own, which may end and be begun again.
struct kept_host {
  std::unique_ptr<host_launch> steps;
  std::thread thread;
  std::atomic<bool> is_over = false;

  [[nodiscard]] host_state state() const {
    if (steps->has_failed())
      return host_state::failed;
    if (is_over)
      return host_state::gone;
    return steps->has_joined() ? host_state::joined : host_state::starting;
  }
};

/// The machines of a kept cluster.
class kept_hosts {
public:
  kept_hosts(const kept_cluster& where, wanted_cluster wanted)
      : where_{where}, wanted_{std::move(wanted)} {}
  kept_hosts(const kept_hosts&) = delete;
  kept_hosts& operator=(const kept_hosts&) = delete;

  /// @errors those of `program_bundle`.
  expected<void> prepare() {
    plan_.ssh = wanted_.ssh;
    plan_.program = wanted_.program;
    plan_.is_direct = wanted_.is_direct;
    plan_.below = wanted_.work;
    plan_.tag = wanted_.tag + "-";
    plan_.worker_options = wanted_.worker_options;
    plan_.scratch = where_.directory();
    plan_.version = version_text(TUNE_CAF_VERSION, output_format::table);
    plan_.version.erase(plan_.version.find_last_not_of('\n') + 1);
    if (!plan_.program.empty())
      return {};
    auto bundle = program_bundle::of_this_program();
    if (!bundle)
      return bundle.error();
    bundle_.emplace(std::move(*bundle));
    return {};
  }

  void begin(std::uint16_t port) {
    seen_.port = port;
    watcher_ = std::thread{[this] { watch(); }};
  }

  /// The head has let the workers go, or is no more.
  void end(exit_code code) {
    goes_ = true;
    if (watcher_.joinable())
      watcher_.join();
    for (auto left = kept_parting; left.count() > 0 && any_works(); left -= between_glances)
      std::this_thread::sleep_for(between_glances);
    stop_ = true;
    for (auto& [name, x] : hosts_)
      x->thread.join();
    tell(code);
  }

private:
  const kept_cluster& where_;
  wanted_cluster wanted_;
  launch_plan plan_;
  std::optional<program_bundle> bundle_;
  std::map<std::string, std::unique_ptr<kept_host>> hosts_;
  seen_cluster seen_;
  std::optional<seen_cluster> told_;
  std::thread watcher_;
  std::atomic<bool> goes_ = false;
  std::atomic<bool> stop_ = false;

  [[nodiscard]] bool any_works() const {
    return std::any_of(hosts_.begin(), hosts_.end(),
                       [](const auto& x) { return !x.second->is_over; });
  }

  void watch() {
    auto is_new = true;
    while (!goes_) {
      if (is_new)
        see_to_all();
      tell(std::nullopt);
      std::this_thread::sleep_for(between_glances);
      auto now = where_.wanted();
      is_new = now && *now && (*now)->round != wanted_.round;
      if (is_new)
        wanted_ = std::move(**now);
    }
  }

  /// Begins what is not there. What other options a later launch has hold for all that begins then.
  void see_to_all() {
    seen_.round = wanted_.round;
    std::string text;
    for (const auto& host : wanted_.hosts)
      text += (text.empty() ? "" : ",") + host;
    const auto targets = ssh_targets_from(text);
    if (!targets)
      return announce("launch", targets.error().detail);
    const auto names = node_names_of(*targets);
    for (std::size_t i = 0; i < targets->size(); ++i) {
      auto& slot = hosts_[(*targets)[i].text];
      if (slot != nullptr && !slot->is_over)
        continue;
      if (slot != nullptr)
        slot->thread.join();
      slot = std::make_unique<kept_host>();
      slot->steps = std::make_unique<host_launch>(plan_, bundle_ ? &*bundle_ : nullptr,
                                                  (*targets)[i], names[i], stop_);
      slot->thread = std::thread{[this, host = slot.get(), name = names[i]] {
        work(*host->steps, name);
        host->is_over = true;
      }};
    }
  }

  void work(host_launch& steps, const std::string& name) {
    steps.prepare();
    if (steps.has_failed() || stop_)
      return;
    auto by = certificates_for(name);
    if (!by)
      return announce("launch", steps.whom().text + ": failed: " + to_text(by.error()));
    steps.work(seen_.port, *by);
  }

  /// They are nowhere but at the machine afterwards.
  expected<host_certificates> certificates_for(const std::string& name) {
    static std::mutex one_at_a_time;
    const std::lock_guard guard{one_at_a_time};
    const auto place = where_.directory() / ("new-" + name);
    certificate_order order;
    order.whom.name = name;
    order.force = true;
    auto done = issue_certificates(where_.certificates(), place, order);
    const auto files = certificate_paths_in(place);
    host_certificates result{content_of(files.authority), content_of(files.certificate),
                             content_of(files.key)};
    static_cast<void>(remove_tree(place));
    return done ? expected<host_certificates>{std::move(result)}
                : expected<host_certificates>{done.error()};
  }

  void tell(std::optional<exit_code> code) {
    for (const auto& [name, x] : hosts_)
      seen_.hosts[name] = x->state();
    if (code)
      seen_.code = static_cast<int>(*code);
    if (told_ == seen_)
      return;
    told_ = seen_;
    if (auto done = where_.see(seen_); !done)
      announce("launch", to_text(done.error()));
  }
};

/// The lock of the keeper. Who asks whether there is one holds it for a moment.
expected<store::descriptor> lock_of(const kept_cluster& where) {
  constexpr int tries = 30;
  for (int i = 1;; ++i) {
    auto lock = where.keep();
    if (lock || lock.error().code != ec::refused || i == tries)
      return lock;
    std::this_thread::sleep_for(milliseconds{100});
  }
}

head_request head_of(const kept_cluster& where, const wanted_cluster& wanted,
                     std::uint16_t last_port) {
  head_request result;
  result.listen = {wanted.is_direct ? "0.0.0.0" : "127.0.0.1", last_port};
  // Clients know the port of the keeper before this one.
  if (last_port != 0 && !can_listen(result.listen))
    result.listen.port = 0;
  result.certs = where.certificates().string();
  result.storage = where.storage().string();
  result.work = (where.directory() / "work").string();
  result.local = wanted.local;
  return result;
}

} // namespace

std::optional<fs::path> keeper_directory(int argc, char** argv) {
  if (argc != 3 || argv[1] != keeper_flag)
    return std::nullopt;
  return fs::path{argv[2]};
}

expected<void> start_keeper(const kept_cluster& which) {
  const auto log = which.log().string();
  const int out = ::open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (out < 0)
    return error{ec::storage, "cannot open " + log + ": " + std::strerror(errno)};
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  sigset_t none;
  sigset_t every;
  ::sigemptyset(&none);
  ::sigfillset(&every);
  ::posix_spawnattr_setsigmask(&how, &none);
  ::posix_spawnattr_setsigdefault(&how, &every);
  ::posix_spawnattr_setflags(&how,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  const auto path = own_program().string();
  std::string name = "tune-node";
  std::string flag{keeper_flag};
  auto directory = which.directory().string();
  char* argv[] = {name.data(), flag.data(), directory.data(), nullptr};
  pid_t pid = 0;
  const auto failed = ::posix_spawn(&pid, path.c_str(), &files, &how, argv, environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&how);
  ::close(out);
  if (failed != 0)
    return error{ec::process, "cannot start " + path + ": " + std::strerror(failed)};
  return {};
}

exit_code run_keeper(const fs::path& directory, const choices& all) {
  const auto where = kept_cluster::at(directory);
  auto lock = lock_of(where);
  if (!lock)
    return complain(lock.error());
  auto wanted = where.wanted();
  if (!wanted)
    return complain(wanted.error());
  if (!*wanted)
    return complain({ec::storage, "there is no wanted.json in " + directory.string()});
  const auto before = where.seen();
  where.forget_seen();
  kept_hosts hosts{where, **wanted};
  if (auto ready = hosts.prepare(); !ready)
    return complain(ready.error());
  auto head = head_of(where, **wanted, before ? before->port : std::uint16_t{0});
  head.listens = [&hosts](std::uint16_t port) { hosts.begin(port); };
  command_line line;
  const auto code = run_head(line, head, all);
  hosts.end(code);
  return code;
}

} // namespace tune::cli
