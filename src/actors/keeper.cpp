// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/keeper.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/checkpoint/pause_memory.hpp"

namespace tune {

namespace {

/// What could not even be looked at is not bad.
void note_trouble(attempt_prepared& to, const std::string& what, const error& why) {
  to.why = what + " cannot be restored: " + to_text(why);
  to.is_passing = why.code == ec::shortage;
  to.is_bad = !to.is_passing;
}

attempt_prepared prepare_in_memory(const prepare_attempt& what) {
  attempt_prepared result;
  result.checkpoints = what.directory;
  auto fail = [&](const error& why) {
    note_trouble(result, "what it paused with", why);
    return result;
  };
  auto place = place_in_memory(what.in_memory, what.who.restore_from);
  if (!place)
    return fail(place.error());
  if (auto good = verify_checkpoint(*place); !good)
    return fail(good.error());
  result.restore = std::move(*place);
  return result;
}

} // namespace

attempt_prepared prepare_here(const prepare_attempt& what) {
  const auto& location = what.who.restore_from;
  attempt_prepared result;
  result.checkpoints = what.directory;
  if (location.empty())
    return result;
  if (location.starts_with(kept_in_memory))
    return prepare_in_memory(what);
  result.restore = what.directory / location;
  if (auto good = verify_checkpoint(result.restore); !good)
    note_trouble(result, "the checkpoint", good.error());
  return result;
}

void forget_here(const forget_paused& what) {
  auto place = what.location.empty() ? expected<std::filesystem::path>{what.in_memory}
                                     : place_in_memory(what.in_memory, what.location);
  std::error_code ignored;
  if (place && !place->empty())
    std::filesystem::remove_all(*place, ignored);
}

draft_copied copy_here(const copy_draft& what) {
  auto done = copy_checkpoint(what.from, what.to);
  return {done ? std::string{} : to_text(done.error())};
}

draft_kept keep_here(keep_draft what) {
  if (!what.on_disk.empty()) {
    auto kept = keep_in_memory(what.what, what.on_disk, what.room);
    if (!kept)
      return {{}, to_text(kept.error())};
    if (*kept)
      return {std::move(**kept), {}};
  }
  auto done = commit_checkpoint(what.what);
  return done ? draft_kept{std::move(*done), {}} : draft_kept{{}, to_text(done.error())};
}

namespace {

keeper_actor::behavior_type keeper(keeper_actor::pointer) {
  return {
      [](const prepare_attempt& x) { return prepare_here(x); },
      [](const copy_draft& x) { return copy_here(x); },
      [](const keep_draft& x) { return keep_here(x); },
      [](const attempt_left& x) {
        remove_drafts(x.checkpoints, trial_id{x.who.trial}, x.who.attempt);
      },
      [](const job_over&) {},
      [](const forget_paused& x) { forget_here(x); },
      // It is safe in a moment, and here.
      [](leave_atom) {},
  };
}

} // namespace

keeper_actor spawn_keeper(caf::actor_system& system) {
  return system.spawn<caf::detached>(keeper);
}

} // namespace tune
