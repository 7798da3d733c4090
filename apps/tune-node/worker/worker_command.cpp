// SPDX-License-Identifier: BSD-3-Clause
#include "worker/worker_command.hpp"

#include "client/all_failed.hpp"
#include "client/head_finder.hpp"
#include "console/announcer.hpp"
#include "console/human.hpp"
#include "console/one_line.hpp"
#include "console/text.hpp"
#include "run/before_run.hpp"
#include "run/exhaustion.hpp"
#include "run/interrupts.hpp"
#include "run/last_wait.hpp"
#include "run/service_heart.hpp"
#include "worker/farewell_main.hpp"
#include "worker/node_here.hpp"
#include "worker/work_directory.hpp"

#include "tune/actors/breaks.hpp"
#include "tune/core/liveness/retry_pace.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/checkpoint/pause_memory.hpp"
#include "tune/io/enrolment/enrolment.hpp"
#include "tune/io/files/hmac.hpp"
#include "tune/io/files/job_directories.hpp"
#include "tune/io/probe/head_addresses.hpp"
#include "tune/io/probe/route.hpp"
#include "tune/io/process/service_notice.hpp"
#include "tune/io/process/thread_room.hpp"
#include "tune/net/certificate_watch.hpp"
#include "tune/net/checkpoint_client.hpp"
#include "tune/net/head_session.hpp"
#include "tune/net/output_client.hpp"
#include "tune/net/package_client.hpp"
#include "tune/net/system.hpp"
#include "tune/tuner/shipment.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tune::cli {

namespace {

using std::chrono::milliseconds;

/// Random bytes that tell this process from others of its name.
constexpr std::size_t identity_bytes = 16;

void say(const std::string& text) {
  announce("worker", text);
}

exit_code refuse(const error& what) {
  say(to_text(what));
  return exit_code_for(what.code);
}

std::string name_of_machine() {
  std::array<char, 256> text{};
  return ::gethostname(text.data(), text.size() - 1) == 0 ? text.data() : "node";
}

/// Shows the events of the head session, and waits for its end.
class worker_talk : public head_session_observer {
public:
  explicit worker_talk(bool quiet) : quiet_{quiet} {}

  void joined(const std::string& name, const welcome& by) override {
    was_joined_ = true;
    last_.clear();
    tell("joined as node " + name + "; the head is " + to_text(by.build));
    notify_service_manager("READY=1\nSTATUS=joined as node " + name);
  }

  void away(const std::string& why, milliseconds grace) override {
    last_.clear();
    tell(why + "; looking for it for up to " + duration_text(grace)
         + ", and what runs goes on meanwhile");
  }

  void back() override {
    last_.clear();
    notify_service_manager("STATUS=joined");
    tell("back at the head");
  }

  void lost(const std::string& why) override {
    tell("off: " + why);
    notify_service_manager("STATUS=without a head");
  }

  void waits(const std::string& why, milliseconds) override {
    // Repeated trouble is shown once.
    if (!why.empty() && why != last_)
      tell(why + "; trying again");
    last_ = why;
  }

  void idle() override { tell("idle for long enough: leaving"); }

  void ended(const worker_end& how) override {
    std::lock_guard guard{mutex_};
    end_ = how;
    changed_.notify_all();
  }

  [[nodiscard]] worker_end wait() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [this] { return end_.has_value(); });
    return *end_;
  }

  [[nodiscard]] bool was_joined() const { return was_joined_; }

private:
  void tell(const std::string& text) const { announce("worker", text, quiet_); }

  bool quiet_;
  std::atomic<bool> was_joined_ = false;
  std::string last_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<worker_end> end_;
};

exit_code code_of(const worker_end& how) {
  switch (how.how) {
    case worker_end::kind::unreachable:
      return exit_code::unreachable;
    case worker_end::kind::refused:
      return exit_code::refused;
    case worker_end::kind::left:
      break;
  }
  return exit_code::done;
}

/// Ends the process if the actor breaks down: the worker cannot go on without it.
template <class Handle>
void end_when_broken(const Handle& whom, const char* name) {
  tell_of_break(whom, name, [](const std::string& why) { give_up(in_one_line(why)); });
}

head_session_settings settings_of(const worker_request& what, node_settings here,
                                  caf::actor_system& system, const transport& how,
                                  const package_client_actor& package_client,
                                  const head_search& search) {
  using std::chrono::duration_cast;
  head_session_settings result;
  auto finder = std::make_shared<head_finder>(system, head_addresses{what.join, what.also}, how,
                                              search.check);
  result.most_wait = search.most_wait.value_or(result.most_wait);
  result.dial = [finder] { return finder->find(); };
  result.route = [finder] {
    return route_to(finder->whom(), std::chrono::steady_clock::now() + std::chrono::seconds{5});
  };
  result.cluster = what.cluster;
  result.worker = random_hex(identity_bytes);
  result.node = std::move(here);
  result.node.processes.obituary = farewell_words(what, result.worker);
  checkpoint_client_settings keeping;
  keeping.share = !what.own_storage;
  result.furnish
      = [&system, package_client, keeping](node_settings& node, const head_links& links) {
          node.finder
              = spawn_job_lookup(system, package_client, links.package_server, worker_job_maker());
          node.outputs = spawn_output_client(system, links.output_server, true,
                                             std::chrono::minutes{5}, node.gate);
          auto gated = keeping;
          gated.gate = node.gate;
          node.checkpoint_service = spawn_checkpoint_client(system, links.checkpoint_server, gated);
          end_when_broken(node.finder, "the finder of jobs");
          end_when_broken(node.outputs, "the output client");
          end_when_broken(node.checkpoint_service, "the checkpoint client");
        };
  if (what.join_timeout.count() > 0)
    result.patience = duration_cast<milliseconds>(what.join_timeout);
  result.leave_grace = duration_cast<milliseconds>(what.leave_grace);
  result.once = what.once;
  if (what.idle_exit.count() > 0)
    result.idle_exit = duration_cast<milliseconds>(what.idle_exit);
  return result;
}

/// Removes the directories of earlier jobs, for which nobody works any more.
void sweep(const std::filesystem::path& directory) {
  if (auto done = sweep_job_directories(directory, job{}.kill_grace, say); !done)
    say(to_text(done.error()));
}

/// Runs the actors until the head session has ended.
/// @param outcome Gets everything but the exit code.
[[gnu::noinline]] expected<worker_end> conduct(const command_line& line, const worker_request& what,
                                               node_settings node, const transport& how,
                                               work_directory& directory, const head_search& search,
                                               worker_outcome& outcome) noexcept {
  last_wait rest{directory.path(), say};
  network_config config{how, 0, what.liveness};
  // Destroyed after everything that writes into it.
  const auto memory = pause_memory::make();
  caf::actor_system system{config};
  package_client_settings fetching;
  fetching.work = directory.path();
  fetching.keep_work = [&directory] { return directory.keep(); };
  fetching.tell = say;
  fetching.store_bytes = what.cache;
  auto package_client = spawn_package_client(system, std::move(fetching));
  if (!package_client)
    return package_client.error();
  auto talk = std::make_shared<worker_talk>(line.quiet);
  auto settings = settings_of(what, std::move(node), system, how, *package_client, search);
  settings.node.memory = memory.directory();
  settings.node.tell = say;
  settings.observer = talk;
  auto head_session = spawn_head_session(system, std::move(settings));
  end_when_broken(*package_client, "the package client");
  end_when_broken(head_session, "the head session");
  std::atomic<int> signals = 0;
  interrupts watch{
      [&](int number) {
        ++signals;
        outcome.signal = number;
        notify_service_manager("STOPPING=1\nSTATUS=leaving");
        rest.remind_from(std::chrono::duration_cast<milliseconds>(what.leave_grace));
        say("leaving: no more trials; those that run save and go on elsewhere, or end, within "
            + duration_text(what.leave_grace) + "; once more to hand them back now");
        send_from_outside(head_session, leave_atom_v);
      },
      [&](int number) {
        if (++signals > 2)
          leave_at_once(number);
        say("handing back what runs; once more to leave at once");
        send_from_outside(head_session, leave_atom_v);
      }};
  std::optional<certificate_watch> certificates;
  if (how.identity)
    certificates.emplace(how.identity->files,
                         certificate_watch::listeners{{}, [&line](const std::string& x) {
                                                        announce("worker", x, line.quiet);
                                                      }});
  send_from_outside(head_session, run_atom_v);
  const service_heart heart{system};
  auto end = talk->wait();
  notify_service_manager("STOPPING=1");
  outcome.was_joined = talk->was_joined();
  rest.begin(signals > 1);
  caf::anon_send_exit(*package_client, caf::exit_reason::user_shutdown);
  return end;
}

/// The number of threads of a worker without trials, and a few for these.
constexpr std::size_t threads_of_worker = 16;

/// Waits; a signal ends the process, as nothing has begun yet.
void pause_unless_told(milliseconds how_long) {
  const auto until = std::chrono::steady_clock::now() + how_long;
  while (std::chrono::steady_clock::now() < until) {
    if (auto number = take_held_signal())
      ::_exit(128 + *number);
    std::this_thread::sleep_for(milliseconds{100});
  }
}

/// Where heads may give certificates: by default each at the port next to its own.
std::vector<peer_address> enrolment_places(const worker_request& what) {
  if (what.enroll)
    return {*what.enroll};
  auto result = head_addresses{what.join, what.also}.all();
  for (auto& x : result)
    ++x.port;
  return result;
}

/// Asks at each place in turn. @errors as `enrol`; a refusal before all others.
expected<std::string> enrol_anywhere(const std::vector<peer_address>& places,
                                     const join_token& token, const node_names& whom,
                                     const std::filesystem::path& directory) {
  std::vector<error> faults;
  for (const auto& where : places) {
    auto done = enrol(where, token, whom, directory, std::chrono::seconds{10});
    if (done)
      return done;
    faults.push_back(done.error());
  }
  return all_failed(faults, ec::refused);
}

/// Gets a certificate for the token, unless there is one already: the same command begins a worker
/// again. Tries as long as the head may still come.
expected<void> use_token(const worker_request& what) {
  const auto directory
      = what.certs.empty() ? default_certificate_directory() : std::filesystem::path{what.certs};
  std::error_code ignored;
  if (std::filesystem::exists(certificate_paths_in(directory).certificate, ignored))
    return {};
  auto token = join_token_from_word(what.token);
  if (!token)
    return error{ec::bad_option, "--token: " + token.error().detail};
  const auto places = enrolment_places(what);
  auto name = what.name.empty() ? name_of_machine() : what.name;
  std::optional<milliseconds> limit;
  if (what.join_timeout.count() > 0)
    limit = std::chrono::duration_cast<milliseconds>(what.join_timeout);
  retry_pace pace{milliseconds{500}, std::chrono::seconds{15}, limit};
  pace.begin(std::chrono::steady_clock::now());
  for (;;) {
    auto done = enrol_anywhere(places, *token, {name, {}}, directory);
    if (done) {
      say("got a certificate as " + *done + ", in " + directory.string());
      return {};
    }
    if (done.error().code != ec::unreachable || pace.is_exhausted(std::chrono::steady_clock::now()))
      return done.error();
    say(done.error().detail + "; trying again");
    pause_unless_told(pace.wait());
    pace.lengthen();
  }
}

exit_code work(const command_line& line, const worker_request& what, const choices& all,
               const head_search& search, worker_outcome& outcome) {
  if (!what.token.empty()) {
    if (auto done = use_token(what); !done)
      return refuse(done.error());
  }
  auto how = choose_transport(what.join, what.certs, what.insecure_plaintext);
  if (!how)
    return refuse(how.error());
  auto log = kept_log::open(what.log_file, "worker");
  if (!log)
    return refuse(log.error());
  auto node = node_here(what.name.empty() ? name_of_machine() : what.name, what.offers, all,
                        [&line](const std::string& text) { announce("worker", text, line.quiet); });
  if (!node)
    return refuse(node.error());
  auto directory = work_directory::claim(what.work);
  if (!directory)
    return refuse(directory.error());
  sweep(directory->path());
  if (auto can = can_start_threads(threads_of_worker); !can)
    return refuse(can.error());
  end_when_exhausted("the head goes on without this worker");
  auto end = conduct(line, what, std::move(*node), *how, *directory, search, outcome);
  // The actors that would have removed the directories of the last jobs may have ended before that.
  sweep(directory->path());
  if (!end)
    return refuse(end.error());
  if (end->how != worker_end::kind::left)
    say(end->why);
  return code_of(*end);
}

} // namespace

worker_outcome work_for_head(const command_line& line, const worker_request& what,
                             const choices& all, const head_search& search) {
  worker_outcome result;
  result.code = work(line, what, all, search, result);
  return result;
}

exit_code run_worker(const command_line& line, const worker_request& what, const choices& all) {
  return work_for_head(line, what, all).code;
}

} // namespace tune::cli
