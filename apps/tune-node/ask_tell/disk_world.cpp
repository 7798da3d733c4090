// SPDX-License-Identifier: BSD-3-Clause
#include "ask_tell/disk_world.hpp"

#include "console/text.hpp"

#include "tune/core/program_name.hpp"

#include <iostream>
#include <utility>

namespace tune::cli {

namespace {

/// Time between two updates of the trial files, which are for people and may lag behind.
constexpr std::chrono::seconds between_files{1};

} // namespace

disk_world::disk_world(std::shared_ptr<experiment_store> store, bool trial_files, bool quiet)
    : store_{std::move(store)}, wants_files_{trial_files}, quiet_{quiet} {}

instant disk_world::now() const {
  return before_ + std::chrono::duration_cast<instant>(clock::now() - began_);
}

std::int64_t disk_world::wall_ms() const {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

expected<void> disk_world::commit(std::span<const store_item> items) {
  auto done = store_->write(items);
  if (done && committed_)
    committed_();
  return done;
}

void disk_world::warn(const std::string& text) {
  if (!quiet_)
    std::cerr << program_name() << ": warning: " << printable(text) << '\n';
}

void disk_world::write_files(bool at_once) {
  if (!wants_files_ || (!at_once && clock::now() - written_ < between_files))
    return;
  // After a shortage, which may pass, the next call tries again, if there is one.
  if (auto done = catch_up(); !done && (at_once || done.error().code != ec::shortage)) {
    wants_files_ = false;
    warn("trial files are not written any more: " + to_text(done.error()));
  }
  written_ = clock::now();
}

expected<void> disk_world::catch_up() {
  if (files_ == nullptr) {
    auto made
        = trial_files::open(store_->directory(), [this](const std::string& what) { warn(what); });
    if (!made)
      return made.error();
    files_ = std::move(*made);
  }
  return files_->catch_up(store_->last_seq());
}

} // namespace tune::cli
