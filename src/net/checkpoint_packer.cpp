// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint_packer.hpp"

#include "tune/actors/keeper.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/files/sha256.hpp"

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

void remove_tree(const fs::path& where) {
  std::error_code ignored;
  fs::remove_all(where, ignored);
}

/// The number in "checkpoint_000007"; 0 where there is none.
std::uint64_t number_in(const std::string& location) {
  const std::string_view digits = std::string_view{location}.substr(location.rfind('_') + 1);
  std::uint64_t result = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), result);
  return result;
}

bool is_here(const fs::path& where, const std::string& manifest_hash) {
  auto text = read_checkpoint_manifest(where);
  return text && *text && sha256_of(**text) == manifest_hash && verify_checkpoint(where);
}

} // namespace

packed checkpoint_packer::pack(const pack_order& what) {
  auto order = what.what;
  // The head's copy is the one that counts.
  order.what.durable = what.is_shared;
  packed result{keep_here(order), 0, {}};
  if (!result.kept.why.empty() || what.is_shared
      || result.kept.what.location.starts_with(kept_in_memory))
    return result;
  const auto& root = order.on_disk.empty() ? order.what.experiment : order.on_disk;
  auto where = root / result.kept.what.location;
  auto reader = checkpoint_reader::open(where);
  if (!reader) {
    remove_tree(where);
    result.kept.why = to_text(reader.error());
    return result;
  }
  result.sequence = number_in(result.kept.what.location);
  result.stream = to_words(reader->outline());
  checkpoint_copy copy{order.who.job, order.who.trial, std::move(where), result.kept.what.bytes};
  parcels_.insert_or_assign(what.number, parcel{std::move(copy), std::move(*reader)});
  return result;
}

checkpoint_piece checkpoint_packer::read(const piece_wanted& what) {
  checkpoint_piece result{what.number, what.offset, {}, {}};
  auto known = parcels_.find(what.number);
  if (known == parcels_.end() || what.size > max_chunk_bytes) {
    result.why = "there is no such piece";
    return result;
  }
  auto bytes = known->second.from.read(what.offset, what.size);
  if (bytes)
    result.bytes = std::move(*bytes);
  else
    result.why = to_text(bytes.error());
  return result;
}

void checkpoint_packer::unpack(const unpack_order& what) {
  auto gone = parcels_.extract(what.number);
  if (gone.empty())
    return;
  if (!what.is_at_head)
    return remove_tree(gone.mapped().what.where);
  copies_.add(std::move(gone.mapped().what));
  tidy();
}

void checkpoint_packer::bring(bring_order what) {
  wanted_.push_back(std::move(what));
  begin_next();
}

void checkpoint_packer::begin_next() {
  while (!now_ && !wanted_.empty()) {
    const auto& next = wanted_.front();
    auto begun = begin(next);
    if (begun && !*begun)
      return;
    attempt_prepared how;
    how.checkpoints = next.what.directory;
    how.restore = next.what.directory / next.what.who.restore_from;
    if (!begun) {
      how.why = to_text(begun.error());
      how.is_passing = begun.error().code == ec::shortage;
    }
    end(std::move(how));
  }
}

/// @returns whether it is here already.
expected<bool> checkpoint_packer::begin(const bring_order& what) {
  const auto& location = what.what.who.restore_from;
  if (!is_checkpoint_location(location))
    return error{ec::protocol, location + " is no checkpoint"};
  const auto where = what.what.directory / location;
  if (is_here(where, what.stream.manifest_hash))
    return true;
  checkpoint_draft draft{what.what.directory, where, 0, false};
  draft.directory += draft_suffix;
  remove_tree(where);
  remove_tree(draft.directory);
  auto begun = incoming_checkpoint::begin(what.number, std::move(draft), what.stream, limits_);
  if (!begun)
    return begun.error();
  now_.emplace(std::move(*begun));
  return false;
}

void checkpoint_packer::take(const checkpoint_piece& what) {
  if (!now_ || now_->number() != what.number)
    return;
  attempt_prepared how;
  how.checkpoints = wanted_.front().what.directory;
  how.restore = how.checkpoints / wanted_.front().what.who.restore_from;
  if (auto taken = now_->take(what); !taken) {
    how.why = "the checkpoint cannot be restored: " + to_text(taken.error());
    // What the head cannot give, or is not what its manifest says, nobody can restore.
    how.is_passing = taken.error().code == ec::shortage;
    how.is_bad = taken.error().code != ec::storage && !how.is_passing;
  } else if (!now_->is_complete()) {
    return;
  } else if (auto placed = now_->place(); !placed) {
    how.why = to_text(placed.error());
    how.is_passing = placed.error().code == ec::shortage;
  }
  now_.reset();
  end(std::move(how));
  begin_next();
}

/// The first that is wanted came to its end.
void checkpoint_packer::end(attempt_prepared how) {
  auto done = std::move(wanted_.front());
  wanted_.pop_front();
  if (how.why.empty()) {
    const auto& who = done.what.who;
    copies_.add({who.job, who.trial, how.restore, done.stream.bytes - done.stream.manifest_size});
    copies_.use(how.restore);
    in_use_[{who.job, who.attempt.epoch, who.attempt.counter}] = how.restore;
    tidy();
  }
  ended_.push_back({done.number, std::move(how)});
}

void checkpoint_packer::drop(std::uint64_t number) {
  if (now_ && now_->number() == number) {
    now_.reset();
    wanted_.pop_front();
  } else {
    std::erase_if(wanted_, [&](const bring_order& x) { return x.number == number; });
  }
  begin_next();
}

std::vector<piece_wanted> checkpoint_packer::due() {
  return now_ ? now_->due() : std::vector<piece_wanted>{};
}

std::vector<brought> checkpoint_packer::ended() {
  return std::exchange(ended_, {});
}

void checkpoint_packer::leave(const attempt_left& what) {
  const auto& who = what.who;
  remove_drafts(what.checkpoints, trial_id{who.trial}, who.attempt);
  auto gone = in_use_.extract({who.job, who.attempt.epoch, who.attempt.counter});
  if (gone.empty())
    return;
  copies_.release(gone.mapped());
  tidy();
}

void checkpoint_packer::forget(const std::string& job) {
  copies_.forget(job);
  std::erase_if(in_use_, [&](const auto& x) { return std::get<0>(x.first) == job; });
}

void checkpoint_packer::tidy() {
  for (const auto& where : copies_.surplus())
    remove_tree(where);
}

} // namespace tune
