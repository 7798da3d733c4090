// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint_disk_worker.hpp"

#include "checkpoint_places.hpp"

#include "tune/actors/slow_rounds.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tune {

namespace {

using disk_worker_impl = extend<disk_worker_actor,
                                // A timer tick.
                                caf::result<void>(flush_atom),
                                // Asks for the next slice of work.
                                caf::result<void>(tick_atom)>;

/// Limits of one worker, for one job.
constexpr std::size_t most_offers = 10'000;
constexpr std::size_t most_given = 1'000;
/// Checkpoints of a worker that may come at a time.
constexpr std::size_t most_arrivals = 64;
/// Checks per `patience` for incoming pieces.
constexpr unsigned most_idle_ticks = 6;

/// An incoming checkpoint.
struct arrival {
  attempt_claim who;
  /// Empty while the checkpoint is being put into its place.
  std::optional<incoming_checkpoint> from;
};

/// Transfers of one worker.
struct peer_business {
  checkpoint_peer_actor who;
  std::deque<checkpoint_offer> offers;
  /// At most one per trial; they take turns, a piece each.
  std::map<std::uint64_t, arrival> arrivals;
  std::deque<std::uint64_t> turns;
  /// Checkpoints that are given out.
  std::map<std::uint64_t, checkpoint_reader> given;
};

struct disk_worker_state {
  static inline const char* name = "tune.checkpoint_disk_worker";

  std::unique_ptr<checkpoint_places> places;
  disk_worker_impl::pointer self = nullptr;
  std::chrono::milliseconds patience{0};
  std::size_t credit = 1;
  slow_tasks<disk_worker_impl> works;
  checkpoint_server_impl speaker;
  monitors watched;
  std::map<caf::actor_addr, peer_business> peers;
  bool ticking = false;
  static constexpr const char* over = "the experiment is over";
  static constexpr const char* given_up = "the head has given the attempt up";
  static constexpr const char* unwanted = "nobody waits for it";

  template <class Words>
  void say(const peer_business& to, Words words) {
    send(self, speaker, checkpoint_server_words{std::move(words)}, to.who);
  }

  peer_business& business_with(const checkpoint_peer_actor& who) {
    auto [at, is_new] = peers.try_emplace(who.address());
    if (is_new) {
      at->second.who = who;
      watched.watch(self, who, [this, where = who.address()](const caf::error&) { lose(where); });
    }
    return at->second;
  }

  /// Forgets a worker. A checkpoint that is being placed is given up, too: it will be offered
  /// again.
  void lose(const caf::actor_addr& where) {
    auto gone = peers.extract(where);
    if (gone.empty())
      return;
    for (const auto& [number, x] : gone.mapped().arrivals) {
      if (!x.from)
        works.drop(attempt_claim{x.who}, "the connection to its worker broke");
    }
  }

  /// Drops older arrivals of the same attempt and rank: its worker has reconnected, and the break
  /// of the old connection may not have been noticed yet.
  void replace_older(const peer_business& by, const attempt_claim& who) {
    const auto owner = slow_rounds::owner_of(who);
    for (auto& [where, of] : peers) {
      std::vector<std::uint64_t> older;
      for (const auto& [number, x] : of.arrivals) {
        if (&of != &by && slow_rounds::owner_of(x.who) == owner)
          older.push_back(number);
      }
      for (auto number : older) {
        std::erase(of.turns, number);
        auto gone = of.arrivals.extract(number);
        if (!gone.mapped().from)
          works.drop(attempt_claim{gone.mapped().who}, "it is offered anew");
      }
    }
  }

  void hear(peer_business& of, const storage_question& x) { say(of, places->tell(x)); }

  // -- Incoming checkpoints.

  void hear(peer_business& of, const checkpoint_offer& x) {
    if (of.offers.size() >= most_offers)
      return say(of, checkpoint_settled{x.number, "too many checkpoints wait for the head"});
    of.offers.push_back(x);
    begin_next(of);
  }

  /// Whether a checkpoint of the same trial is coming.
  [[nodiscard]] static bool has_one_of(const peer_business& of, const attempt_claim& who) {
    return std::any_of(of.arrivals.begin(), of.arrivals.end(), [&](const auto& x) {
      return x.second.who.job == who.job && x.second.who.trial == who.trial;
    });
  }

  void begin_next(peer_business& of) {
    for (auto next = of.offers.begin();
         next != of.offers.end() && of.arrivals.size() < most_arrivals;) {
      if (has_one_of(of, next->who)) {
        ++next;
        continue;
      }
      const auto offer = std::move(*next);
      next = of.offers.erase(next);
      begin(of, offer);
    }
    pump(of);
  }

  void begin(peer_business& of, const checkpoint_offer& offer) {
    replace_older(of, offer.who);
    if (places->has(offer))
      return say(of, checkpoint_settled{offer.number, {}});
    auto begun = of.arrivals.contains(offer.number)
                     ? expected<incoming_checkpoint>{error{ec::protocol, "it is offered twice"}}
                     : places->begin(offer);
    if (!begun)
      return say(of, checkpoint_settled{offer.number, to_text(begun.error())});
    of.arrivals.emplace(offer.number, arrival{offer.who, std::move(*begun)});
    of.turns.push_back(offer.number);
    time_later();
  }

  /// Asks for pieces of all incoming checkpoints in turns, as far as there is credit.
  void pump(peer_business& of) {
    std::size_t under_way = 0;
    for (const auto& [number, x] : of.arrivals)
      under_way += x.from ? x.from->under_way() : 0;
    for (auto idle = std::size_t{0}; under_way < credit && idle < of.turns.size();) {
      const auto number = of.turns.front();
      of.turns.pop_front();
      of.turns.push_back(number);
      auto& from = of.arrivals.at(number).from;
      auto next = from ? from->next_due() : std::nullopt;
      idle = next ? 0 : idle + 1;
      under_way += next ? 1 : 0;
      if (next)
        say(of, *next);
    }
  }

  void hear(peer_business& of, const checkpoint_piece& x) {
    auto known = of.arrivals.find(x.number);
    if (known == of.arrivals.end() || !known->second.from)
      return;
    auto& from = known->second.from;
    if (auto taken = from->take(x); !taken)
      return settle(of, x.number, to_text(taken.error()));
    if (!from->is_complete())
      return pump(of);
    place(of, x.number);
  }

  /// Places a complete checkpoint, in slices, since syncing may take long.
  void place(peer_business& of, std::uint64_t number) {
    auto& which = of.arrivals.at(number);
    auto work = incoming_checkpoint::placing(std::move(*which.from));
    which.from.reset();
    auto then = [this, who = of.who.address(), number](const expected<std::uint64_t>& done) {
      auto known = peers.find(who);
      if (known != peers.end() && known->second.arrivals.contains(number))
        settle(known->second, number, done ? std::string{} : to_text(done.error()));
    };
    works.begin<expected<std::uint64_t>>(self, slow_rounds::owner_of(which.who), std::move(work),
                                         then, [](const std::string& why) {
                                           return error{ec::unreachable, why};
                                         });
    pump(of);
  }

  void settle(peer_business& of, std::uint64_t number, std::string why) {
    say(of, checkpoint_settled{number, std::move(why)});
    forget(of, number);
    begin_next(of);
  }

  static void forget(peer_business& of, std::uint64_t number) {
    of.arrivals.erase(number);
    std::erase(of.turns, number);
  }

  /// Answers for a checkpoint that is not stored yet; for one that is, the answer is on its way.
  void hear(peer_business& of, const checkpoint_dropped& x) {
    of.given.erase(x.number);
    auto is_meant = [&](const checkpoint_offer& offer) { return offer.number == x.number; };
    if (std::erase_if(of.offers, is_meant) != 0)
      return say(of, checkpoint_settled{x.number, unwanted});
    auto known = of.arrivals.find(x.number);
    if (known == of.arrivals.end())
      return;
    if (known->second.from)
      settle(of, x.number, unwanted);
    else
      works.drop(attempt_claim{known->second.who}, unwanted);
  }

  // -- Outgoing checkpoints.

  void hear(peer_business& of, const checkpoint_wanted& x) {
    checkpoint_found answer;
    answer.number = x.number;
    if (of.given.size() >= most_given) {
      answer.why = "too many checkpoints are on their way";
      answer.is_passing = true;
      return say(of, std::move(answer));
    }
    auto opened = places->open(x);
    if (opened) {
      answer.stream = to_words(opened->outline());
      of.given.insert_or_assign(x.number, std::move(*opened));
    } else {
      answer.is_passing = opened.error().code == ec::shortage;
      answer.is_bad = !answer.is_passing && opened.error().code != ec::refused;
      answer.why = to_text(opened.error());
    }
    say(of, std::move(answer));
  }

  void hear(peer_business& of, const piece_wanted& x) {
    checkpoint_piece answer{x.number, x.offset, {}, {}, false};
    auto known = of.given.find(x.number);
    if (known == of.given.end() || x.size > max_chunk_bytes) {
      answer.why = "there is no such piece";
    } else {
      auto bytes = known->second.read(x.offset, x.size);
      if (bytes) {
        answer.bytes = std::move(*bytes);
      } else {
        answer.why = to_text(bytes.error());
        answer.is_passing = bytes.error().code == ec::shortage;
      }
    }
    say(of, std::move(answer));
  }

  // -- The end of transfers.

  void withdraw(const std::string& job) {
    places->remove(job);
    works.drop_job(job, over);
    drop_arrivals(over, [&](const attempt_claim& x) { return x.job == job; });
  }

  /// Stops an attempt's transfers. Its worker may not know yet that it was given up.
  void give_up(const attempt_claim& who) {
    places->give_up(who.job, trial_id{who.trial}, who.attempt);
    works.drop_attempt(who, given_up);
    drop_arrivals(given_up,
                  [&](const attempt_claim& x) { return slow_rounds::are_of_one_attempt(x, who); });
  }

  template <class Predicate>
  void drop_arrivals(const char* why, Predicate is_meant) {
    for (auto& [where, of] : peers) {
      std::vector<std::uint64_t> gone;
      for (const auto& [number, x] : of.arrivals) {
        if (is_meant(x.who))
          gone.push_back(number);
      }
      for (auto number : gone)
        settle(of, number, why);
    }
  }

  void time_later() {
    if (!std::exchange(ticking, true))
      delayed_send(self, disk_worker_impl{self}, patience / most_idle_ticks, flush_atom_v);
  }

  void pass_time() {
    ticking = false;
    auto is_busy = false;
    for (auto& [where, of] : peers) {
      std::vector<std::uint64_t> silent;
      for (auto& [number, x] : of.arrivals) {
        if (x.from && x.from->tick() > most_idle_ticks)
          silent.push_back(number);
      }
      for (auto number : silent)
        settle(of, number, "nothing of the checkpoint came for " + seconds(patience));
      is_busy = is_busy || !of.arrivals.empty();
    }
    if (is_busy)
      time_later();
  }

  static std::string seconds(std::chrono::milliseconds x) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(x).count()) + " s";
  }
};

disk_worker_impl::behavior_type
disk_worker(disk_worker_impl::stateful_pointer<disk_worker_state> self,
            const checkpoint_server_settings& settings, const checkpoint_server_impl& speaker) {
  auto& state = state_of(self);
  state.self = self;
  state.places = std::make_unique<checkpoint_places>(
      settings.secret, incoming_limits{settings.piece_bytes, settings.credit});
  state.patience = settings.patience;
  state.credit = std::max<std::size_t>(settings.credit, 1);
  state.speaker = speaker;
  state.watched.init(self);
  return {
      [&state](const job_place& x) { state.places->add(x); },
      [&state](const worker_message& x, const checkpoint_peer_actor& who) {
        auto& of = state.business_with(who);
        std::visit([&](const auto& words) { state.hear(of, words); }, x.what);
      },
      [&state](const attempt_given_up& x) {
        state.give_up(x.who);
        x.then();
      },
      [&state](const job_withdrawn& x) { state.withdraw(x.job); },
      [&state](flush_atom) { state.pass_time(); },
      [self, &state](tick_atom) { state.works.tick(self); },
  };
}

} // namespace

disk_worker_actor spawn_checkpoint_disk_worker(caf::actor_system& system,
                                               const checkpoint_server_settings& settings,
                                               const checkpoint_server_impl& speaker) {
  return disk_worker_actor{settings.own_thread
                               ? system.spawn<caf::detached>(disk_worker, settings, speaker)
                               : system.spawn(disk_worker, settings, speaker)};
}

} // namespace tune
