// SPDX-License-Identifier: BSD-3-Clause
#include "head/head_command.hpp"

#include "console/announcer.hpp"
#include "console/one_line.hpp"
#include "console/text.hpp"
#include "head/beginning.hpp"
#include "head/command_runner.hpp"
#include "head/job_supervisor.hpp"
#include "head/upload_runner.hpp"
#include "run/exhaustion.hpp"
#include "run/interrupts.hpp"
#include "run/last_wait.hpp"
#include "run/run_words.hpp"
#include "run/service_heart.hpp"
#include "serve/serving.hpp"
#include "worker/node_here.hpp"
#include "worker/work_directory.hpp"

#include "tune/actors/breaks.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/checkpoint/shared_storage.hpp"
#include "tune/io/enrolment/enrolment.hpp"
#include "tune/io/files/hmac.hpp"
#include "tune/io/process/service_notice.hpp"
#include "tune/io/process/thread_room.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/package_client.hpp"
#include "tune/net/system.hpp"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

void say(const std::string& text) {
  announce("head", text);
}

exit_code refuse(const error& what) {
  say(to_text(what));
  return exit_code_for(what.code);
}

/// Waits until another thread rings.
class bell {
public:
  void ring(expected<void> why) {
    std::lock_guard guard{mutex_};
    if (!rung_)
      rung_ = std::move(why);
    changed_.notify_all();
  }
  /// @returns the reason that the first caller of `ring` gave.
  expected<void> wait() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [this] { return rung_.has_value(); });
    return *rung_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<expected<void>> rung_;
};

/// The directory with the directories of experiments; created if missing.
expected<fs::path> storage_of(const head_request& what) {
  if (what.storage.find("://") != what.storage.npos)
    return error{ec::bad_option,
                 "--storage " + what.storage
                     + " is an address, where a directory has to be; experiments keep"
                       " a copy in an object store by [sinks] s3"};
  auto result = fs::absolute(what.storage).lexically_normal();
  std::error_code why;
  fs::create_directories(result, why);
  if (!why && ::access(result.c_str(), W_OK | X_OK) != 0)
    why = {errno, std::generic_category()};
  if (why)
    return error{ec::storage, "cannot use " + result.string() + ": " + why.message()};
  return result;
}

/// A token in the storage, by which others can tell whether they see the same directory.
class seen_storage {
public:
  explicit seen_storage(fs::path storage) : storage_{std::move(storage)}, token_{random_hex(16)} {
    // Without it, nobody can tell; nothing else depends on it.
    if (!leave_storage_token(storage_, token_))
      token_.clear();
  }
  ~seen_storage() {
    if (!token_.empty())
      remove_storage_token(storage_);
  }
  seen_storage(const seen_storage&) = delete;
  seen_storage& operator=(const seen_storage&) = delete;

  [[nodiscard]] const fs::path& path() const { return storage_; }
  [[nodiscard]] const std::string& token() const { return token_; }

private:
  fs::path storage_;
  std::string token_;
};

/// The actors of a running head.
struct standing {
  caf::actor_system& system;
  head_services place;
  package_client_actor package_client;
  submission_server_local_actor submission_server;
  /// See `job_supervisor_settings::leaves`.
  std::shared_ptr<std::atomic<bool>> leaves = std::make_shared<std::atomic<bool>>(false);
  /// Whether the port is open: from then on other threads may ask for the machines.
  std::atomic<bool> is_open = false;

  /// Goes on with the experiments of the head before this one. Which of them are served is settled
  /// by what is recorded, once all are back.
  void go_on() {
    caf::scoped_actor self{system};
    // No time limit: that takes as long as their records are long.
    tune::request(self.operator->(), submission_server, caf::infinite, run_atom_v)
        .receive([](std::uint64_t) {}, [](const caf::error&) {});
    place.open_queue();
  }

  /// Ends everything in order.
  void take_down() {
    {
      caf::scoped_actor self{system};
      // No time limit: trials have limits for their ends, and the user can send a second signal.
      tune::request(self.operator->(), submission_server, caf::infinite, drain_atom_v)
          .receive([](std::uint64_t) {}, [](const caf::error&) {});
    }
    place.close();
    caf::anon_send_exit(submission_server, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(package_client, caf::exit_reason::user_shutdown);
  }
};

/// Null if machines get no certificates here.
expected<std::unique_ptr<enrolment_server>>
serve_tokens(const head_request& what, const std::function<void(const std::string&)>& tell) {
  if (!what.enroll)
    return std::unique_ptr<enrolment_server>{};
  auto result = enrolment_server::start(
      {*what.enroll, what.certs.empty() ? default_certificate_directory() : fs::path{what.certs},
       tell});
  if (result)
    tell("certificates for join tokens: worker --token TOKEN --enroll "
         + to_text(reachable({what.enroll->host, (*result)->port()})));
  return result;
}

/// Opens the port, shows its address, serves until it is told to go, and takes everything down.
/// @errors also the reason why it could not go on.
expected<void> stand(const head_request& what, const transport& how, standing& actors,
                     const std::function<void(const std::string&)>& tell, last_wait& rest,
                     const seen_storage& storage) {
  listen_options port{what.listen, how, what.cluster, what.liveness};
  port.storage = storage.token().empty() ? "" : storage.path().string();
  port.storage_token = storage.token();
  port.scaling = what.scaling;
  if (port.scaling)
    port.scaling->host = reachable(what.listen).host;
  port.submission_server = submission_server_actor{actors.submission_server};
  port.say = tell;
  // Shared, so that it outlives all callbacks that ring it.
  auto gone = std::make_shared<bell>();
  interrupts watch{[&](int) {
                     *actors.leaves = true;
                     notify_service_manager("STOPPING=1\nSTATUS=leaving off in order");
                     say("leaving off in order; once more to stop at once");
                     gone->ring({});
                   },
                   [](int number) { ::_exit(128 + number); }};
  actors.place.when_crippled([gone, leaves = actors.leaves](const std::string& why) {
    *leaves = true;
    // Shown first, since what follows may take long.
    say(why + "; leaving off in order");
    gone->ring(error{ec::internal, why});
  });
  actors.place.prepare(std::move(port));
  // Workers of the head before this one are let in once it is known what they may go on with.
  actors.go_on();
  auto opened = actors.place.open();
  if (!opened) {
    actors.take_down();
    return opened.error();
  }
  actors.is_open = true;
  auto where = reachable({what.listen.host, *opened});
  auto words = [&](const char* name_option) {
    return to_text(where) + reaching_words(what.certs, what.cluster, !how.identity, name_option);
  };
  tell("workers may join: " + program_call("worker --join " + words("--cluster")));
  tell("experiments may come: " + program_call("run FILE --head " + words("--cluster.name")));
  auto enrolment = serve_tokens(what, tell);
  if (!enrolment) {
    actors.take_down();
    return enrolment.error();
  }
  if (what.listens)
    what.listens(*opened);
  const service_heart heart{actors.system, actors.place.cluster()};
  notify_service_manager("READY=1\nSTATUS=listening at " + to_text(where));
  auto end = gone->wait();
  notify_service_manager("STOPPING=1");
  enrolment->reset();
  // The signal thread stays: a second signal ends the process at once.
  actors.take_down();
  rest.begin(*actors.leaves);
  return end;
}

/// The head's own node, with its guard if trials are to run on this machine.
expected<node_settings> node_of_head(const head_request& what, const choices& all,
                                     const std::function<void(const std::string&)>& tell) {
  auto node = node_here(node_settings{}.name, what.offers, all, tell);
  if (!node || !what.local)
    return node;
  // No head is better than one whose trials all fail for want of the guard.
  auto guard = process_service::start(node->processes);
  if (!guard)
    return error{ec::process, "no trial can run in a process of its own: " + guard.error().detail};
  node->service = std::move(*guard);
  return node;
}

/// The machines of a head; nothing if it does not answer soon.
std::optional<cluster_numbers> machines_of(const standing& head) {
  constexpr std::chrono::seconds patience{1};
  std::optional<cluster_numbers> result;
  if (!head.is_open)
    return result;
  const auto& place = head.place;
  caf::scoped_actor self{place.system()};
  tune::request(self.operator->(), caf::actor_cast<cluster_local_actor>(place.cluster()), patience,
                need_question{})
      .receive(
          [&](const cluster_need& x) {
            auto& to = result.emplace();
            for (const auto& worker : x.workers)
              ++(worker.is_busy ? to.busy : to.idle);
            for (const auto& bundle : bundles_of(x.pending))
              to.pending += bundle.count;
          },
          [](const caf::error&) {});
  if (const auto seen = result ? place.scaling() : std::nullopt)
    result->scales = {seen->what.wanted, seen->what.asked,    seen->what.given_back,
                      seen->what.calls,  seen->what.failures, seen->what.missed};
  return result;
}

/// Null if no page is wanted.
expected<std::unique_ptr<serving>> serve_page(caf::actor_system& system, const head_request& what,
                                              const choices& all, const fs::path& storage,
                                              std::shared_ptr<hosted_head> hosted) {
  if (!what.http)
    return std::unique_ptr<serving>{};
  auto page = serving::start(system, storage, page_request(*what.http, what.certs), all,
                             {{}, std::move(hosted)});
  // Shown even if quiet: nothing else tells it.
  if (page)
    say("its page: " + (*page)->link());
  return page;
}

/// @param work Must outlive the package client.
package_client_settings fetching_into(work_directory& work, const std::set<std::string>& kept) {
  package_client_settings result;
  result.work = work.path();
  result.keep_work = [&work] { return work.keep(); };
  result.tell = say;
  result.kept.assign(kept.begin(), kept.end());
  return result;
}

/// How the experiments and commands of clients are taken in.
/// @param config Must outlive the submission server.
submission_server_settings submissions_for(const standing& actors,
                                           const job_supervisor_settings& job_supervisors,
                                           const network_config& config) {
  submission_server_settings result;
  auto& system = actors.system;
  result.hire = [&system, job_supervisors](job_spec x) {
    return spawn_job_supervisor(system, job_supervisors, std::move(x));
  };
  result.carry_out
      = [&system, storage = job_supervisors.storage](remote_command asked, std::string identity) {
          return spawn_command_runner(system, storage, std::move(asked), std::move(identity));
        };
  result.package_client = actors.package_client;
  result.identity_of = [&config](const caf::node_id& who) { return config.identity_of(who); };
  result.say = job_supervisors.say;
  return result;
}

[[gnu::noinline]] expected<void> lead(const command_line& line, const head_request& what,
                                      const choices& all, const transport& how) noexcept {
  auto storage = storage_of(what);
  if (!storage)
    return storage.error();
  auto work = work_directory::claim(what.work, "head");
  if (!work)
    return work.error();
  auto begun = begin_to_lead(*storage, work->path(), what, say);
  if (!begun)
    return begun.error();
  last_wait rest{*storage, say};
  const seen_storage seen{*storage};
  auto tell = [quiet = line.quiet](const std::string& text) { announce("head", text, quiet); };
  auto here = node_of_head(what, all, tell);
  if (!here)
    return here.error();
  auto& node = *here;
  network_config config{how, 0, what.liveness};
  caf::actor_system system{config};
  auto package_client = spawn_package_client(system, fetching_into(*work, begun->kept));
  if (!package_client)
    return package_client.error();
  standing actors{system,
                  head_services{system, node, what.local,
                                begun->mark ? begun->mark->identity() : head_identity{},
                                what.limits},
                  *package_client,
                  {}};
  actors.place.close_queue();
  auto broken = [](const std::string& why) { give_up(in_one_line(why)); };
  actors.place.when_broken(broken);
  const job_supervisor_settings job_supervisors{&actors.place,
                                                &all,
                                                discover(),
                                                *storage,
                                                actors.leaves,
                                                begun->mark,
                                                what.liveness.head_grace,
                                                tell};
  auto submissions = submissions_for(actors, job_supervisors, config);
  submissions.resumed = std::move(begun->resumed);
  actors.submission_server = spawn_submission_server(system, std::move(submissions));
  tell_of_break(actors.submission_server, "the submission server", broken);
  tell_of_break(*package_client, "the package client", broken);
  auto uploads = std::make_shared<upload_runner>(
      upload_runner::parts{system, actors.submission_server, all, work->path(),
                           [&actors] { return machines_of(actors); }});
  auto page = serve_page(system, what, all, *storage, std::move(uploads));
  if (!page) {
    actors.take_down();
    return page.error();
  }
  return stand(what, how, actors, tell, rest, seen);
}

/// The number of threads of a head without experiments, and of a first experiment.
constexpr std::size_t threads_of_head = 24;

} // namespace

exit_code run_head(const command_line& line, const head_request& what, const choices& all) {
  auto how = choose_transport(what.listen, what.certs, what.insecure_plaintext);
  if (!how)
    return refuse(how.error());
  // Checked before anything is created.
  if (auto open = can_listen(what.listen); !open)
    return refuse(open.error());
  if (auto can = can_start_threads(threads_of_head); !can)
    return refuse(can.error());
  if (what.enroll) {
    const auto certs = what.certs.empty() ? default_certificate_directory() : fs::path{what.certs};
    if (auto can = can_sign(certs, calendar_now()); !can)
      return refuse({can.error().code, "--enroll: " + can.error().detail});
    if (auto open = can_listen(*what.enroll); !open)
      return refuse(open.error());
  }
  if (what.http) {
    if (auto can = can_serve(page_request(*what.http, what.certs)); !can)
      return refuse(can.error());
  }
  end_when_exhausted();
  auto log = kept_log::open(what.log_file, "head");
  if (!log)
    return refuse(log.error());
  auto led = lead(line, what, all, *how);
  return led ? exit_code::done : refuse(led.error());
}

} // namespace tune::cli
