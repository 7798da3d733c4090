// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint_packer.hpp"

#include "tune/actors/checkpoint_service.hpp"
#include "tune/io/artifacts/artifacts.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_scan.hpp"
#include "tune/io/files/sha256.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Ignores failures: leftovers go with the job's directory, whose removal is reported.
void remove_copy(const fs::path& where) {
  static_cast<void>(remove_from_attempt(where));
}

/// The number in "checkpoint_000007"; 0 if there is none.
std::uint64_t number_in(const std::string& location) {
  const std::string_view digits = std::string_view{location}.substr(location.rfind('_') + 1);
  std::uint64_t result = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), result);
  return result;
}

fs::path place_of(const bring_order& what) {
  return what.what.directory / what.what.who.restore_from;
}

fs::path draft_of(const bring_order& what) {
  auto result = place_of(what);
  result += draft_suffix;
  return result;
}

/// Clears the place to which the checkpoint will come.
/// @errors `ec::refused` if something that the trial put there cannot be removed, such as a mount:
///   a retry would not help.
expected<void> clear_place(const bring_order& what) {
  for (const auto& x : {place_of(what), draft_of(what)}) {
    auto gone = is_checkpoint_location(what.what.who.restore_from) ? remove_from_attempt(x)
                                                                   : expected<void>{};
    if (!gone && gone.error().code == ec::refused)
      return error{ec::refused, "the checkpoint cannot be restored: " + gone.error().detail};
  }
  return {};
}

} // namespace

sliced<packed> checkpoint_packer::packing(pack_order what) {
  // Only the head's copy must be durable.
  what.what.what.durable = what.is_shared;
  auto kept = keeping_here(what.what);
  return parceling(std::move(what), std::move(kept));
}

sliced<packed> checkpoint_packer::parceling(pack_order what, sliced<draft_kept> work) {
  const auto& order = what.what;
  packed result;
  result.kept = co_await std::move(work);
  if (!result.kept.why.empty() || what.is_shared
      || result.kept.what.location.starts_with(kept_in_memory))
    co_return result;
  const auto& root = order.on_disk.empty() ? order.what.experiment : order.on_disk;
  auto where = root / result.kept.what.location;
  auto reader = checkpoint_reader::open(where);
  if (!reader) {
    remove_copy(where);
    result.kept.why = to_text(reader.error());
    co_return result;
  }
  result.sequence = number_in(result.kept.what.location);
  result.stream = to_words(reader->outline());
  checkpoint_copy copy{order.who.job, order.who.trial, std::move(where), result.kept.what.bytes};
  parcels_.insert_or_assign(what.number, parcel{std::move(copy), std::move(*reader)});
  co_return result;
}

void checkpoint_packer::leave_out_brought(const trial_key& whose, checkpoint_manifest& from) const {
  const auto known = brought_.find(whose);
  if (known == brought_.end())
    return;
  std::erase_if(from.files, [&](const shipped_file& file) {
    const auto before = known->second.find(file.path);
    return before != known->second.end() && before->second == file.hash;
  });
}

sliced<packed_artifacts> checkpoint_packer::packing(pack_artifacts what) {
  const auto& order = what.what;
  packed_artifacts result;
  auto listed = co_await listing_artifacts(order.directory, order.rules, order.except);
  if (!listed) {
    result.why = to_text(listed.error());
    co_return result;
  }
  result.why = std::move(listed->left_behind);
  const trial_key whose{order.who.job, order.who.trial};
  leave_out_brought(whose, listed->content);
  if (listed->content.files.empty())
    co_return result;
  auto files = listed->content.files;
  auto reader = checkpoint_reader::of(order.directory, std::move(listed->content));
  if (!reader) {
    result.why = to_text(reader.error());
    co_return result;
  }
  result.stream = to_words(reader->outline());
  result.travels = true;
  parcels_.insert_or_assign(what.number,
                            parcel{std::nullopt, std::move(*reader), whose, std::move(files)});
  co_return result;
}

checkpoint_piece checkpoint_packer::read(const piece_wanted& what) {
  checkpoint_piece result{what.number, what.offset, {}, {}, false};
  auto known = parcels_.find(what.number);
  if (known == parcels_.end() || what.size > max_chunk_bytes) {
    result.why = "there is no such piece";
    return result;
  }
  auto bytes = known->second.from.read(what.offset, what.size);
  if (bytes) {
    result.bytes = std::move(*bytes);
  } else {
    result.why = to_text(bytes.error());
    result.is_passing = bytes.error().code == ec::shortage;
  }
  return result;
}

void checkpoint_packer::unpack(const unpack_order& what) {
  auto gone = parcels_.extract(what.number);
  if (gone.empty())
    return;
  if (const auto& done = gone.mapped(); !done.what) {
    for (const auto& file : done.files) {
      if (what.is_at_head)
        brought_[done.whose][file.path] = file.hash;
    }
    return;
  }
  auto& copy = *gone.mapped().what;
  if (!what.is_at_head)
    return remove_copy(copy.where);
  const auto job = copy.job;
  copies_->add(std::move(copy));
  tidy(job);
}

void checkpoint_packer::bring(bring_order what) {
  arrivals_.push_back({std::move(what), false, std::nullopt});
}

std::list<checkpoint_packer::arrival>::iterator checkpoint_packer::find(std::uint64_t number) {
  return std::find_if(arrivals_.begin(), arrivals_.end(),
                      [&](const arrival& x) { return x.what.number == number; });
}

std::vector<bring_order> checkpoint_packer::to_look_for() {
  std::vector<bring_order> result;
  std::set<fs::path> taken;
  for (auto& x : arrivals_) {
    const auto is_first = taken.insert(place_of(x.what)).second;
    if (taken.size() > most_at_once)
      break;
    if (is_first && !std::exchange(x.is_looked_for, true))
      result.push_back(x.what);
  }
  return result;
}

sliced<bool> checkpoint_packer::looking_for(bring_order what) {
  const auto where = place_of(what);
  auto text = read_checkpoint_manifest(where);
  if (!text || !*text || sha256_of(**text) != what.stream.manifest_hash)
    co_return false;
  auto good = co_await verifying_checkpoint(where);
  co_return good.has_value();
}

void checkpoint_packer::looked(std::uint64_t number, bool is_here) {
  auto known = find(number);
  if (known == arrivals_.end())
    return;
  if (is_here)
    return end(known, nullptr);
  if (auto clear = clear_place(known->what); !clear)
    return end(known, &clear.error(), true);
  auto begun = begin(known->what);
  if (!begun)
    return end(known, &begun.error());
  known->from.emplace(std::move(*begun));
}

expected<incoming_checkpoint> checkpoint_packer::begin(const bring_order& what) const {
  const auto& location = what.what.who.restore_from;
  if (!is_checkpoint_location(location))
    return error{ec::protocol, location + " is no checkpoint"};
  checkpoint_draft draft{what.what.directory, draft_of(what), 0, false};
  return incoming_checkpoint::begin(what.number, std::move(draft), what.stream, limits_);
}

void checkpoint_packer::take(const checkpoint_piece& what) {
  auto known = find(what.number);
  if (known == arrivals_.end() || !known->from)
    return;
  if (auto taken = known->from->take(what); !taken) {
    const error why{taken.error().code,
                    "the checkpoint cannot be restored: " + to_text(taken.error())};
    // A checkpoint that the head cannot give, or that differs from its manifest, is lost for good.
    return end(known, &why, why.code != ec::storage && why.code != ec::shortage);
  }
  if (!known->from->is_complete())
    return;
  // Not synced, since the head's copy counts.
  auto placed = incoming_checkpoint::place(std::move(*known->from));
  end(known, placed ? nullptr : &placed.error());
}

void checkpoint_packer::end(std::list<arrival>::iterator which, const error* trouble, bool is_bad) {
  attempt_prepared how;
  how.checkpoints = which->what.what.directory;
  how.restore = place_of(which->what);
  how.is_bad = is_bad;
  if (trouble != nullptr) {
    how.why = to_text(*trouble);
    how.is_passing = trouble->code == ec::shortage;
  }
  const auto done = std::move(which->what);
  arrivals_.erase(which);
  if (how.why.empty()) {
    const auto& who = done.what.who;
    copies_->add({who.job, who.trial, how.restore, done.stream.bytes - done.stream.manifest_size});
    copies_->use(how.restore);
    in_use_[{who.job, who.attempt.epoch, who.attempt.counter}] = how.restore;
    tidy(who.job);
  }
  ended_.push_back({done.number, std::move(how)});
}

void checkpoint_packer::drop(std::uint64_t number) {
  if (auto known = find(number); known != arrivals_.end())
    arrivals_.erase(known);
}

std::vector<piece_wanted> checkpoint_packer::due() {
  std::vector<piece_wanted> result;
  for (auto& x : arrivals_) {
    while (auto next = x.from ? x.from->next_due() : std::nullopt)
      result.push_back(*next);
  }
  return result;
}

std::vector<brought> checkpoint_packer::ended() {
  return std::exchange(ended_, {});
}

void checkpoint_packer::leave(const attempt_left& what) {
  const auto& who = what.who;
  auto gone = in_use_.extract({who.job, who.attempt.epoch, who.attempt.counter});
  if (gone.empty())
    return;
  copies_->release(gone.mapped());
  tidy(who.job);
}

void checkpoint_packer::forget(const std::string& job) {
  copies_->forget(job);
  std::erase_if(brought_, [&](const auto& x) { return x.first.first == job; });
  std::erase_if(in_use_, [&](const auto& x) { return std::get<0>(x.first) == job; });
}

void checkpoint_packer::tidy(const std::string& job) {
  for (const auto& where : copies_->surplus_of(job))
    remove_copy(where);
}

} // namespace tune
