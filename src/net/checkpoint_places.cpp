// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint_places.hpp"

#include "tune/actors/launch_token.hpp"
#include "tune/io/artifacts/artifacts.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/checkpoint/shared_storage.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Opens a directory below the experiment's, in which no trial has mounted anything.
expected<guarded_directory> open_place(const fs::path& what, const fs::path& experiment) {
  const auto trials = experiment / "trials";
  return guarded_directory::open(trials, what.lexically_relative(trials));
}

} // namespace

checkpoint_places::~checkpoint_places() {
  for (const auto& [job, x] : places_) {
    if (!x.token.empty())
      remove_storage_token(x.directory);
  }
}

void checkpoint_places::add(const job_place& what) {
  remove(what.job);
  places_[what.job] = {what.directory, {}, what.limits, what.artifacts, {}};
}

void checkpoint_places::remove(const std::string& job) {
  auto gone = places_.extract(job);
  if (!gone.empty() && !gone.mapped().token.empty())
    remove_storage_token(gone.mapped().directory);
}

void checkpoint_places::give_up(const std::string& job, trial_id trial, attempt_id attempt) {
  if (auto known = places_.find(job); known != places_.end())
    known->second.attempts.give_up(trial, attempt);
}

expected<fs::path> checkpoint_places::enter(const attempt_claim& who) const {
  auto known = places_.find(who.job);
  if (known == places_.end())
    return error{ec::refused, "the head knows no job " + who.job};
  if (!has_launch_token(secret_, who))
    return error{ec::refused, "the head launched no such attempt there"};
  if (auto why = known->second.attempts.why_not(trial_id{who.trial}, who.attempt); !why.empty())
    return error{ec::refused, std::string{why}};
  return known->second.directory;
}

storage_answer checkpoint_places::tell(const storage_question& asked) {
  storage_answer result;
  result.number = asked.number;
  auto directory = enter(asked.who);
  if (!directory) {
    result.why = to_text(directory.error());
    return result;
  }
  auto& token = places_.at(asked.who.job).token;
  if (token.empty()) {
    token = fresh_secret();
    if (auto left = leave_storage_token(*directory, token); !left) {
      token.clear();
      result.why = to_text(left.error());
      return result;
    }
  }
  std::error_code ignored;
  result.directory = fs::absolute(*directory, ignored).string();
  result.token = token;
  return result;
}

fs::path checkpoint_places::place_of(const checkpoint_offer& what, const fs::path& directory) {
  return directory / checkpoint_folder(trial_id{what.who.trial}, what.who.attempt)
         / checkpoint_name(what.sequence);
}

bool checkpoint_places::has(const checkpoint_offer& what) const {
  auto directory = enter(what.who);
  // Artifacts have no place of their own, so they are sent again.
  if (!directory || what.sequence == 0)
    return false;
  const auto place = place_of(what, *directory);
  // A checkpoint that came from a worker has a manifest.
  auto held = open_place(place, *directory);
  if (!held || !held->has_file(checkpoint_manifest_name))
    return false;
  auto there = checkpoint_reader::open(place);
  return there && there->outline().manifest_hash == what.stream.manifest_hash
         && there->outline().bytes == what.stream.bytes;
}

expected<incoming_checkpoint> checkpoint_places::begin(const checkpoint_offer& what) {
  auto directory = enter(what.who);
  if (!directory)
    return directory.error();
  if (what.sequence == 0)
    return begin_artifacts(what, *directory);
  const auto place = place_of(what, *directory);
  auto folder = open_place(place.parent_path(), *directory);
  if (folder && folder->has_any(place.filename()))
    return error{ec::refused, "the head has " + place.filename().string() + " of it already"};
  checkpoint_draft draft{*directory, place, 0};
  draft.directory += draft_suffix;
  auto limits = limits_;
  limits.most = places_.at(what.who.job).limits;
  return incoming_checkpoint::begin(what.number, std::move(draft), what.stream, limits);
}

expected<incoming_checkpoint> checkpoint_places::begin_artifacts(const checkpoint_offer& what,
                                                                 const fs::path& directory) {
  auto& shelf = places_.at(what.who.job);
  const auto& rules = shelf.artifacts;
  if (!rules.wants_any())
    return error{ec::refused, "[trainable] artifacts is none"};
  if (rules.max_bytes != 0 && what.stream.bytes > rules.max_bytes + what.stream.manifest_size)
    return error{ec::refused, "they are more than [trainable] artifacts_max_size"};
  const artifact_source whose{trial_id{what.who.trial}, what.who.attempt, what.who.rank};
  if (auto cleared = clear_artifact_draft(directory, whose); !cleared)
    return cleared.error();
  // All attempts of a trial have the same place for them.
  shelf.attempts.note(whose.trial, whose.attempt);
  checkpoint_draft draft{directory, directory / artifact_draft(whose), 0};
  return incoming_checkpoint::begin_artifacts(what.number, std::move(draft),
                                              {whose, rules.max_files}, what.stream, limits_);
}

expected<checkpoint_reader> checkpoint_places::open(const checkpoint_wanted& what) const {
  auto directory = enter(what.who);
  if (!directory)
    return directory.error();
  if (what.who.restore_from.empty())
    return error{ec::refused, "the attempt is to begin from scratch"};
  return checkpoint_reader::open(*directory / what.who.restore_from);
}

} // namespace tune
