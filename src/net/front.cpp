// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/front.hpp"

#include "tune/actors/firm.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tune {

namespace {

/// An experiment from its submission until nobody wants to hear of it any more.
struct affair {
  submission_words words;
  std::uint64_t number = 0;
  /// Nothing: it went away.
  std::optional<follower_actor> follower;
  /// Nothing while its files are on their way.
  std::optional<steward_actor> steward;
  bool is_taken = false;
  /// Nothing of it runs, and its directory is free.
  bool is_over = false;
};

error ends_soon() {
  return {ec::unreachable, "the head is about to end"};
}

struct front_state {
  static inline const char* name = "tune.front";

  front_settings settings;
  monitors watched;
  std::map<std::uint64_t, affair> affairs;
  std::uint64_t last_key = 0;
  bool draining = false;
  std::optional<caf::typed_response_promise<std::uint64_t>> drained;

  ~front_state() {
    for (const auto& [key, x] : affairs)
      dismiss(x);
  }

  static void dismiss(const affair& x) {
    if (x.steward)
      caf::anon_send_exit(*x.steward, caf::exit_reason::user_shutdown);
  }

  // -- Submissions.

  template <class Self>
  void take(Self* self, const submission& what, const depot_actor& depot,
            const follower_actor& follower) {
    auto words = submission_words_from_json(what.text);
    if (!words)
      return refuse(self, follower, what.number, words.error());
    if (auto fits = may_begin(*words); !fits) {
      settings.say(words->experiment + ", from " + words->from
                   + ", was refused: " + fits.error().detail);
      return refuse(self, follower, what.number, fits.error());
    }
    auto key = ++last_key;
    affairs[key] = {std::move(*words), what.number, follower, {}};
    follow(self, follower);
    fetch(self, key, depot);
  }

  [[nodiscard]] expected<void> may_begin(const submission_words& words) const {
    if (draining)
      return ends_soon();
    for (const auto& [key, x] : affairs) {
      if (x.words.experiment == words.experiment && !x.is_over)
        return error{ec::refused, "an experiment named " + words.experiment
                                      + " runs at the head already, from " + x.words.from
                                      + ": wait for its end, or choose another name by"
                                        " --experiment.name NAME"};
    }
    return {};
  }

  template <class Self>
  void refuse(Self* self, const follower_actor& whom, std::uint64_t number, const error& why) {
    send(self, whom, client_answer{number, to_json(why)});
  }

  template <class Self>
  void follow(Self* self, const follower_actor& whom) {
    watched.watch(self, whom, [this, whom](const caf::error&) {
      for (auto i = affairs.begin(); i != affairs.end();) {
        auto& x = i->second;
        if (x.follower == whom)
          x.follower.reset();
        i = close_if_done(i);
      }
    });
  }

  /// The fetcher lives here and always answers: in its own time, since files may be large.
  template <class Self>
  void fetch(Self* self, std::uint64_t key, const depot_actor& depot) {
    auto answer = [this, self, key](const fetched_job& found) { hire(self, key, found); };
    auto job = affairs.at(key).words.job;
    request(self, settings.fetcher, caf::infinite, fetch_job{job}, depot)
        .then(answer, [self, answer, job](const caf::error& why) {
          answer(fetched_job{job, {}, {}, render(self->system(), why)});
        });
  }

  template <class Self>
  void hire(Self* self, std::uint64_t key, const fetched_job& found) {
    auto known = affairs.find(key);
    if (known == affairs.end())
      return;
    if (!found.why.empty())
      return give_up(self, key, error{found.kind, found.why});
    auto& x = known->second;
    x.steward = settings.hire({key, x.words, found, caf::actor_cast<front_desk_actor>(self)});
    // It lives here, and CAF answers for it if it is gone.
    request(self, *x.steward, caf::infinite, run_atom_v)
        .then([this, self, key](const stewardship& how) { begun(self, key, how); },
              [this, self, key](const caf::error& why) {
                if (affairs.contains(key))
                  give_up(self, key, error{ec::internal, render(self->system(), why)});
              });
  }

  template <class Self>
  void begun(Self* self, std::uint64_t key, const stewardship& how) {
    auto known = affairs.find(key);
    if (known == affairs.end())
      return;
    if (!how.is_taken)
      return close(self, key, how.text);
    auto& x = known->second;
    x.is_taken = true;
    if (x.follower)
      send(self, *x.follower, client_answer{x.number, how.text});
    if (draining)
      send(self, *x.steward, leave_atom_v);
  }

  template <class Self>
  void give_up(Self* self, std::uint64_t key, const error& why) {
    const auto& words = affairs.at(key).words;
    settings.say(words.experiment + ", from " + words.from + ", was given up: " + why.detail);
    close(self, key, to_json(why));
  }

  /// Nothing was begun.
  template <class Self>
  void close(Self* self, std::uint64_t key, const std::string& answer) {
    auto gone = affairs.extract(key);
    const auto& x = gone.mapped();
    if (x.follower)
      send(self, *x.follower, client_answer{x.number, answer});
    drop_files(self, x);
    dismiss(x);
    answer_if_empty();
  }

  /// Nobody works with what was fetched any more.
  template <class Self>
  void drop_files(Self* self, const affair& x) {
    send(self, settings.fetcher, job_dropped{x.words.job});
  }

  // -- What is asked, and the end.

  template <class Self>
  void hear(Self* self, const client_question& asked, const follower_actor& by) {
    auto tell = [self, by, number = asked.number](const std::string& text) {
      send(self, by, client_answer{number, text});
    };
    auto what = client_request_from_json(asked.text);
    if (!what)
      return tell(to_json(what.error()));
    auto known = affairs.find(what->key);
    if (known == affairs.end() || !known->second.is_taken)
      return tell(to_json(error{ec::unknown_name, "the head knows no such experiment any more"}));
    auto is_rows = what->what == client_request::kind::rows;
    request(self, *known->second.steward, caf::infinite, *what)
        .then(
            [this, tell, is_rows, key = what->key](const std::string& text) {
              tell(text);
              if (is_rows)
                close_after_rows(key, text);
            },
            [self, tell](const caf::error& why) {
              tell(to_json(error{ec::internal, render(self->system(), why)}));
            });
  }

  using place = std::map<std::uint64_t, affair>::iterator;

  /// Nobody is left who would ask for more.
  void close_after_rows(std::uint64_t key, const std::string& piece) {
    auto known = affairs.find(key);
    if (known == affairs.end() || !known->second.is_over)
      return;
    if (auto read = rows_piece_from_json(piece); read && !read->last)
      return;
    known->second.follower.reset();
    close_if_done(known);
  }

  /// @returns the next.
  place close_if_done(place x) {
    if (!x->second.is_over || x->second.follower)
      return std::next(x);
    dismiss(x->second);
    return affairs.erase(x);
  }

  template <class Self>
  void end(Self* self, const experiment_ended& how) {
    auto known = affairs.find(how.key);
    if (known == affairs.end())
      return;
    auto& x = known->second;
    x.is_over = true;
    drop_files(self, x);
    if (x.follower)
      send(self, *x.follower, how);
    if (!how.has_rows)
      x.follower.reset();
    close_if_done(known);
    answer_if_empty();
  }

  // -- The head goes.

  template <class Self>
  caf::typed_response_promise<std::uint64_t> drain(Self* self) {
    draining = true;
    drained = self->template make_response_promise<std::uint64_t>();
    auto answer = *drained;
    std::vector<std::uint64_t> not_begun;
    for (const auto& [key, x] : affairs) {
      if (!x.steward)
        not_begun.push_back(key);
      else if (x.is_taken && !x.is_over)
        send(self, *x.steward, leave_atom_v);
    }
    for (auto key : not_begun)
      give_up(self, key, ends_soon());
    answer_if_empty();
    return answer;
  }

  void answer_if_empty() {
    if (!drained)
      return;
    for (const auto& [key, x] : affairs) {
      if (!x.is_over)
        return;
    }
    std::exchange(drained, std::nullopt)->deliver(std::uint64_t{0});
  }
};

front_desk_actor::behavior_type front(front_desk_actor::stateful_pointer<front_state> self,
                                      front_settings settings) {
  auto& state = state_of(self);
  state.settings = std::move(settings);
  stand_firm(self);
  state.watched.init(self);
  return {
      [self, &state](const submission& what, const depot_actor& depot,
                     const follower_actor& follower) {
        if (is_of_sender(self, depot) && is_of_sender(self, follower))
          state.take(self, what, depot, follower);
      },
      [self, &state](const client_question& what, const follower_actor& by) {
        if (is_of_sender(self, by))
          state.hear(self, what, by);
      },
      [self, &state](const experiment_ended& how) { state.end(self, how); },
      [self, &state](drain_atom) { return state.drain(self); },
  };
}

} // namespace

front_desk_actor spawn_front(caf::actor_system& system, front_settings settings) {
  return system.spawn(front, std::move(settings));
}

} // namespace tune
