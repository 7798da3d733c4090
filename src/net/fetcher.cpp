// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/fetcher.hpp"

#include "fetch_list.hpp"
#include "job_id.hpp"

#include "tune/actors/firm.hpp"
#include "tune/io/files/job_directories.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace tune {

namespace {

/// What the writer has the fetcher pass on.
using fetcher_impl
    = extend<fetcher_actor, caf::result<void>(job_found), caf::result<void>(job_failed),
             caf::result<void>(chunk), caf::result<void>(chunk_failed),
             caf::result<void>(job_request, depot_actor),
             caf::result<void>(chunk_request, depot_actor)>;

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_fetcher)
TUNE_LOCAL_HANDLE(tune_fetcher, tune::fetcher_impl)
TUNE_END_LOCAL_TYPES(tune_fetcher)

namespace tune {

namespace {

/// Blocks on the disk; its fetcher speaks to depots for it, because a detached actor must not be
/// known beyond its process: in CAF 0.17 the network may keep a last message of it when the system
/// ends, which then waits for that actor's thread for ever.
using writer_actor = typed_actor<caf::result<fetched_job>(fetch_job, depot_actor, fetcher_impl),
                                 caf::result<void>(job_found), caf::result<void>(job_failed),
                                 caf::result<void>(chunk), caf::result<void>(chunk_failed),
                                 caf::result<void>(job_dropped), caf::result<void>(tick_atom)>;

using promise = caf::typed_response_promise<fetched_job>;

/// A depot, and what is fetched from it. It stays until the depot is gone.
struct depot_link {
  depot_actor depot;
  std::unique_ptr<fetch_list> list;
  /// Who waits for which job.
  std::multimap<std::string, promise> askers;
};

struct writer_state {
  static inline const char* name = "tune.writer";

  fetcher_settings settings;
  std::unique_ptr<content_store> store;
  fetcher_impl speaker;
  monitors watched;
  std::map<caf::actor_addr, depot_link> links;
  /// How many have a job, or want it.
  std::map<std::string, std::size_t> users;
  std::uint64_t numbers = 0;
  bool ticking = false;

  template <class Self>
  depot_link& link_to(Self* self, const depot_actor& depot) {
    auto [at, is_new] = links.try_emplace(depot.address());
    if (is_new) {
      at->second.depot = depot;
      at->second.list = std::make_unique<fetch_list>(*store, settings, numbers);
      watched.watch(self, depot,
                    [this, where = depot.address()](const caf::error&) { lose(where); });
    }
    return at->second;
  }

  template <class Self>
  promise fetch(Self* self, const std::string& job, const depot_actor& depot) {
    auto result = self->template make_response_promise<fetched_job>();
    ++users[job];
    if (!depot) {
      result.deliver(fetched_job{job, {}, {}, "there is no head to fetch it from"});
      return result;
    }
    auto& link = link_to(self, depot);
    link.askers.emplace(job, result);
    link.list->fetch(job);
    pump(self, link);
    if (!ticking)
      tick_later(self);
    return result;
  }

  /// Sends what is to be asked and tells what has ended.
  template <class Self>
  void pump(Self* self, depot_link& link) {
    for (auto& job : link.list->jobs_due())
      send(self, speaker, std::move(job), link.depot);
    for (auto& piece : link.list->chunks_due())
      send(self, speaker, std::move(piece), link.depot);
    for (const auto& job : link.list->ended()) {
      auto [first, last] = link.askers.equal_range(job.job);
      for (auto i = first; i != last; ++i)
        i->second.deliver(job);
      link.askers.erase(first, last);
      if (!users.contains(job.job))
        remove(job.job);
    }
  }

  [[nodiscard]] bool is_fetching(const std::string& job) const {
    return std::any_of(links.begin(), links.end(),
                       [&](const auto& x) { return x.second.askers.contains(job); });
  }

  void drop(const std::string& job) {
    auto known = users.find(job);
    if (known == users.end() || --known->second > 0)
      return;
    users.erase(known);
    // What is under way ends first.
    if (!is_fetching(job))
      remove(job);
  }

  void remove(const std::string& job) {
    // What stays is swept when a worker starts here again.
    auto gone = is_job_id(job) ? remove_job_directory(settings.work, job) : expected<void>{};
    if (!gone && settings.tell)
      settings.tell(to_text(gone.error()));
    if (users.empty())
      store->shrink(settings.store_bytes);
  }

  /// An answer is for the link that asked.
  template <class Self, class Answer>
  void take(Self* self, const Answer& answer) {
    for (auto& [where, link] : links) {
      if (link.list->take(answer))
        return pump(self, link);
    }
  }

  void lose(const caf::actor_addr& where) {
    auto lost = links.extract(where);
    if (lost.empty())
      return;
    for (auto& [job, asker] : lost.mapped().askers)
      asker.deliver(fetched_job{job, {}, {}, "the connection to the head was lost"});
  }

  template <class Self>
  void tick_later(Self* self) {
    ticking = true;
    delayed_send(self, caf::actor_cast<writer_actor>(self),
                 settings.patience / static_cast<int>(fetch_list::ticks_of_patience), tick_atom_v);
  }

  template <class Self>
  void tick(Self* self) {
    ticking = false;
    for (auto& [where, link] : links) {
      link.list->tick();
      pump(self, link);
      ticking = ticking || !link.askers.empty();
    }
    if (ticking)
      tick_later(self);
  }
};

writer_actor::behavior_type writer(writer_actor::stateful_pointer<writer_state> self,
                                   const fetcher_settings& settings, const content_store& store) {
  auto& state = state_of(self);
  state.settings = settings;
  state.store = std::make_unique<content_store>(store);
  state.watched.init(self);
  return {
      [self, &state](const fetch_job& what, const depot_actor& depot, const fetcher_impl& speaker) {
        state.speaker = speaker;
        return state.fetch(self, what.job, depot);
      },
      [self, &state](const job_found& x) { state.take(self, x); },
      [self, &state](const job_failed& x) { state.take(self, x); },
      [self, &state](const chunk& x) { state.take(self, x); },
      [self, &state](const chunk_failed& x) { state.take(self, x); },
      [&state](const job_dropped& x) { state.drop(x.job); },
      [self, &state](tick_atom) { state.tick(self); },
  };
}

struct fetcher_state {
  static inline const char* name = "tune.fetcher";
};

/// A handler that hands an answer to the writer.
template <class Answer, class Self>
auto hands_over(Self* self, const writer_actor& writes) {
  return [self, writes](Answer& answer) { send(self, writes, std::move(answer)); };
}

/// A handler that asks a depot.
template <class Question, class Self>
auto asks(Self* self) {
  return [self](const Question& question, const depot_actor& depot) {
    send(self, depot, question, caf::actor_cast<job_taker_actor>(self));
  };
}

fetcher_impl::behavior_type fetcher(fetcher_impl::stateful_pointer<fetcher_state> self,
                                    const writer_actor& writes) {
  stand_firm(self);
  share_end(self, writes);
  return {
      [self, writes](const fetch_job& what, const depot_actor& depot) {
        return delegate(self, writes, what, depot, caf::actor_cast<fetcher_impl>(self));
      },
      hands_over<job_dropped>(self, writes),
      hands_over<job_found>(self, writes),
      hands_over<job_failed>(self, writes),
      hands_over<chunk>(self, writes),
      hands_over<chunk_failed>(self, writes),
      asks<job_request>(self),
      asks<chunk_request>(self),
  };
}

} // namespace

expected<fetcher_actor> spawn_fetcher(caf::actor_system& system, fetcher_settings settings) {
  auto store = content_store::open(settings.work / "content");
  if (!store)
    return store.error();
  store->shrink(settings.store_bytes);
  auto writes = settings.own_thread ? system.spawn<caf::detached>(writer, settings, *store)
                                    : system.spawn(writer, settings, *store);
  return fetcher_actor{system.spawn(fetcher, writes)};
}

} // namespace tune
