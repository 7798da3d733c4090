// SPDX-License-Identifier: BSD-3-Clause
#include "launch/launch_command.hpp"

#include "command/help.hpp"
#include "console/announcer.hpp"
#include "console/human.hpp"
#include "launch/host_launch.hpp"
#include "launch/keep_command.hpp"
#include "launch/program_bundle.hpp"
#include "launch/ssh_target.hpp"
#include "output/content_of.hpp"
#include "run/ending.hpp"
#include "run/interrupts.hpp"
#include "run/leave_request.hpp"
#include "run/load_configuration.hpp"
#include "run/run_command.hpp"
#include "up/rendezvous.hpp"

#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

/// Machines that are prepared at a time.
constexpr std::size_t prepared_at_once = 32;
constexpr milliseconds look_again{50};
/// How long workers may take to end when the head has let them go.
constexpr milliseconds workers_parting{20'000};

/// One launch: its hosts, their threads, and the experiment.
class launch {
public:
  launch(const command_line& line, const launch_request& what, const choices& all)
      : line_{line}, what_{what}, all_{all} {}
  launch(const launch&) = delete;
  launch& operator=(const launch&) = delete;
  ~launch() { end_workers(milliseconds{0}); }

  exit_code run() {
    auto loaded = load_or_complain(what_.run.file, what_.run.overrides, all_, true);
    if (!loaded)
      return exit_code::configuration;
    if (auto done = plan(*loaded); !done)
      return complain(done.error());
    const auto experiment = fs::absolute(experiment_directory(loaded->what, fs::current_path()));
    auto meeting = led_rendezvous::make(experiment.parent_path()
                                            / (".launch-" + experiment.filename().string()),
                                        hosts_.size() + 1);
    if (!meeting)
      return complain(meeting.error());
    meeting_ = &*meeting;
    plan_.scratch = meeting->directory();
    const auto code = prepare_all() ? lead() : *code_;
    end_workers(workers_parting);
    meeting->end(static_cast<int>(code), milliseconds{0});
    return code == exit_code::done && !what_.is_partial && any_failed() ? exit_code::unreachable
                                                                        : code;
  }

private:
  const command_line& line_;
  const launch_request& what_;
  const choices& all_;
  launch_plan plan_;
  std::optional<program_bundle> bundle_;
  led_rendezvous* meeting_ = nullptr;
  std::atomic<bool> stop_ = false;
  std::vector<std::unique_ptr<host_launch>> hosts_;
  std::vector<std::thread> workers_;
  std::atomic<std::size_t> working_ = 0;
  std::shared_ptr<leave_request> leave_ = std::make_shared<leave_request>();
  /// Whether trials run on this machine, too.
  bool has_local_node_ = false;
  /// How all ends before the experiment has begun.
  std::optional<exit_code> code_;

  /// @errors `ec::bad_option`, `ec::unreadable`.
  expected<void> plan(const loaded_spec& loaded) {
    const auto& written = what_.hosts.empty() ? loaded.what.cluster.hosts : what_.hosts;
    if (written.empty())
      return error{ec::bad_option, "no machines: name them by --hosts A,B or [cluster] hosts"};
    auto targets = ssh_targets_from(written);
    if (!targets)
      return error{ec::bad_option, (what_.hosts.empty() ? "[cluster] hosts: " : "--hosts: ")
                                       + targets.error().detail};
    has_local_node_ = loaded.what.cluster.local;
    plan_.ssh = what_.ssh;
    plan_.program = what_.program;
    plan_.is_direct = what_.is_direct;
    plan_.below = what_.work;
    plan_.worker_options = what_.worker_options;
    plan_.version = version_text(TUNE_CAF_VERSION, output_format::table);
    plan_.version.erase(plan_.version.find_last_not_of('\n') + 1);
    plan_.quiet = line_.quiet;
    if (plan_.program.empty()) {
      auto bundle = program_bundle::of_this_program();
      if (!bundle)
        return bundle.error();
      bundle_.emplace(std::move(*bundle));
    }
    const auto names = node_names_of(*targets);
    for (std::size_t i = 0; i < targets->size(); ++i)
      hosts_.push_back(std::make_unique<host_launch>(plan_, bundle_ ? &*bundle_ : nullptr,
                                                     (*targets)[i], names[i], stop_));
    return {};
  }

  /// @returns whether the experiment can begin; `code_` if not.
  bool prepare_all() {
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> left = std::min(prepared_at_once, hosts_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = left; i > 0; --i)
      threads.emplace_back([&] {
        for (auto k = next++; k < hosts_.size() && !stop_; k = next++)
          hosts_[k]->prepare();
        --left;
      });
    while (left > 0) {
      if (auto number = take_held_signal()) {
        stop_ = true;
        code_ = static_cast<exit_code>(128 + *number);
      }
      std::this_thread::sleep_for(look_again);
    }
    for (auto& x : threads)
      x.join();
    if (code_)
      return false;
    const auto failed = static_cast<std::size_t>(
        std::count_if(hosts_.begin(), hosts_.end(), [](const auto& x) { return x->has_failed(); }));
    if (failed == 0 || (what_.is_partial && failed < hosts_.size()))
      return true;
    announce("launch", "nothing was run: " + counted(failed, "machine") + " of "
                           + std::to_string(hosts_.size()) + " cannot take part"
                           + (failed < hosts_.size() ? "; --partial runs with the others" : ""));
    code_ = exit_code::unreachable;
    return false;
  }

  exit_code lead() {
    auto run = what_.run;
    if (!run.resume)
      run.resume = resume_mode::automatic;
    run.own_overrides.push_back({"cluster.listen", plan_.is_direct ? "0.0.0.0:0" : "127.0.0.1:0"});
    run.own_overrides.push_back({"cluster.certs", meeting_->certificates().string()});
    run.listens = [this](std::uint16_t port) {
      start_workers(port);
      return expected<void>{};
    };
    run.leave = leave_;
    const auto code = run_experiment(line_, run, all_);
    if (code != exit_code::again || !leave_->is_asked())
      return code;
    announce("launch", "none of the machines is left: the same command goes on where it left off");
    return exit_code::unreachable;
  }

  void start_workers(std::uint16_t port) {
    // Counted before the first of them can end.
    working_ = static_cast<std::size_t>(std::count_if(
        hosts_.begin(), hosts_.end(), [](const auto& x) { return !x->has_failed(); }));
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (hosts_[i]->has_failed())
        continue;
      const auto place = certificate_paths_in(meeting_->certificates_of(i + 1));
      host_certificates by{content_of(place.authority), content_of(place.certificate),
                           content_of(place.key)};
      meeting_->forget(i + 1);
      workers_.emplace_back([this, i, port, by = std::move(by)] {
        hosts_[i]->work(port, by);
        if (--working_ == 0)
          end_without_machines();
      });
    }
  }

  /// Workers end with their connections, and nobody starts others.
  void end_without_machines() {
    if (!stop_ && !has_local_node_)
      leave_->ask("none of the machines is left");
  }

  /// The head has let the workers go, or is no more.
  void end_workers(milliseconds patience) {
    for (auto left = patience; left.count() > 0 && working_ > 0; left -= look_again)
      std::this_thread::sleep_for(look_again);
    stop_ = true;
    for (auto& x : workers_)
      x.join();
    workers_.clear();
  }

  [[nodiscard]] bool any_failed() const {
    return std::any_of(hosts_.begin(), hosts_.end(), [](const auto& x) { return x->has_failed(); });
  }
};

} // namespace

exit_code run_launch(const command_line& line, const launch_request& what, const choices& all) {
  if (what.keeps)
    return keep_cluster(line, what, all);
  return launch{line, what, all}.run();
}

} // namespace tune::cli
