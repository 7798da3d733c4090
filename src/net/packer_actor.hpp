/// The PACKER: does the blocking disk work of a CHECKPOINT CLIENT, for one job at a time. Private
/// to the checkpoint client.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "checkpoint_packer.hpp"

#include "tune/actors/checkpoint_service.hpp"
#include "tune/actors/removals.hpp"
#include "tune/actors/slow_rounds.hpp"
#include "tune/io/checkpoint/shared_storage.hpp"
#include "tune/net/checkpoint_client.hpp"

#include <memory>
#include <string>
#include <utility>

namespace tune {

/// Why artifacts are given up when their attempt is.
inline constexpr const char* artifacts_dropped
    = "the attempt had to end before all of it was there";

/// A question for the head, which the checkpoint client passes on.
struct ask_head {
  piece_wanted what;
};
/// This job has copies to remove, since others' came and all share one limit. Passed on by the
/// checkpoint client.
struct tidy_wanted {
  std::string job;
};

using checkpoint_client_impl
    = extend<checkpoint_service_actor, caf::result<void>(storage_answer),
             caf::result<void>(piece_wanted), caf::result<void>(checkpoint_settled),
             caf::result<void>(checkpoint_found), caf::result<void>(checkpoint_piece),
             caf::result<void>(ask_head), caf::result<void>(tidy_wanted),
             caf::result<void>(brought), caf::result<void>(tick_atom),
             caf::result<void>(checkpoint_server_actor)>;

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_checkpoints)
TUNE_LOCAL_TYPE(tune_checkpoints, tune::ask_head)
TUNE_LOCAL_TYPE(tune_checkpoints, tune::tidy_wanted)
TUNE_LOCAL_TYPE(tune_checkpoints, tune::pack_order)
TUNE_LOCAL_TYPE(tune_checkpoints, tune::packed)
TUNE_LOCAL_TYPE(tune_checkpoints, tune::pack_artifacts)
TUNE_LOCAL_TYPE(tune_checkpoints, tune::packed_artifacts)
TUNE_LOCAL_TYPE(tune_checkpoints, tune::unpack_order)
TUNE_LOCAL_TYPE(tune_checkpoints, tune::bring_order)
TUNE_LOCAL_TYPE(tune_checkpoints, tune::brought)
TUNE_LOCAL_HANDLE(tune_checkpoints, tune::checkpoint_client_impl)
TUNE_END_LOCAL_TYPES(tune_checkpoints)

namespace tune {

/// Blocks on the disk, so only its checkpoint client knows it: see docs/decisions/0005. There is
/// one for each job that its node currently works for.
using packer_actor = typed_actor<
    caf::result<draft_copied>(copy_draft), caf::result<exports_gathered>(gather_exported),
    // Checks a checkpoint that lies here.
    caf::result<attempt_prepared>(prepare_attempt),
    // Answers whether the head's directory is reachable here, too.
    caf::result<bool>(storage_answer), caf::result<packed>(pack_order),
    caf::result<packed_artifacts>(pack_artifacts), caf::result<checkpoint_piece>(piece_wanted),
    caf::result<void>(unpack_order, checkpoint_client_impl),
    caf::result<void>(bring_order, checkpoint_client_impl),
    caf::result<void>(checkpoint_piece, checkpoint_client_impl),
    caf::result<void>(checkpoint_dropped, checkpoint_client_impl),
    caf::result<void>(attempt_left, checkpoint_client_impl), caf::result<void>(tidy_wanted),
    caf::result<void>(drop_directory),
    // Answers once no work of the job is left: it may then serve another.
    caf::result<void>(job_over), caf::result<void>(forget_paused), caf::result<void>(saves_dropped),
    // Fails all work under way, and all that comes later.
    caf::result<void>(leave_atom)>;
using packer_impl = extend<packer_actor, caf::result<void>(tick_atom)>;

struct packer_state {
  static inline const char* name = "tune.packer";

  std::unique_ptr<checkpoint_packer> packs;
  slow_tasks<packer_impl> works;

  template <class Self>
  void pump(Self* self, const checkpoint_client_impl& by) {
    for (auto& x : packs->due())
      send(self, by, ask_head{x});
    for (auto& x : packs->ended())
      send(self, by, std::move(x));
    for (auto& x : packs->to_look_for())
      look_for(self, by, x);
    for (auto& job : packs->to_tidy())
      send(self, by, tidy_wanted{std::move(job)});
  }

  template <class Self>
  void look_for(Self* self, const checkpoint_client_impl& by, const bring_order& what) {
    auto then = [this, self, by, number = what.number](bool is_here) {
      packs->looked(number, is_here);
      pump(self, by);
    };
    works.begin<bool>(self, slow_rounds::owner_of(what.what.who),
                      checkpoint_packer::looking_for(what), then,
                      [](const std::string&) { return false; });
  }

  template <class Self>
  auto pack(Self* self, const pack_order& what) {
    auto asker = self->template make_response_promise<packed>();
    auto then = [asker](packed x) mutable { asker.deliver(std::move(x)); };
    works.begin<packed>(self, slow_rounds::owner_of(what.what.who), packs->packing(what), then,
                        [](const std::string& why) {
                          packed result;
                          result.kept.why = why;
                          return result;
                        });
    return asker;
  }

  template <class Self>
  auto pack(Self* self, const pack_artifacts& what) {
    auto asker = self->template make_response_promise<packed_artifacts>();
    auto then = [asker](packed_artifacts x) mutable { asker.deliver(std::move(x)); };
    works.begin<packed_artifacts>(self, slow_rounds::owner_of(what.what.who), packs->packing(what),
                                  then, [](const std::string& why) {
                                    const auto is_dropped = why == saves_dropped::why;
                                    return packed_artifacts{is_dropped ? artifacts_dropped : why};
                                  });
    return asker;
  }
};

inline packer_impl::behavior_type packer(packer_impl::stateful_pointer<packer_state> self,
                                         const incoming_limits& limits,
                                         const std::shared_ptr<shared_copies>& copies) {
  auto& state = state_of(self);
  state.packs = std::make_unique<checkpoint_packer>(limits, copies);
  return {
      [self, &state](const copy_draft& x) {
        return state.works.answer(self, x.who, copying_here(x));
      },
      [self, &state](const prepare_attempt& x) {
        return state.works.answer(self, x.who, preparing_here(x));
      },
      [](const storage_answer& x) { return shares_storage(x.directory, x.token); },
      [self, &state](const pack_order& x) { return state.pack(self, x); },
      [self, &state](const pack_artifacts& x) { return state.pack(self, x); },
      [&state](const piece_wanted& x) { return state.packs->read(x); },
      [self, &state](const unpack_order& x, const checkpoint_client_impl& by) {
        state.packs->unpack(x);
        state.pump(self, by);
      },
      [self, &state](const bring_order& x, const checkpoint_client_impl& by) {
        state.packs->bring(x);
        state.pump(self, by);
      },
      [self, &state](const checkpoint_piece& x, const checkpoint_client_impl& by) {
        state.packs->take(x);
        state.pump(self, by);
      },
      [self, &state](const checkpoint_dropped& x, const checkpoint_client_impl& by) {
        state.packs->drop(x.number);
        state.pump(self, by);
      },
      [self, &state](const gather_exported& x) { return answer_exports(state.works, self, x); },
      [self, &state](const drop_directory& x) { begin_removal(state.works, self, x); },
      [self, &state](const attempt_left& x, const checkpoint_client_impl& by) {
        begin_removal(state.works, self, x);
        state.packs->leave(x);
        state.pump(self, by);
      },
      [&state](const tidy_wanted& x) { state.packs->tidy(x.job); },
      [&state](const job_over& x) { state.packs->forget(x.job); },
      [](const forget_paused& x) { forget_here(x); },
      [&state](const saves_dropped& x) { state.works.drop(x.who, saves_dropped::why); },
      [&state](leave_atom) { state.works.close("its node leaves"); },
      [self, &state](tick_atom) { state.works.tick(self); },
  };
}

} // namespace tune
