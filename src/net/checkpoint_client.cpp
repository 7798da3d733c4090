// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/checkpoint_client.hpp"

#include "departure_book.hpp"
#include "head_silence.hpp"
#include "held_writes.hpp"
#include "packer_pool.hpp"
#include "shared_storages.hpp"

#include "tune/actors/firm.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace tune {

namespace {

using keep_promise = caf::typed_response_promise<draft_kept>;
using artifacts_promise = caf::typed_response_promise<artifacts_kept>;

/// A checkpoint on the way from the head.
struct arrival {
  prepare_attempt what;
  caf::typed_response_promise<attempt_prepared> asker;
};

/// The answer to somebody whose work failed.
template <class Answer>
Answer failure(const std::string& why) {
  if constexpr (std::is_same_v<Answer, draft_kept>)
    return {{}, why};
  else
    return {why};
}

template <class Self>
checkpoint_client_impl me(Self* self) {
  return caf::actor_cast<checkpoint_client_impl>(self);
}

struct checkpoint_client_state {
  static inline const char* name = "tune.checkpoint_client";

  monitors watched;
  checkpoint_client_impl::pointer self = nullptr;
  checkpoint_server_actor checkpoint_server;
  checkpoint_client_settings settings;
  packer_pool packers;
  shared_storages<arrival> storages;
  held_writes held;
  departure_book departures;
  std::map<std::uint64_t, arrival> arrivals;
  std::uint64_t last_number = 0;
  /// Why nothing goes to the head any more; empty: the connection is open.
  std::string closed;
  head_silence silence;

  [[nodiscard]] bool is_open() const { return !settings.gate || settings.gate->is_open(); }

  template <class Words>
  void ask(Words words) {
    // A message that is not sent while the gate is shut is repeated to the next checkpoint server.
    if (!closed.empty() || !is_open())
      return tick_later();
    send(self, checkpoint_server, std::move(words), caf::actor_cast<checkpoint_peer_actor>(self));
    tick_later();
  }

  // -- Before an attempt begins.

  void prepare(arrival wanted) {
    const auto who = wanted.what.who;
    if (storages.is_known(who.job) || !settings.share || !closed.empty())
      return make_ready(std::move(wanted));
    if (!storages.wait(who.job, std::move(wanted)))
      return;
    storages.asked(++last_number, who.job);
    ask(storage_question{last_number, who});
  }

  void hear(const storage_answer& x) {
    silence.end();
    const auto job = storages.answered(x.number);
    if (job.empty())
      return;
    // The head does not accept this attempt's claim; it may accept another's.
    if (!x.why.empty())
      return know(job, {});
    packers.ask<bool>(
        self, job, x,
        [this, job, where = x.directory](bool is_shared) {
          know(job, is_shared ? where : std::string{});
        },
        [this, job](const std::string&, bool) { know(job, {}); });
  }

  void know(const std::string& job, const std::filesystem::path& shared) {
    for (auto& x : storages.know(job, shared))
      make_ready(std::move(x));
  }

  void make_ready(arrival wanted) {
    const auto& who = wanted.what.who;
    const auto& shared = storages.of(who.job);
    if (!shared.empty() || who.restore_from.starts_with(kept_in_memory))
      return check_here(shared, wanted);
    if (who.restore_from.empty()) {
      wanted.asker.deliver(attempt_prepared{wanted.what.directory, {}, {}, false});
    } else if (!closed.empty()) {
      wanted.asker.deliver(attempt_prepared{{}, {}, closed, false});
    } else {
      checkpoint_wanted words{++last_number, who};
      arrivals.emplace(last_number, std::move(wanted));
      ask(std::move(words));
    }
  }

  void check_here(const std::filesystem::path& shared, const arrival& wanted) {
    auto asker = wanted.asker;
    auto what = wanted.what;
    if (!shared.empty())
      what.directory = shared;
    packers.ask<attempt_prepared>(
        self, what.who.job, what, [asker](const attempt_prepared& x) mutable { asker.deliver(x); },
        [asker](const std::string& why, bool is_passing) mutable {
          asker.deliver(attempt_prepared{{}, {}, why, false, is_passing});
        });
  }

  void hear(const checkpoint_found& x) {
    silence.end();
    auto known = arrivals.find(x.number);
    if (known == arrivals.end())
      return;
    if (!x.why.empty())
      return end_arrival(known->first, attempt_prepared{{}, {}, x.why, x.is_bad, x.is_passing});
    auto whom = packers.take(self, known->second.what.who.job);
    if (!whom)
      return end_arrival(known->first,
                         attempt_prepared{{}, {}, to_text(whom.error()), false, true});
    send(self, *whom, bring_order{x.number, known->second.what, x.stream}, me(self));
  }

  void hear(checkpoint_piece& x) {
    silence.end();
    if (auto known = arrivals.find(x.number); known != arrivals.end())
      packers.tell(self, known->second.what.who.job, std::move(x), me(self));
  }

  void hear(const brought& x) {
    ask(checkpoint_dropped{x.number});
    end_arrival(x.number, x.how);
  }

  void end_arrival(std::uint64_t number, const attempt_prepared& how) {
    if (auto known = arrivals.extract(number))
      known.mapped().asker.deliver(how);
  }

  // -- Checkpoints that were written.

  /// Calls `go` now, or once the head is back if that writes into a directory shared with it.
  template <class Answer, class Go>
  auto write(const attempt_claim& who, Go go) {
    auto asker = self->make_response_promise<Answer>();
    if (is_open() || !closed.empty() || storages.of(who.job).empty())
      go(asker);
    else
      held.add({who, [go, asker]() mutable { go(asker); },
                [asker](const std::string& why) mutable { asker.deliver(failure<Answer>(why)); }});
    return asker;
  }

  auto copy(const copy_draft& what) {
    return write<draft_copied>(what.who,
                               [=, this](const auto& asker) { packers.copy(self, what, asker); });
  }
  auto keep(const keep_draft& what) {
    return write<draft_kept>(what.who, [=, this](const auto& asker) { keep(what, asker); });
  }

  void keep(const keep_draft& what, keep_promise asker) {
    const auto& where = storages.of(what.who.job);
    const auto& goes_to = what.on_disk.empty() ? what.what.experiment : what.on_disk;
    const auto is_shared = !where.empty() && goes_to == where;
    const auto number = ++last_number;
    packers.ask<packed>(
        self, what.who.job, pack_order{number, what, is_shared},
        [=, this](const packed& x) { send_off(number, what.who, is_shared, x, asker); },
        [=](const std::string& why, bool) mutable { asker.deliver(failure<draft_kept>(why)); });
  }

  void send_off(std::uint64_t number, const attempt_claim& who, bool is_shared, const packed& x,
                keep_promise asker) {
    const auto stays = x.kept.what.location.starts_with(kept_in_memory);
    if (is_shared || stays || !x.kept.why.empty()) {
      asker.deliver(x.kept);
      return;
    }
    auto settle = [kept = x.kept, asker](const std::string& why) mutable {
      asker.deliver(why.empty() ? kept : draft_kept{{}, why});
    };
    depart({number, who, x.sequence, x.stream}, std::move(settle));
  }

  void depart(const checkpoint_offer& offer, std::function<void(const std::string& why)> settle) {
    departures.add({offer, std::move(settle)});
    if (!closed.empty())
      return end_departure(offer.number, closed);
    ask(offer);
  }

  // -- Artifacts of an attempt.

  /// They go to the head also if its directory is reachable here: all attempts of a trial have the
  /// same place for them, and only the head knows whether this one still counts.
  artifacts_promise keep(const keep_artifacts& what) {
    artifacts_promise asker = self->make_response_promise<artifacts_kept>();
    const auto number = ++last_number;
    packers.ask<packed_artifacts>(
        self, what.who.job, pack_artifacts{number, what},
        [=, this](const packed_artifacts& x) { send_off(number, what.who, x, asker); },
        [=](const std::string& why, bool) mutable { asker.deliver(failure<artifacts_kept>(why)); });
    return asker;
  }

  void send_off(std::uint64_t number, const attempt_claim& who, const packed_artifacts& x,
                artifacts_promise asker) {
    if (!x.travels) {
      asker.deliver(artifacts_kept{x.why});
      return;
    }
    auto settle = [left = x.why, asker](const std::string& why) mutable {
      asker.deliver(artifacts_kept{why.empty() ? left : why});
    };
    depart({number, who, 0, x.stream}, std::move(settle));
  }

  void hear(const piece_wanted& x) {
    silence.end();
    const auto job = departures.job_of(x.number);
    const auto* whom = job.empty() ? nullptr : packers.of(job);
    if (whom == nullptr)
      return ask(checkpoint_piece{x.number, x.offset, {}, "there is no such piece", false});
    request(self, *whom, caf::infinite, x)
        .then([this](checkpoint_piece& piece) { ask(std::move(piece)); },
              [](const caf::error&) {}); // A packer ends only with its checkpoint client.
  }

  void hear(const checkpoint_settled& x) {
    silence.end();
    end_departure(x.number, x.why);
  }

  void end_departure(std::uint64_t number, const std::string& why) {
    const auto known = departures.take(number);
    if (!known)
      return;
    packers.tell(self, known->offer.who.job, unpack_order{number, why.empty()}, me(self));
    known->settle(why.empty() || known->dropped.empty() ? why : known->dropped);
  }

  // -- A head that was out of reach.

  /// Begins all transfers under way anew.
  void resume(const checkpoint_server_actor& to) {
    checkpoint_server = to;
    silence.end();
    held.let_go();
    for (const auto& [number, job] : storages.questions())
      ask(storage_question{number, storages.asker(job).what.who});
    for (const auto& [number, x] : departures.all()) {
      ask(x.offer);
      if (!x.dropped.empty())
        ask(checkpoint_dropped{number});
    }
    for (const auto& [number, x] : arrivals) {
      packers.tell(self, x.what.who.job, checkpoint_dropped{number}, me(self));
      ask(checkpoint_wanted{number, x.what.who});
    }
  }

  // -- The end of transfers.

  /// Drops the checkpoints of an attempt that was ended by force. The head answers for each one
  /// that it was offered: what it had stored by then is kept.
  void drop(const saves_dropped& what) {
    held.drop(what.who, saves_dropped::why);
    packers.tell(self, what.who.job, what);
    for (auto number : departures.drop(what.who))
      ask(checkpoint_dropped{number});
  }

  /// Fails all transfers under way.
  void give_up(const std::string& why) {
    held.give_up(why);
    for (const auto& [number, job] : storages.take_questions())
      know(job, {});
    while (!departures.all().empty()) {
      const auto number = departures.all().begin()->first;
      ask(checkpoint_dropped{number});
      end_departure(number, why);
    }
    while (!arrivals.empty()) {
      const auto& [number, x] = *arrivals.begin();
      ask(checkpoint_dropped{number});
      packers.tell(self, x.what.who.job, checkpoint_dropped{number}, me(self));
      end_arrival(number, attempt_prepared{{}, {}, why, false});
    }
  }

  void close(const std::string& why) {
    give_up(why);
    closed = why;
    // Attempts that waited for the storage have asked for their checkpoints again.
    give_up(why);
  }

  [[nodiscard]] bool is_busy() const {
    return !storages.questions().empty() || !departures.all().empty() || !arrivals.empty();
  }

  void tick_later() {
    if (is_busy() && silence.is_to_be_counted())
      delayed_send(self, me(self), settings.patience / head_silence::most, tick_atom_v);
  }

  /// Gives up after long silence: an attempt must end even if its head takes nothing but stays in
  /// reach.
  void tick() {
    // A head that is away is waited for as long as its attempts go on.
    if (silence.is_too_long(is_busy() && is_open()))
      give_up(head_silence::text(settings.patience));
    tick_later();
  }
};

checkpoint_client_impl::behavior_type
checkpoint_client(checkpoint_client_impl::stateful_pointer<checkpoint_client_state> self,
                  const checkpoint_server_actor& checkpoint_server,
                  const checkpoint_client_settings& settings) {
  auto& state = state_of(self);
  state.self = self;
  state.checkpoint_server = checkpoint_server;
  state.settings = settings;
  state.packers.init(settings);
  stand_firm(self);
  state.watched.init(self);
  if (checkpoint_server && !settings.gate)
    state.watched.watch(self, checkpoint_server, [&state](const caf::error&) {
      state.close("the connection to the head was lost");
    });
  else if (!checkpoint_server)
    state.closed = "the head keeps no checkpoints";
  return {
      [self, &state](const prepare_attempt& x) {
        auto asker = self->make_response_promise<attempt_prepared>();
        state.prepare({x, asker});
        return asker;
      },
      [&state](const copy_draft& x) { return state.copy(x); },
      [&state](const keep_draft& x) { return state.keep(x); },
      [&state](const keep_artifacts& x) { return state.keep(x); },
      [self, &state](const gather_exported& x) { return state.packers.answer(self, x); },
      [self, &state](const drop_directory& x) { state.packers.order(self, x.who.job, x); },
      [self, &state](const attempt_left& x) { state.packers.order(self, x.who.job, x, me(self)); },
      [self, &state](const forget_paused& x) { state.packers.forget(self, x); },
      [self, &state](const job_over& x) {
        state.storages.erase(x.job);
        state.packers.end_job(self, x);
      },
      [&state](const saves_dropped& x) { state.drop(x); },
      [self, &state](leave_atom) {
        state.packers.leave(self);
        state.close("its node leaves");
      },
      [&state](const storage_answer& x) { state.hear(x); },
      [&state](const piece_wanted& x) { state.hear(x); },
      [&state](const checkpoint_settled& x) { state.hear(x); },
      [&state](const checkpoint_found& x) { state.hear(x); },
      [&state](checkpoint_piece& x) { state.hear(x); },
      [&state](const ask_head& x) { state.ask(x.what); },
      [self, &state](const tidy_wanted& x) { state.packers.tell(self, x.job, x); },
      [&state](const brought& x) { state.hear(x); },
      [&state](tick_atom) { state.tick(); },
      [&state](const checkpoint_server_actor& to) { state.resume(to); },
  };
}

} // namespace

checkpoint_service_actor spawn_checkpoint_client(caf::actor_system& system,
                                                 checkpoint_server_actor checkpoint_server,
                                                 checkpoint_client_settings settings) {
  return checkpoint_service_actor{
      system.spawn(checkpoint_client, std::move(checkpoint_server), std::move(settings))};
}

void reconnect(const checkpoint_service_actor& whom, const checkpoint_server_actor& to) {
  send_from_outside(caf::actor_cast<checkpoint_client_impl>(whom), to);
}

} // namespace tune
