// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/keeper.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"

namespace tune {

attempt_prepared prepare_here(const std::filesystem::path& directory,
                              const std::string& restore_from) {
  attempt_prepared result;
  result.checkpoints = directory;
  if (restore_from.empty())
    return result;
  result.restore = directory / restore_from;
  if (auto good = verify_checkpoint(result.restore); !good) {
    result.why = "the checkpoint cannot be restored: " + to_text(good.error());
    result.is_bad = true;
  }
  return result;
}

draft_copied copy_here(const copy_draft& what) {
  auto done = copy_checkpoint(what.from, what.to);
  return {done ? std::string{} : to_text(done.error())};
}

draft_kept keep_here(const keep_draft& what) {
  auto done = commit_checkpoint(what.what);
  return done ? draft_kept{std::move(*done), {}} : draft_kept{{}, to_text(done.error())};
}

namespace {

keeper_actor::behavior_type keeper(keeper_actor::pointer) {
  return {
      [](const prepare_attempt& x) { return prepare_here(x.directory, x.who.restore_from); },
      [](const copy_draft& x) { return copy_here(x); },
      [](const keep_draft& x) { return keep_here(x); },
      [](const attempt_left& x) {
        remove_drafts(x.checkpoints, trial_id{x.who.trial}, x.who.attempt);
      },
      [](const job_over&) {},
      // It is safe in a moment, and here.
      [](leave_atom) {},
  };
}

} // namespace

keeper_actor spawn_keeper(caf::actor_system& system) {
  return system.spawn<caf::detached>(keeper);
}

} // namespace tune
