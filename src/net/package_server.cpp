// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/package_server.hpp"

#include "package_index.hpp"

#include "tune/actors/firm.hpp"

namespace tune {

namespace {

/// The package server, with what it passes on for its reader.
using package_server_impl
    = extend<package_server_local_actor, caf::result<void>(job_found, job_taker_actor),
             caf::result<void>(job_failed, job_taker_actor),
             caf::result<void>(chunk, job_taker_actor),
             caf::result<void>(chunk_failed, job_taker_actor)>;

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_package_server)
TUNE_LOCAL_HANDLE(tune_package_server, tune::package_server_impl)
TUNE_END_LOCAL_TYPES(tune_package_server)

namespace tune {

namespace {

/// Blocks on the disk, and talks to its package server only. A detached actor must not be known
/// beyond its process: in CAF 0.17 the network may keep a last message of it when the system ends,
/// which then waits for that actor's thread for ever.
using reader_actor
    = typed_actor<caf::result<void>(job_request, job_taker_actor, package_server_impl),
                  caf::result<void>(chunk_request, job_taker_actor, package_server_impl),
                  caf::result<std::string>(job_offer), caf::result<void>(job_withdrawn)>;

struct reader_state {
  static inline const char* name = "tune.reader";

  package_index has;
  reader_actor::pointer self = nullptr;

  void tell(const job_request& asked, const job_taker_actor& who,
            const package_server_impl& by) const {
    const auto* job = has.find(asked.job);
    if (job == nullptr)
      send(self, by, job_failed{asked.number, "the head knows no job " + asked.job}, who);
    else
      send(self, by,
           job_found{asked.number, job->what.record, job->manifest_hash, job->manifest.size()},
           who);
  }

  void give(const chunk_request& asked, const job_taker_actor& who,
            const package_server_impl& by) const {
    auto piece = has.read(asked);
    if (!piece)
      send(self, by, chunk_failed{asked.number, asked.hash, to_text(piece.error())}, who);
    else
      send(self, by,
           chunk{asked.number, asked.hash, asked.offset, piece->last, std::move(piece->bytes)},
           who);
  }
};

reader_actor::behavior_type reader(reader_actor::stateful_pointer<reader_state> self) {
  auto& state = state_of(self);
  state.self = self;
  return {
      [&state](const job_request& asked, const job_taker_actor& who,
               const package_server_impl& by) { state.tell(asked, who, by); },
      [&state](const chunk_request& asked, const job_taker_actor& who,
               const package_server_impl& by) { state.give(asked, who, by); },
      [&state](job_offer& what) {
        auto done = state.has.add(std::move(what));
        return done ? std::string{} : to_text(done.error());
      },
      [&state](const job_withdrawn& what) { state.has.remove(what.job); },
  };
}

struct package_server_state {
  static inline const char* name = "tune.package_server";
};

/// A handler that passes an answer on.
template <class Answer, class Self>
auto passes_on(Self* self) {
  return [self](Answer& answer, const job_taker_actor& who) { send(self, who, std::move(answer)); };
}

package_server_impl::behavior_type
package_server(package_server_impl::stateful_pointer<package_server_state> self,
               const reader_actor& reads) {
  stand_firm(self);
  share_end(self, reads);
  return {
      [self, reads](const job_request& asked, const job_taker_actor& who) {
        if (is_of_sender(self, who))
          send(self, reads, asked, who, caf::actor_cast<package_server_impl>(self));
      },
      [self, reads](const chunk_request& asked, const job_taker_actor& who) {
        if (is_of_sender(self, who))
          send(self, reads, asked, who, caf::actor_cast<package_server_impl>(self));
      },
      [self, reads](job_offer& what) { return delegate(self, reads, std::move(what)); },
      [self, reads](job_withdrawn& what) { send(self, reads, std::move(what)); },
      passes_on<job_found>(self),
      passes_on<job_failed>(self),
      passes_on<chunk>(self),
      passes_on<chunk_failed>(self),
  };
}

} // namespace

package_server_local_actor spawn_package_server(caf::actor_system& system, bool own_thread) {
  auto reads = own_thread ? system.spawn<caf::detached>(reader) : system.spawn(reader);
  return system.spawn(package_server, reads);
}

} // namespace tune
