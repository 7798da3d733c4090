/// Runs one C++ trainable against its judge: on a thread, or in a host process.
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

/// The answer to a report: what the trainable has to do.
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
  /// For `pause` and `stop`: whether it is the end of the trial, so that exports are to be made.
  bool exports = false;

  friend bool operator==(const link_answer&, const link_answer&) = default;
};

/// The exports that a trainable is to make.
struct export_order {
  /// The parent of the exports: each format is exported to `directory/format`.
  std::filesystem::path directory;
  std::vector<std::string> formats;
};

/// The other end of a running trainable. All calls come from the trainable's thread.
class trainable_link {
public:
  virtual ~trainable_link() = default;

  /// Setup (and restore) succeeded; training begins.
  /// @param can_save whether `save` and `pause` can be obeyed. For a function never: it hands
  ///         checkpoints over with its reports.
  virtual void ready(bool can_save) { static_cast<void>(can_save); }

  /// Sends a report and waits for its answer.
  /// @param what       the metrics, without `done`.
  /// @param done       whether it is the trainable's last; `save` and `stop` are still obeyed.
  /// @param checkpoint a directory whose content is to be copied before this returns, or null.
  [[nodiscard]] virtual link_answer report(metrics what, bool done,
                                           const std::filesystem::path* checkpoint)
      = 0;

  /// The checkpoint that an answer asked for is in `directory`. May wait until it was taken over.
  virtual void saved(const std::filesystem::path& directory) = 0;

  /// The checkpoint was not written, and `directory` may hold a part; the trainable trains on.
  virtual void save_failed(const std::filesystem::path& directory, std::string_view why) = 0;

  /// The exports to make; asked once training has come to its end. No formats: none.
  [[nodiscard]] virtual export_order exports() { return {}; }

  /// This format was not exported.
  virtual void export_failed(std::string_view format, std::string_view why) {
    static_cast<void>(format);
    static_cast<void>(why);
  }

  /// Whether the trainable is no longer wanted; asked before each step, from any thread.
  [[nodiscard]] virtual bool should_stop() const = 0;
};

/// A checkpoint could not be loaded: the checkpoint is at fault, not the configuration.
class restore_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Runs attempts of one trainable one after the other, and keeps the instance of a class, which is
/// reset instead of made anew. A function is just called again.
class kept_trainable {
public:
  /// @param what must outlive it.
  explicit kept_trainable(const trainable_registry::entry& what) : what_{what} {}

  /// Runs one attempt, like the function `drive` below, but `cleanup` is left to `end`.
  ///
  /// An instance that refuses its reset is cleaned up, and another one is made and set up.
  /// @throws like `drive` below; the instance is cleaned up by then, and the next attempt makes
  ///         another.
  void drive(const object& config, const trial_context& context,
             const std::optional<std::filesystem::path>& restore, trainable_link& link);
  /// Cleans up the instance, if there is one. @throws what its `cleanup` throws.
  void end();

private:
  const trainable_registry::entry& what_;
  std::unique_ptr<trainable> instance_;

  void begin(const object& config, const trial_context& context);
};

/// Runs `what` from set-up to clean-up. Returns when it has come to its end, or was stopped or
/// paused.
///
/// A class whose `save` throws reports `save_failed` and trains on, even where it was to pause. So
/// does a function that is asked to save. `"done": true` among the metrics makes a report the last
/// one.
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
