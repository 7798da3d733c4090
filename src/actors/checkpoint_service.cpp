// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/checkpoint_service.hpp"

#include "tune/actors/removals.hpp"
#include "tune/actors/slow_rounds.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_scan.hpp"
#include "tune/io/checkpoint/pause_memory.hpp"
#include "tune/io/files/remove_tree.hpp"

namespace tune {

namespace {

error not_restored(const error& why) {
  return {why.code, "what it paused with cannot be restored: " + to_text(why)};
}

/// The path of the checkpoint to restore.
expected<std::filesystem::path> place_of(const prepare_attempt& what) {
  const auto& location = what.who.restore_from;
  if (!location.starts_with(kept_in_memory))
    return what.directory / location;
  auto place = place_in_memory(what.in_memory, location);
  return place ? place : not_restored(place.error());
}

/// @returns why the checkpoint cannot be restored.
sliced<std::optional<error>> restoring(const prepare_attempt& what, std::filesystem::path place,
                                       attempt_prepared& to) {
  const auto in_memory = what.who.restore_from.starts_with(kept_in_memory);
  auto good = co_await verifying_checkpoint(place);
  // For a corrupt checkpoint in memory no path is given.
  if (good || !in_memory)
    to.restore = std::move(place);
  if (good)
    co_return std::nullopt;
  if (in_memory)
    co_return not_restored(good.error());
  co_return error{good.error().code, "the checkpoint cannot be restored: " + to_text(good.error())};
}

} // namespace

sliced<attempt_prepared> preparing_here(prepare_attempt what) {
  attempt_prepared result;
  result.checkpoints = what.directory;
  if (what.who.restore_from.empty())
    co_return result;
  auto place = place_of(what);
  std::optional<error> trouble;
  if (!place)
    trouble = place.error();
  else
    trouble = co_await restoring(what, std::move(*place), result);
  if (trouble) {
    result.why = to_text(*trouble);
    // A checkpoint that could not be looked at is not bad.
    result.is_passing = trouble->code == ec::shortage;
    result.is_bad = !result.is_passing;
  }
  co_return result;
}

sliced<draft_copied> copying_here(copy_draft what) {
  auto to = make_directory(what.to);
  if (!to)
    co_return draft_copied{to_text(to.error())};
  auto done = co_await copying_checkpoint(what.from, to->path, what.limits);
  if (done)
    co_return draft_copied{};
  co_return draft_copied{to_text(done.error())};
}

namespace {

sliced<draft_kept> telling(sliced<expected<safe_checkpoint>> work) {
  auto kept = co_await std::move(work);
  if (!kept)
    co_return draft_kept{{}, to_text(kept.error()), kept.error().code == ec::refused};
  co_return draft_kept{std::move(*kept), {}, false};
}

} // namespace

sliced<draft_kept> keeping_here(keep_draft what) {
  return telling(what.on_disk.empty()
                     ? committing_checkpoint(std::move(what.what))
                     : keeping_in_memory(std::move(what.what), what.on_disk, what.room));
}

attempt_prepared prepare_here(const prepare_attempt& what) {
  return *finish(preparing_here(what));
}

draft_copied copy_here(const copy_draft& what) {
  return *finish(copying_here(what));
}

draft_kept keep_here(keep_draft what) {
  return *finish(keeping_here(std::move(what)));
}

exports_gathered gather_here(const gather_exported& what) {
  return {gather_exports(what.what)};
}

void forget_here(const forget_paused& what) {
  // Files that cannot be removed go later, with the node's whole memory directory.
  if (what.location.empty()) {
    if (!what.in_memory.empty())
      static_cast<void>(remove_tree(what.in_memory));
  } else if (auto place = place_in_memory(what.in_memory, what.location)) {
    static_cast<void>(remove_from_attempt(*place));
  }
}

namespace {

using checkpoint_service_impl = extend<checkpoint_service_actor, caf::result<void>(tick_atom)>;

struct checkpoint_service_state {
  static inline const char* name = "tune.checkpoint_service";

  slow_tasks<checkpoint_service_impl> works;
};

checkpoint_service_impl::behavior_type
checkpoint_service(checkpoint_service_impl::stateful_pointer<checkpoint_service_state> self) {
  auto& works = state_of(self).works;
  return {
      [self, &works](const prepare_attempt& x) {
        return works.answer(self, x.who, preparing_here(x));
      },
      [self, &works](const copy_draft& x) { return works.answer(self, x.who, copying_here(x)); },
      [self, &works](const keep_draft& x) { return works.answer(self, x.who, keeping_here(x)); },
      [self, &works](const gather_exported& x) { return answer_exports(works, self, x); },
      // Nothing to do: its trials write where their head looks.
      [](const keep_artifacts&) { return artifacts_kept{}; },
      [self, &works](const drop_directory& x) { begin_removal(works, self, x); },
      [self, &works](const attempt_left& x) { begin_removal(works, self, x); },
      [](const job_over&) {},
      [](const forget_paused& x) { forget_here(x); },
      [&works](const saves_dropped& x) { works.drop(x.who, saves_dropped::why); },
      [&works](leave_atom) { works.close("its node leaves"); },
      [self, &works](tick_atom) { works.tick(self); },
  };
}

} // namespace

checkpoint_service_actor spawn_checkpoint_service(caf::actor_system& system) {
  return checkpoint_service_actor{system.spawn<caf::detached>(checkpoint_service)};
}

} // namespace tune
