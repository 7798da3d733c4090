// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/package_client.hpp"

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

/// The package client, with what it passes on for its writer.
using package_client_impl
    = extend<package_client_actor, caf::result<void>(job_found), caf::result<void>(job_failed),
             caf::result<void>(chunk), caf::result<void>(chunk_failed),
             caf::result<void>(job_request, package_server_actor),
             caf::result<void>(chunk_request, package_server_actor)>;

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_package_client)
TUNE_LOCAL_HANDLE(tune_package_client, tune::package_client_impl)
TUNE_END_LOCAL_TYPES(tune_package_client)

namespace tune {

namespace {

/// Blocks on the disk. Its package client talks to package servers for it, since a detached actor
/// must not be known beyond its process: in CAF 0.17 the network may keep a last message of it when
/// the system ends, which then waits for that actor's thread for ever.
using writer_actor
    = typed_actor<caf::result<fetched_job>(fetch_job, package_server_actor, package_client_impl),
                  caf::result<void>(job_found), caf::result<void>(job_failed),
                  caf::result<void>(chunk), caf::result<void>(chunk_failed),
                  caf::result<void>(job_dropped), caf::result<void>(tick_atom)>;

using promise = caf::typed_response_promise<fetched_job>;

/// A package server, and the fetches from it. Kept until the package server is gone.
struct package_server_link {
  package_server_actor package_server;
  std::unique_ptr<fetch_list> list;
  /// Promises of those who wait for a job, by job.
  std::multimap<std::string, promise> askers;
};

struct writer_state {
  static inline const char* name = "tune.writer";

  package_client_settings settings;
  writer_actor::pointer self = nullptr;
  std::unique_ptr<content_store> store;
  package_client_impl speaker;
  monitors watched;
  std::map<caf::actor_addr, package_server_link> links;
  /// Users per job: those who have it or want it.
  std::map<std::string, std::size_t> users;
  std::uint64_t numbers = 0;
  bool ticking = false;

  package_server_link& link_to(const package_server_actor& package_server) {
    auto [at, is_new] = links.try_emplace(package_server.address());
    if (is_new) {
      at->second.package_server = package_server;
      at->second.list = std::make_unique<fetch_list>(*store, settings, numbers);
      watched.watch(self, package_server,
                    [this, where = package_server.address()](const caf::error&) { lose(where); });
    }
    return at->second;
  }

  promise fetch(const std::string& job, const package_server_actor& package_server) {
    auto result = self->make_response_promise<fetched_job>();
    ++users[job];
    if (!package_server) {
      result.deliver(fetched_job{job, {}, {}, "there is no head to fetch it from"});
      return result;
    }
    auto& link = link_to(package_server);
    link.askers.emplace(job, result);
    link.list->fetch(job);
    pump(link);
    if (!ticking)
      tick_later();
    return result;
  }

  /// Sends due questions, and reports what has ended.
  void pump(package_server_link& link) {
    for (auto& job : link.list->jobs_due())
      send(self, speaker, std::move(job), link.package_server);
    for (auto& piece : link.list->chunks_due())
      send(self, speaker, std::move(piece), link.package_server);
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
    // A fetch that is under way ends first.
    if (!is_fetching(job))
      remove(job);
  }

  void remove(const std::string& job) {
    // Leftovers are swept when a worker starts here again.
    auto gone = is_job_id(job) ? remove_job_directory(settings.work, job) : expected<void>{};
    if (!gone && settings.tell)
      settings.tell(to_text(gone.error()));
    if (users.empty())
      store->shrink(settings.store_bytes);
  }

  /// Hands an answer to the link that asked.
  template <class Answer>
  void take(const Answer& answer) {
    for (auto& [where, link] : links) {
      if (link.list->take(answer))
        return pump(link);
    }
  }

  void lose(const caf::actor_addr& where) {
    auto lost = links.extract(where);
    if (lost.empty())
      return;
    for (auto& [job, asker] : lost.mapped().askers)
      asker.deliver(fetched_job{job, {}, {}, "the connection to the head was lost"});
  }

  void tick_later() {
    ticking = true;
    delayed_send(self, caf::actor_cast<writer_actor>(self),
                 settings.patience / static_cast<int>(fetch_list::ticks_of_patience), tick_atom_v);
  }

  void tick() {
    ticking = false;
    for (auto& [where, link] : links) {
      link.list->tick();
      pump(link);
      ticking = ticking || !link.askers.empty();
    }
    if (ticking)
      tick_later();
  }
};

writer_actor::behavior_type writer(writer_actor::stateful_pointer<writer_state> self,
                                   const package_client_settings& settings,
                                   const content_store& store) {
  auto& state = state_of(self);
  state.self = self;
  state.settings = settings;
  for (const auto& job : settings.kept)
    state.users[job] = 1;
  state.store = std::make_unique<content_store>(store);
  state.watched.init(self);
  return {
      [&state](const fetch_job& what, const package_server_actor& package_server,
               const package_client_impl& speaker) {
        state.speaker = speaker;
        return state.fetch(what.job, package_server);
      },
      [&state](const job_found& x) { state.take(x); },
      [&state](const job_failed& x) { state.take(x); },
      [&state](const chunk& x) { state.take(x); },
      [&state](const chunk_failed& x) { state.take(x); },
      [&state](const job_dropped& x) { state.drop(x.job); },
      [&state](tick_atom) { state.tick(); },
  };
}

struct package_client_state {
  static inline const char* name = "tune.package_client";
};

/// A handler that passes an answer to the writer.
template <class Answer, class Self>
auto hands_over(Self* self, const writer_actor& writes) {
  return [self, writes](Answer& answer) { send(self, writes, std::move(answer)); };
}

/// A handler that asks a package server.
template <class Question, class Self>
auto asks(Self* self) {
  return [self](const Question& question, const package_server_actor& package_server) {
    send(self, package_server, question, caf::actor_cast<job_taker_actor>(self));
  };
}

package_client_impl::behavior_type
package_client(package_client_impl::stateful_pointer<package_client_state> self,
               const writer_actor& writes) {
  stand_firm(self);
  share_end(self, writes);
  return {
      [self, writes](const fetch_job& what, const package_server_actor& package_server) {
        return delegate(self, writes, what, package_server,
                        caf::actor_cast<package_client_impl>(self));
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

expected<package_client_actor> spawn_package_client(caf::actor_system& system,
                                                    package_client_settings settings) {
  auto store = content_store::open(settings.work / "content");
  if (!store)
    return store.error();
  store->shrink(settings.store_bytes);
  auto writes = settings.own_thread ? system.spawn<caf::detached>(writer, settings, *store)
                                    : system.spawn(writer, settings, *store);
  return package_client_actor{system.spawn(package_client, writes)};
}

} // namespace tune
