/// Runs one C++ trainable against whoever judges it: on a thread, or in a host process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/trainable/trainable.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// What a trainable has to do after a report.
struct link_answer {
  enum class kind : std::uint8_t {
    /// Train on.
    go_on,
    /// Write a checkpoint into `directory`, then train on.
    save,
    /// Write a checkpoint into `directory`, then end.
    pause,
    /// End.
    stop,
  };
  kind what = kind::go_on;
  /// Exists and is empty; set for `save` and `pause`.
  std::filesystem::path directory;
  /// For `pause` and `stop`: it is the end of the trial, and what was asked for is to be exported.
  bool exports = false;

  friend bool operator==(const link_answer&, const link_answer&) = default;
};

/// What a trainable is to export.
struct export_order {
  /// For each format what is written has its name here: `directory/format`.
  std::filesystem::path directory;
  std::vector<std::string> formats;
};

/// The other end of a running trainable. All calls come from the trainable's thread.
class trainable_link {
public:
  virtual ~trainable_link() = default;

  /// Setup (and restore) succeeded; training begins.
  /// @param can_save whether `save` and `pause` can be obeyed. A function never can: it hands
  ///        checkpoints over with its reports.
  virtual void ready(bool can_save) { static_cast<void>(can_save); }

  /// Hands a report over and waits for its answer.
  /// @param what       the metrics, without `done`.
  /// @param done       it is the trainable's last; `save` and `stop` are still obeyed.
  /// @param checkpoint a directory whose content is to be taken over before this returns, or null.
  [[nodiscard]] virtual link_answer report(metrics what, bool done,
                                           const std::filesystem::path* checkpoint)
      = 0;

  /// What an answer asked for lies in `directory`. May wait until it was taken over.
  virtual void saved(const std::filesystem::path& directory) = 0;

  /// It does not, and `directory` may hold a part; the trainable trains on.
  virtual void save_failed(const std::filesystem::path& directory, std::string_view why) = 0;

  /// What to export; asked once training has come to its end. No formats: nothing.
  [[nodiscard]] virtual export_order exports() { return {}; }

  /// This format is not there.
  virtual void export_failed(std::string_view format, std::string_view why) {
    static_cast<void>(format);
    static_cast<void>(why);
  }

  /// Whether the trainable is wanted no longer; asked before each step, from any thread.
  [[nodiscard]] virtual bool should_stop() const = 0;
};

/// A checkpoint could not be loaded: the checkpoint is at fault, not the configuration.
class restore_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Runs attempts of one trainable one after the other, and keeps the instance of a class: it is
/// reset instead of made anew. A function is just called again.
class kept_trainable {
public:
  /// @param what must outlive it.
  explicit kept_trainable(const trainable_registry::entry& what) : what_{what} {}

  /// One attempt, as below, but `cleanup` is left to `end`.
  ///
  /// An instance that refuses its reset is cleaned up, and another is made and set up.
  /// @throws as below; the instance is cleaned up by then, and the next attempt makes another.
  void drive(const object& config, const trial_context& context,
             const std::optional<std::filesystem::path>& restore, trainable_link& link);
  /// Cleans up the instance, if there is one. @throws what its `cleanup` throws.
  void end();

private:
  const trainable_registry::entry& what_;
  std::unique_ptr<trainable> instance_;

  void begin(const object& config, const trial_context& context);
};

/// Runs `what` from set-up to clean-up. Returns when it came to its end, was stopped or paused.
///
/// A class whose `save` throws reports `save_failed` and trains on, also where it was to pause. A
/// function that is asked to save likewise. `"done": true` among the metrics makes a report the
/// last one.
///
/// @param restore the directory of the checkpoint to go on from.
/// @throws restore_error if `load` threw; whatever else the trainable throws passes through, after
///         `cleanup`.
void drive(const trainable_registry::entry& what, const object& config,
           const trial_context& context, const std::optional<std::filesystem::path>& restore,
           trainable_link& link);

/// The text of the exception being handled: `what()`, or "unknown exception".
[[nodiscard]] std::string current_exception_text();

} // namespace tune
