// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/submission_server.hpp"

#include "remote_commands.hpp"
#include "resumptions.hpp"
#include "submission_book.hpp"
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
  submission_book submissions;
  /// See `queue_claim::arrival`; those of experiments that this head goes on with count on.
  std::uint64_t last_arrival = 0;
  bool draining = false;
  std::optional<caf::typed_response_promise<std::uint64_t>> drained;
  /// Commands of clients had their time to end with their experiments.
  bool is_patient = true;

  ~submission_server_state() {
    for (const auto& [key, x] : submissions.all())
      dismiss(x);
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
      const auto key = submissions.add(std::move(x.words), std::move(x.identity));
      submissions.at(key).claim = x.claim;
      left_behind.add(key, std::move(x.found));
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
    auto& x = submissions.at(key);
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
    if (auto fits = draining ? ends_soon() : submissions.may_begin(*words); !fits) {
      settings.say("experiment " + words->experiment + " of "
                   + user_of(words->from, identity_of(follower))
                   + " was refused: " + fits.error().detail);
      return refuse(follower, what.number, fits.error());
    }
    auto wants_rows = !words->rows.empty();
    const auto key = submissions.add(std::move(*words), identity_of(follower),
                                     {{follower, what.number, wants_rows}});
    submissions.at(key).claim.arrival = ++last_arrival;
    follow(follower);
    fetch(key, package_server);
  }

  [[nodiscard]] std::string identity_of(const follower_actor& who) const {
    return settings.identity_of(caf::actor_cast<caf::strong_actor_ptr>(who)->node());
  }

  /// Lets whoever submitted an experiment follow it again.
  void attach(const submission_message& words, listener who) {
    const auto identity = identity_of(who.who);
    const auto known = submissions.to_follow(words.experiment, identity);
    if (!known) {
      if (known.error().code == ec::refused)
        settings.say(with_subject(words.from, identity) + " may not attach to " + words.experiment
                     + ", which is of " + submissions.owner_of(words.experiment));
      return refuse(who.who, who.number, known.error());
    }
    auto& x = **known;
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
      for (const auto& x : submissions.forget(whom))
        dismiss(x);
    });
  }

  /// Fetches the files. The package client lives in this process and always answers, though it may
  /// take long, since files may be large.
  void fetch(std::uint64_t key, const package_server_actor& package_server) {
    auto answer = [this, key](const fetched_job& found) { hire(key, found); };
    auto job = submissions.at(key).words.job;
    request(self, settings.package_client, caf::infinite, fetch_job{job}, package_server)
        .then(answer, [this, answer, job](const caf::error& why) {
          answer(fetched_job{job, {}, {}, render(self->system(), why)});
        });
  }

  void hire(std::uint64_t key, const fetched_job& found) {
    auto* x = submissions.find(key);
    if (x == nullptr)
      return;
    if (!found.why.empty())
      return give_up(key, error{found.kind, found.why});
    auto hired = settings.hire({key, x->words, found, x->identity,
                                caf::actor_cast<submission_server_local_actor>(self),
                                left_behind.has(key), x->claim});
    if (!hired)
      return give_up(key,
                     error{ec::unreachable, "the head cannot run it now: " + hired.error().detail});
    x->job_supervisor = std::move(*hired);
    // The job supervisor lives in this process; CAF answers for it if it has ended.
    request(self, *x->job_supervisor, caf::infinite, run_atom_v)
        .then([this, key](const start_result& how) { begun(key, how); },
              [this, key](const caf::error& why) {
                if (submissions.find(key) != nullptr)
                  give_up(key, error{ec::internal, render(self->system(), why)});
              });
  }

  void begun(std::uint64_t key, const start_result& how) {
    auto* x = submissions.find(key);
    if (x == nullptr)
      return;
    if (!how.is_taken)
      return refused(key, how.text);
    x->is_taken = true;
    x->taken = how.text;
    if (!how.experiment.empty())
      x->words.experiment = how.experiment;
    for (const auto& each : x->listeners)
      send(self, each.who, client_answer{each.number, how.text});
    if (draining)
      send(self, *x->job_supervisor, leave_atom_v);
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
      settings.say("experiment " + submissions.at(key).words.experiment + ", "
                   + doing_of(submissions.at(key).claim)
                   + " when the head died, cannot go on by itself: " + why.detail);
    close(key, answer);
  }

  void give_up(std::uint64_t key, const error& why) {
    if (postpone(key, why))
      return;
    const auto& x = submissions.at(key);
    settings.say("experiment " + x.words.experiment + " of " + user_of(x.words.from, x.identity)
                 + " was given up: " + why.detail);
    close(key, to_json(why));
  }

  /// Drops an experiment that has not begun.
  void close(std::uint64_t key, const std::string& answer) {
    const auto x = submissions.take(key);
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
    auto* known = submissions.asked_by(what->key, by);
    if (known == nullptr)
      return tell(to_json(error{ec::unknown_name, "the head knows no such experiment any more"}));
    auto is_rows = what->what == client_request::kind::rows;
    request(self, *known->job_supervisor, caf::infinite, *what)
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

  /// Ends a listener's interest once it has all rows.
  void close_after_rows(std::uint64_t key, const follower_actor& by, const std::string& piece) {
    if (auto read = rows_piece_from_json(piece); read && !read->last)
      return;
    if (const auto done = submissions.has_rows(key, by))
      dismiss(*done);
  }

  void end(const experiment_ended& how) {
    const auto* known = submissions.find(how.key);
    if (known == nullptr)
      return;
    drop_files(*known);
    const auto over = submissions.end(how.key, how.has_rows);
    for (const auto& each : over.told)
      send(self, each.who, experiment_ended{how.key, how.text, each.wants_rows});
    if (over.done)
      dismiss(*over.done);
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
    for (const auto& [key, x] : submissions.all()) {
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
    if (!drained || !submissions.all_over())
      return;
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
