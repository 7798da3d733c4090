// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/submission_server.hpp"

#include "remote_commands.hpp"
#include "resumptions.hpp"
#include "submitted_job.hpp"
#include "tune/actors/firm.hpp"
#include "tune/net/submission_words.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tune {

namespace {

error ends_soon() {
  return {ec::unreachable, "the head is about to end"};
}

/// Time that commands of clients have to end once all experiments have, when the head goes.
constexpr std::chrono::seconds last_wait{5};

struct submission_server_state {
  static inline const char* name = "tune.submission_server";

  submission_server_settings settings;
  submission_server_impl::pointer self = nullptr;
  monitors watched;
  remote_commands commands;
  std::map<std::uint64_t, submitted_job> submitted_jobs;
  std::uint64_t last_key = 0;
  /// See `queue_claim::arrival`; those of experiments that this head goes on with count on.
  std::uint64_t last_arrival = 0;
  bool draining = false;
  std::optional<caf::typed_response_promise<std::uint64_t>> drained;
  /// Commands of clients had their time to end with their experiments.
  bool is_patient = true;

  ~submission_server_state() {
    for (const auto& [key, x] : submitted_jobs)
      dismiss(x);
  }

  static void dismiss(const submitted_job& x) {
    if (x.job_supervisor)
      caf::anon_send_exit(*x.job_supervisor, caf::exit_reason::user_shutdown);
  }

  // -- Experiments of the head before this one.

  using promise = caf::typed_response_promise<std::uint64_t>;
  resumptions left_behind;
  /// Who waits until each runs, or cannot go on now.
  std::optional<promise> resumed;

  promise resume() {
    resumed = self->make_response_promise<std::uint64_t>();
    auto answer = *resumed;
    for (auto& x : std::exchange(settings.resumed, {})) {
      auto& known = submitted_jobs[++last_key];
      known = {std::move(x.words), std::move(x.identity), {}, {}};
      known.claim = x.claim;
      left_behind.add(last_key, std::move(x.found));
    }
    std::map<std::uint64_t, fetched_job> due;
    for (auto key : left_behind.keys())
      due[key] = left_behind.again(key).value_or(fetched_job{});
    for (const auto& [key, found] : due)
      hire(key, found);
    answer_resumed();
    return answer;
  }

  void answer_resumed() {
    if (left_behind.all_tried() && resumed)
      std::exchange(resumed, std::nullopt)->deliver(std::uint64_t{0});
  }

  /// @returns whether the experiment could not go on now, and is tried again.
  bool postpone(std::uint64_t key, const error& why) {
    const auto next = left_behind.fail(key, why);
    if (!next || draining)
      return false;
    auto& x = submitted_jobs.at(key);
    dismiss(x);
    x.job_supervisor.reset();
    if (next->is_news)
      settings.say("experiment " + x.words.experiment + " cannot go on yet: " + why.detail
                   + "; this head tries again until it can");
    delayed_send(self, caf::actor_cast<submission_server_impl>(self), next->wait, tick_atom_v, key);
    answer_resumed();
    return true;
  }

  void try_again(std::uint64_t key) {
    if (auto found = left_behind.again(key))
      hire(key, *found);
  }

  // -- Submissions.

  void take(const submission& what, const package_server_actor& package_server,
            const follower_actor& follower) {
    auto words = submission_message_from_json(what.text);
    if (!words)
      return refuse(follower, what.number, words.error());
    if (words->attaches)
      return attach(*words, {follower, what.number, !words->rows.empty(), true});
    if (auto fits = may_begin(*words); !fits) {
      settings.say("experiment " + words->experiment + " of "
                   + user_of(words->from, identity_of(follower))
                   + " was refused: " + fits.error().detail);
      return refuse(follower, what.number, fits.error());
    }
    auto key = ++last_key;
    auto wants_rows = !words->rows.empty();
    submitted_jobs[key]
        = {std::move(*words), identity_of(follower), {{follower, what.number, wants_rows}}, {}};
    submitted_jobs[key].claim.arrival = ++last_arrival;
    follow(follower);
    fetch(key, package_server);
  }

  [[nodiscard]] expected<void> may_begin(const submission_message& words) const {
    if (draining)
      return ends_soon();
    // A free number is determined later, where the directories are.
    for (const auto& [key, x] : submitted_jobs) {
      if (x.words.experiment == words.experiment && !x.is_over && !words.numbered)
        return error{ec::refused, "an experiment named " + words.experiment
                                      + std::string{runs_already} + ", from " + x.words.from
                                      + ": attach to it, if it is yours, or"
                                        " choose another name by --experiment.name auto"};
    }
    return {};
  }

  [[nodiscard]] std::string identity_of(const follower_actor& who) const {
    return settings.identity_of(caf::actor_cast<caf::strong_actor_ptr>(who)->node());
  }

  /// Lets whoever submitted an experiment follow it again.
  void attach(const submission_message& words, listener who) {
    auto known = std::find_if(submitted_jobs.begin(), submitted_jobs.end(), [&](const auto& x) {
      return x.second.words.experiment == words.experiment && !x.second.is_over;
    });
    if (known == submitted_jobs.end())
      return refuse(who.who, who.number,
                    {ec::unknown_name, "no experiment named " + words.experiment
                                           + " runs at the head; what has ended is in the head's"
                                             " storage"});
    auto& x = known->second;
    if (identity_of(who.who) != x.identity) {
      settings.say(with_subject(words.from, identity_of(who.who)) + " may not attach to "
                   + words.experiment + ", which is of " + with_subject(x.words.from, x.identity));
      return refuse(who.who, who.number,
                    {ec::refused, words.experiment + " was submitted by " + x.words.from
                                      + " with another certificate: nobody else may follow it"});
    }
    follow(who.who);
    if (x.is_taken)
      send(self, who.who, client_answer{who.number, x.taken});
    x.listeners.push_back(std::move(who));
  }

  void refuse(const follower_actor& whom, std::uint64_t number, const error& why) {
    send(self, whom, client_answer{number, to_json(why)});
  }

  void follow(const follower_actor& whom) {
    watched.watch(self, whom, [this, whom](const caf::error&) {
      commands.forget(whom);
      for (auto i = submitted_jobs.begin(); i != submitted_jobs.end();) {
        std::erase_if(i->second.listeners, [&](const listener& x) { return x.who == whom; });
        i = close_if_done(i);
      }
    });
  }

  /// Fetches the files. The package client lives in this process and always answers, though it may
  /// take long, since files may be large.
  void fetch(std::uint64_t key, const package_server_actor& package_server) {
    auto answer = [this, key](const fetched_job& found) { hire(key, found); };
    auto job = submitted_jobs.at(key).words.job;
    request(self, settings.package_client, caf::infinite, fetch_job{job}, package_server)
        .then(answer, [this, answer, job](const caf::error& why) {
          answer(fetched_job{job, {}, {}, render(self->system(), why)});
        });
  }

  void hire(std::uint64_t key, const fetched_job& found) {
    auto known = submitted_jobs.find(key);
    if (known == submitted_jobs.end())
      return;
    if (!found.why.empty())
      return give_up(key, error{found.kind, found.why});
    auto& x = known->second;
    auto hired = settings.hire({key, x.words, found, x.identity,
                                caf::actor_cast<submission_server_local_actor>(self),
                                left_behind.has(key), x.claim});
    if (!hired)
      return give_up(key,
                     error{ec::unreachable, "the head cannot run it now: " + hired.error().detail});
    x.job_supervisor = std::move(*hired);
    // The job supervisor lives in this process; CAF answers for it if it has ended.
    request(self, *x.job_supervisor, caf::infinite, run_atom_v)
        .then([this, key](const start_result& how) { begun(key, how); },
              [this, key](const caf::error& why) {
                if (submitted_jobs.contains(key))
                  give_up(key, error{ec::internal, render(self->system(), why)});
              });
  }

  void begun(std::uint64_t key, const start_result& how) {
    auto known = submitted_jobs.find(key);
    if (known == submitted_jobs.end())
      return;
    if (!how.is_taken)
      return refused(key, how.text);
    auto& x = known->second;
    x.is_taken = true;
    x.taken = how.text;
    if (!how.experiment.empty())
      x.words.experiment = how.experiment;
    for (const auto& each : x.listeners)
      send(self, each.who, client_answer{each.number, how.text});
    if (draining)
      send(self, *x.job_supervisor, leave_atom_v);
    left_behind.settle(key);
    answer_resumed();
  }

  /// The job supervisor could not begin, and told why if the experiment is a new one.
  void refused(std::uint64_t key, const std::string& answer) {
    const auto taken = submission_taken_from_json(answer);
    const auto why = taken ? error{ec::internal, answer} : taken.error();
    if (postpone(key, why))
      return;
    if (left_behind.has(key))
      settings.say("experiment " + submitted_jobs.at(key).words.experiment + ", "
                   + doing_of(submitted_jobs.at(key).claim)
                   + " when the head died, cannot go on by itself: " + why.detail);
    close(key, answer);
  }

  void give_up(std::uint64_t key, const error& why) {
    if (postpone(key, why))
      return;
    const auto& x = submitted_jobs.at(key);
    settings.say("experiment " + x.words.experiment + " of " + user_of(x.words.from, x.identity)
                 + " was given up: " + why.detail);
    close(key, to_json(why));
  }

  /// Drops an experiment that has not begun.
  void close(std::uint64_t key, const std::string& answer) {
    auto gone = submitted_jobs.extract(key);
    const auto& x = gone.mapped();
    for (const auto& each : x.listeners)
      send(self, each.who, client_answer{each.number, answer});
    if (!left_behind.settle(key))
      drop_files(x);
    dismiss(x);
    answer_resumed();
    answer_if_empty();
  }

  /// Drops the fetched files, which are no longer used.
  void drop_files(const submitted_job& x) {
    send(self, settings.package_client, job_dropped{x.words.job});
  }

  // -- Questions, and the end.

  void hear(const client_question& asked, const follower_actor& by) {
    auto tell = [this, by, number = asked.number](const std::string& text) {
      send(self, by, client_answer{number, text});
    };
    auto what = client_request_from_json(asked.text);
    if (!what)
      return tell(to_json(what.error()));
    auto known = submitted_jobs.find(what->key);
    if (known == submitted_jobs.end() || !known->second.is_taken || !is_heard_by(known->second, by))
      return tell(to_json(error{ec::unknown_name, "the head knows no such experiment any more"}));
    auto is_rows = what->what == client_request::kind::rows;
    request(self, *known->second.job_supervisor, caf::infinite, *what)
        .then(
            [this, tell, is_rows, by, key = what->key](const std::string& text) {
              tell(text);
              if (is_rows)
                close_after_rows(key, by, text);
            },
            [this, tell](const caf::error& why) {
              tell(to_json(error{ec::internal, render(self->system(), why)}));
            });
  }

  using place = std::map<std::uint64_t, submitted_job>::iterator;

  /// Whether a follower may ask about an experiment. Keys are no secrets: another's could be
  /// guessed.
  static bool is_heard_by(const submitted_job& x, const follower_actor& who) {
    return std::any_of(x.listeners.begin(), x.listeners.end(),
                       [&](const listener& each) { return each.who == who; });
  }

  /// Ends a listener's interest once it has all rows.
  void close_after_rows(std::uint64_t key, const follower_actor& by, const std::string& piece) {
    auto known = submitted_jobs.find(key);
    if (known == submitted_jobs.end() || !known->second.is_over)
      return;
    if (auto read = rows_piece_from_json(piece); read && !read->last)
      return;
    std::erase_if(known->second.listeners, [&](const listener& x) { return x.who == by; });
    close_if_done(known);
  }

  /// @returns the next one.
  place close_if_done(place x) {
    if (!x->second.is_over || !x->second.listeners.empty())
      return std::next(x);
    dismiss(x->second);
    return submitted_jobs.erase(x);
  }

  void end(const experiment_ended& how) {
    auto known = submitted_jobs.find(how.key);
    if (known == submitted_jobs.end())
      return;
    auto& x = known->second;
    x.is_over = true;
    drop_files(x);
    for (auto& each : x.listeners) {
      if (!each.attached)
        each.wants_rows = how.has_rows;
      send(self, each.who, experiment_ended{how.key, how.text, each.wants_rows});
    }
    std::erase_if(x.listeners, [](const listener& each) { return !each.wants_rows; });
    close_if_done(known);
    answer_if_empty();
  }

  // -- Commands.

  void begin_command(const command_wanted& what, const follower_actor& by) {
    follow(by);
    commands.begin(what, by, identity_of(by));
  }

  // -- The head ends.

  caf::typed_response_promise<std::uint64_t> drain() {
    draining = true;
    drained = self->make_response_promise<std::uint64_t>();
    auto answer = *drained;
    std::vector<std::uint64_t> not_begun;
    for (const auto& [key, x] : submitted_jobs) {
      if (!x.job_supervisor)
        not_begun.push_back(key);
      else if (x.is_taken && !x.is_over)
        send(self, *x.job_supervisor, leave_atom_v);
    }
    for (auto key : not_begun)
      give_up(key, ends_soon());
    answer_if_empty();
    return answer;
  }

  void answer_if_empty() {
    if (!drained)
      return;
    for (const auto& [key, x] : submitted_jobs) {
      if (!x.is_over)
        return;
    }
    // A command that waits for an experiment ends now, and its client is to hear how.
    if (!commands.is_idle() && is_patient)
      return delayed_send(self, caf::actor_cast<submission_server_local_actor>(self), last_wait,
                          tick_atom_v);
    std::exchange(drained, std::nullopt)->deliver(std::uint64_t{0});
  }
};

submission_server_impl::behavior_type
submission_server(submission_server_impl::stateful_pointer<submission_server_state> self,
                  submission_server_settings settings) {
  auto& state = state_of(self);
  state.self = self;
  state.settings = std::move(settings);
  for (const auto& x : state.settings.resumed)
    state.last_arrival = std::max(state.last_arrival, x.claim.arrival);
  stand_firm(self);
  state.watched.init(self);
  state.commands.init(self, state.settings.carry_out, [&state] { state.answer_if_empty(); });
  return {
      [self, &state](const submission& what, const package_server_actor& package_server,
                     const follower_actor& follower) {
        if (is_of_sender(self, package_server) && is_of_sender(self, follower))
          state.take(what, package_server, follower);
      },
      [self, &state](const client_question& what, const follower_actor& by) {
        if (is_of_sender(self, by))
          state.hear(what, by);
      },
      [self, &state](const command_wanted& what, const follower_actor& by) {
        if (is_of_sender(self, by))
          state.begin_command(what, by);
      },
      [self, &state](const output_wanted& what, const follower_actor& by) {
        if (is_of_sender(self, by))
          state.commands.go_on(what, by);
      },
      [&state](const experiment_ended& how) { state.end(how); },
      [&state](drain_atom) { return state.drain(); },
      [&state](run_atom) { return state.resume(); },
      [&state](tick_atom) {
        state.is_patient = false;
        state.answer_if_empty();
      },
      [&state](tick_atom, std::uint64_t key) { state.try_again(key); },
  };
}

} // namespace

submission_server_local_actor spawn_submission_server(caf::actor_system& system,
                                                      submission_server_settings settings) {
  return system.spawn(submission_server, std::move(settings));
}

} // namespace tune
