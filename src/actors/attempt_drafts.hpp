/// The directories that one attempt writes checkpoints into. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace tune {

/// Has the directories made and removed by others, since the disk may hang and an actor must not
/// wait for it. Lives in the state of the attempt's actor. One draft is open at a time.
class attempt_drafts {
public:
  /// @param what must outlive it.
  void init(const trainable_start& what) {
    what_ = &what;
    names_.emplace(names_of(what));
  }

  /// Has the next draft made. A draft that is still open is removed.
  /// @param then Called with the reason why it was not made, or an empty one: see `directory`. Not
  ///             called if the draft is given up before.
  template <class Self, class Then>
  void begin(Self* self, bool in_memory, Then then) {
    open(self, in_memory);
    request(self, what_->maker, caf::infinite, directory_wanted{*place_})
        .then([this, then, turn = turn_](const directory_made& x) { take(turn, x, then); },
              [this, self, then, turn = turn_](const caf::error& why) {
                take(turn, directory_made{{}, render(self->system(), why)}, then);
              });
  }

  /// Opens a draft that the checkpoint service makes.
  template <class Self>
  [[nodiscard]] const attempt_directory& begin_elsewhere(Self* self) {
    open(self, false);
    made_.path = place_->on_disk / place_->name;
    return *place_;
  }

  /// The directory to write into; empty while it is being made.
  [[nodiscard]] const std::filesystem::path& directory() const { return made_.path; }
  [[nodiscard]] bool is_in_memory() const { return made_.in_memory; }
  /// Whether a draft is open, so neither handed over nor given up.
  [[nodiscard]] bool is_open() const { return place_.has_value(); }
  [[nodiscard]] bool is_being_made() const { return is_open() && made_.path.empty(); }
  /// Whether `directory` is the open draft, by its name: a program may mean an earlier one.
  [[nodiscard]] bool is_of(const std::filesystem::path& directory) const {
    const auto normal = (directory / "").lexically_normal().parent_path();
    return is_open() && !is_being_made() && normal.filename() == made_.path.filename();
  }

  /// The draft is written, and belongs to the checkpoint service from now on.
  [[nodiscard]] std::filesystem::path hand_over() {
    place_.reset();
    return std::exchange(made_, {}).path;
  }

  /// Gives up the open draft.
  template <class Self>
  void give_up(Self* self) {
    if (!place_)
      return;
    // The maker gets this after the order to make it.
    if (is_being_made())
      send(self, what_->maker, directory_unwanted{*place_});
    else
      send(self, what_->checkpoint_service, drop_directory{attempt_claim{what_->order}, *place_});
    place_.reset();
    made_ = {};
  }

  [[nodiscard]] std::filesystem::path next_name() { return names_->next_draft(); }

private:
  const trainable_start* what_ = nullptr;
  std::optional<checkpoint_names> names_;
  /// Path of the open draft.
  std::optional<attempt_directory> place_;
  made_directory made_;
  /// Number of the open draft, to tell late answers from current ones.
  std::uint64_t turn_ = 0;

  template <class Self>
  void open(Self* self, bool in_memory) {
    give_up(self);
    ++turn_;
    place_.emplace(attempt_directory{next_name(), what_->checkpoints,
                                     in_memory ? memory_of(*what_) : std::filesystem::path{}});
  }

  template <class Then>
  void take(std::uint64_t turn, const directory_made& x, const Then& then) {
    if (turn != turn_ || !place_)
      return;
    made_ = x.what;
    if (!x.why.empty())
      place_.reset();
    then(x.why);
  }
};

} // namespace tune
