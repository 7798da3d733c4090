// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/vault.hpp"

#include "vault_shelves.hpp"

#include "tune/actors/firm.hpp"
#include "tune/actors/slow_rounds.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tune {

namespace {

/// What a worker says.
struct peer_words {
  std::variant<storage_question, checkpoint_offer, checkpoint_wanted, checkpoint_dropped,
               piece_wanted, checkpoint_piece>
      what;
};

/// What the clerk has the vault say to a worker.
struct vault_words {
  std::variant<storage_answer, checkpoint_settled, checkpoint_found, piece_wanted, checkpoint_piece>
      what;
};

/// Its head counts on it no more.
struct attempt_given_up {
  attempt_claim who;
  std::function<void()> then;
};

using vault_impl = extend<vault_desk_actor, caf::result<void>(vault_words, checkpoint_peer_actor),
                          caf::result<void>(attempt_given_up)>;

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_vault)
TUNE_LOCAL_TYPE(tune_vault, tune::peer_words)
TUNE_LOCAL_TYPE(tune_vault, tune::vault_words)
TUNE_LOCAL_TYPE(tune_vault, tune::attempt_given_up)
TUNE_LOCAL_HANDLE(tune_vault, tune::vault_impl)
TUNE_END_LOCAL_TYPES(tune_vault)

namespace tune {

namespace {

/// Of one worker.
constexpr std::size_t most_offers = 10'000;
constexpr std::size_t most_given = 1'000;
/// Checkpoints that come at a time.
constexpr std::size_t most_arrivals = 64;
/// A node has one courier, and a new one when it has joined anew.
constexpr long most_peers_of_node = 8;
/// How often it looks whether something came, while it has patience.
constexpr unsigned most_idle_ticks = 6;

/// Blocks on the disk; so it speaks to its vault only: see docs/decisions/0005.
using clerk_actor = typed_actor<caf::result<void>(vault_impl),
                                caf::result<void>(peer_words, checkpoint_peer_actor),
                                caf::result<void>(job_place), caf::result<void>(job_withdrawn),
                                caf::result<void>(attempt_given_up),
                                // Time passes.
                                caf::result<void>(flush_atom),
                                // The next slice.
                                caf::result<void>(tick_atom)>;

/// A checkpoint that comes.
struct arrival {
  attempt_claim who;
  /// Nothing: it is being put into its place.
  std::optional<incoming_checkpoint> from;
};

/// A worker's checkpoints on their way.
struct peer_business {
  checkpoint_peer_actor who;
  std::deque<checkpoint_offer> offers;
  /// Of each trial one at most; they take turns, each with a piece.
  std::map<std::uint64_t, arrival> arrivals;
  std::deque<std::uint64_t> turns;
  /// Those that are given out.
  std::map<std::uint64_t, checkpoint_reader> given;
};

struct clerk_state {
  static inline const char* name = "tune.vault_clerk";

  std::unique_ptr<vault_shelves> shelves;
  std::chrono::milliseconds patience{0};
  std::size_t credit = 1;
  slow_desk<clerk_actor> works;
  vault_impl speaker;
  monitors watched;
  std::map<caf::actor_addr, peer_business> peers;
  bool ticking = false;
  static constexpr const char* over = "the experiment is over";
  static constexpr const char* given_up = "the head has given the attempt up";

  template <class Self, class Words>
  void say(Self* self, const peer_business& to, Words words) {
    send(self, speaker, vault_words{std::move(words)}, to.who);
  }

  /// Whether it comes with a name of its own too often.
  [[nodiscard]] bool is_one_too_many(const checkpoint_peer_actor& who) const {
    auto lives_there = [&](const auto& x) { return x.first.node() == who.address().node(); };
    return !peers.contains(who.address())
           && std::count_if(peers.begin(), peers.end(), lives_there) >= most_peers_of_node;
  }

  template <class Self>
  peer_business& business_with(Self* self, const checkpoint_peer_actor& who) {
    auto [at, is_new] = peers.try_emplace(who.address());
    if (is_new) {
      at->second.who = who;
      watched.watch(self, who, [this, where = who.address()](const caf::error&) { lose(where); });
    }
    return at->second;
  }

  /// What was being put into its place is given up, too: it will be offered again.
  void lose(const caf::actor_addr& where) {
    auto gone = peers.extract(where);
    if (gone.empty())
      return;
    for (const auto& [number, x] : gone.mapped().arrivals) {
      if (!x.from)
        works.drop(attempt_claim{x.who}, "the connection to its worker broke");
    }
  }

  /// Whoever offers it again has come anew, and the break may not have been noticed yet. Another
  /// rank of the attempt is somebody else.
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

  template <class Self>
  void hear(Self* self, peer_business& of, const storage_question& x) {
    say(self, of, shelves->tell(x));
  }

  // -- Checkpoints that come.

  template <class Self>
  void hear(Self* self, peer_business& of, const checkpoint_offer& x) {
    if (of.offers.size() >= most_offers)
      return say(self, of, checkpoint_settled{x.number, "too many checkpoints wait for the head"});
    of.offers.push_back(x);
    begin_next(self, of);
  }

  /// Whether a checkpoint of the same trial comes.
  [[nodiscard]] static bool has_one_of(const peer_business& of, const attempt_claim& who) {
    return std::any_of(of.arrivals.begin(), of.arrivals.end(), [&](const auto& x) {
      return x.second.who.job == who.job && x.second.who.trial == who.trial;
    });
  }

  template <class Self>
  void begin_next(Self* self, peer_business& of) {
    for (auto next = of.offers.begin();
         next != of.offers.end() && of.arrivals.size() < most_arrivals;) {
      if (has_one_of(of, next->who)) {
        ++next;
        continue;
      }
      const auto offer = std::move(*next);
      next = of.offers.erase(next);
      begin(self, of, offer);
    }
    pump(self, of);
  }

  template <class Self>
  void begin(Self* self, peer_business& of, const checkpoint_offer& offer) {
    replace_older(of, offer.who);
    if (shelves->has(offer))
      return say(self, of, checkpoint_settled{offer.number, {}});
    auto begun = of.arrivals.contains(offer.number)
                     ? expected<incoming_checkpoint>{error{ec::protocol, "it is offered twice"}}
                     : shelves->begin(offer);
    if (!begun)
      return say(self, of, checkpoint_settled{offer.number, to_text(begun.error())});
    of.arrivals.emplace(offer.number, arrival{offer.who, std::move(*begun)});
    of.turns.push_back(offer.number);
    time_later(self);
  }

  /// Asks for pieces of all that come in turns, as many as there is credit for.
  template <class Self>
  void pump(Self* self, peer_business& of) {
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
        say(self, of, *next);
    }
  }

  template <class Self>
  void hear(Self* self, peer_business& of, const checkpoint_piece& x) {
    auto known = of.arrivals.find(x.number);
    if (known == of.arrivals.end() || !known->second.from)
      return;
    auto& from = known->second.from;
    if (auto taken = from->take(x); !taken)
      return settle(self, of, x.number, to_text(taken.error()));
    if (!from->is_complete())
      return pump(self, of);
    place(self, of, x.number);
  }

  /// Syncing may take long.
  template <class Self>
  void place(Self* self, peer_business& of, std::uint64_t number) {
    auto& which = of.arrivals.at(number);
    auto work = incoming_checkpoint::placing(std::move(*which.from));
    which.from.reset();
    auto then = [this, self, who = of.who.address(), number](const expected<std::uint64_t>& done) {
      auto known = peers.find(who);
      if (known != peers.end() && known->second.arrivals.contains(number))
        settle(self, known->second, number, done ? std::string{} : to_text(done.error()));
    };
    works.begin<expected<std::uint64_t>>(self, slow_rounds::owner_of(which.who), std::move(work),
                                         then, [](const std::string& why) {
                                           return error{ec::unreachable, why};
                                         });
    pump(self, of);
  }

  template <class Self>
  void settle(Self* self, peer_business& of, std::uint64_t number, std::string why) {
    say(self, of, checkpoint_settled{number, std::move(why)});
    forget(of, number);
    begin_next(self, of);
  }

  static void forget(peer_business& of, std::uint64_t number) {
    of.arrivals.erase(number);
    std::erase(of.turns, number);
  }

  template <class Self>
  void hear(Self* self, peer_business& of, const checkpoint_dropped& x) {
    of.given.erase(x.number);
    std::erase_if(of.offers, [&](const auto& offer) { return offer.number == x.number; });
    auto known = of.arrivals.find(x.number);
    if (known != of.arrivals.end() && !known->second.from)
      works.drop(attempt_claim{known->second.who}, "nobody waits for it");
    forget(of, x.number);
    begin_next(self, of);
  }

  // -- Checkpoints that are given out.

  template <class Self>
  void hear(Self* self, peer_business& of, const checkpoint_wanted& x) {
    checkpoint_found answer;
    answer.number = x.number;
    if (of.given.size() >= most_given) {
      answer.why = "too many checkpoints are on their way";
      answer.is_passing = true;
      return say(self, of, std::move(answer));
    }
    auto opened = shelves->open(x);
    if (opened) {
      answer.stream = to_words(opened->outline());
      of.given.insert_or_assign(x.number, std::move(*opened));
    } else {
      answer.is_passing = opened.error().code == ec::shortage;
      answer.is_bad = !answer.is_passing && opened.error().code != ec::refused;
      answer.why = to_text(opened.error());
    }
    say(self, of, std::move(answer));
  }

  template <class Self>
  void hear(Self* self, peer_business& of, const piece_wanted& x) {
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
    say(self, of, std::move(answer));
  }

  // -- The end of it.

  template <class Self>
  void withdraw(Self* self, const std::string& job) {
    shelves->remove(job);
    works.drop_job(job, over);
    drop_arrivals(self, over, [&](const attempt_claim& x) { return x.job == job; });
  }

  /// Its worker may not have heard of it, or not yet.
  template <class Self>
  void give_up(Self* self, const attempt_claim& who) {
    shelves->give_up(who.job, trial_id{who.trial}, who.attempt);
    works.drop_attempt(who, given_up);
    drop_arrivals(self, given_up,
                  [&](const attempt_claim& x) { return slow_rounds::are_of_one_attempt(x, who); });
  }

  template <class Self, class Predicate>
  void drop_arrivals(Self* self, const char* why, Predicate is_meant) {
    for (auto& [where, of] : peers) {
      std::vector<std::uint64_t> gone;
      for (const auto& [number, x] : of.arrivals) {
        if (is_meant(x.who))
          gone.push_back(number);
      }
      for (auto number : gone)
        settle(self, of, number, why);
    }
  }

  template <class Self>
  void time_later(Self* self) {
    if (!std::exchange(ticking, true))
      delayed_send(self, caf::actor_cast<clerk_actor>(self), patience / most_idle_ticks,
                   flush_atom_v);
  }

  template <class Self>
  void pass_time(Self* self) {
    ticking = false;
    auto is_busy = false;
    for (auto& [where, of] : peers) {
      std::vector<std::uint64_t> silent;
      for (auto& [number, x] : of.arrivals) {
        if (x.from && x.from->tick() > most_idle_ticks)
          silent.push_back(number);
      }
      for (auto number : silent)
        settle(self, of, number, "nothing of the checkpoint came for " + seconds(patience));
      is_busy = is_busy || !of.arrivals.empty();
    }
    if (is_busy)
      time_later(self);
  }

  static std::string seconds(std::chrono::milliseconds x) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(x).count()) + " s";
  }
};

clerk_actor::behavior_type clerk(clerk_actor::stateful_pointer<clerk_state> self,
                                 const vault_settings& settings) {
  auto& state = state_of(self);
  state.shelves = std::make_unique<vault_shelves>(
      settings.secret, incoming_limits{settings.piece_bytes, settings.credit});
  state.patience = settings.patience;
  state.credit = std::max<std::size_t>(settings.credit, 1);
  state.watched.init(self);
  return {
      [&state](const vault_impl& speaker) { state.speaker = speaker; },
      [self, &state](const peer_words& x, const checkpoint_peer_actor& who) {
        if (state.is_one_too_many(who))
          return;
        auto& of = state.business_with(self, who);
        std::visit([&](const auto& words) { state.hear(self, of, words); }, x.what);
      },
      [&state](const job_place& x) { state.shelves->add(x); },
      [self, &state](const job_withdrawn& x) { state.withdraw(self, x.job); },
      [self, &state](const attempt_given_up& x) {
        state.give_up(self, x.who);
        x.then();
      },
      [self, &state](flush_atom) { state.pass_time(self); },
      [self, &state](tick_atom) { state.works.tick(self); },
  };
}

struct vault_state {
  static inline const char* name = "tune.vault";
};

/// A handler that hands what a worker says to the clerk.
template <class Words, class Self>
auto hands_over(Self* self, const clerk_actor& to) {
  return [self, to](Words& x, const checkpoint_peer_actor& who) {
    if (is_of_sender(self, who))
      send(self, to, peer_words{std::move(x)}, who);
  };
}

vault_impl::behavior_type vault(vault_impl::stateful_pointer<vault_state> self,
                                const clerk_actor& works) {
  stand_firm(self);
  share_end(self, works);
  send(self, works, caf::actor_cast<vault_impl>(self));
  return {
      hands_over<storage_question>(self, works),
      hands_over<checkpoint_offer>(self, works),
      hands_over<checkpoint_wanted>(self, works),
      hands_over<checkpoint_dropped>(self, works),
      hands_over<piece_wanted>(self, works),
      hands_over<checkpoint_piece>(self, works),
      [self, works](const job_place& x) { send(self, works, x); },
      [self, works](const job_withdrawn& x) { send(self, works, x); },
      [self](vault_words& x, const checkpoint_peer_actor& who) {
        std::visit([&](auto& words) { send(self, who, std::move(words)); }, x.what);
      },
      [self, works](const attempt_given_up& x) { send(self, works, x); },
  };
}

} // namespace

vault_desk_actor spawn_vault(caf::actor_system& system, vault_settings settings) {
  auto works = settings.own_thread ? system.spawn<caf::detached>(clerk, settings)
                                   : system.spawn(clerk, settings);
  return vault_desk_actor{system.spawn(vault, works)};
}

void give_up(const vault_desk_actor& whom, const std::string& job, trial_id trial,
             attempt_id attempt, std::function<void()> then) {
  attempt_given_up what;
  what.who.job = job;
  what.who.trial = trial.number;
  what.who.attempt = attempt;
  what.then = std::move(then);
  send_from_outside(caf::actor_cast<vault_impl>(whom), std::move(what));
}

} // namespace tune
