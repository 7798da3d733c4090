/// What a user writes in C++: a class with steps, or a function that reports.
///
/// This header pulls in no library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// The metrics of one step or report. Names of any text; nested objects are read with '/'.
using metrics = object;

/// One bundle of what a trial was granted.
struct trial_bundle {
  std::string node;
  /// At which the nodes of the other bundles reach it.
  std::string address;
  double cpus = 0;
  double gpus = 0;
  /// Bytes; 0: not counted.
  std::uint64_t memory = 0;
  /// For `CUDA_VISIBLE_DEVICES` of a process on that node: "0,1"; empty: none.
  std::string devices;
  friend bool operator==(const trial_bundle&, const trial_bundle&) = default;
};

/// What a trainable may know of its surroundings.
struct trial_context {
  std::string trial_id;
  std::string experiment;
  /// The trial's own directory: its working directory where it runs in a process of its own.
  std::filesystem::path directory;
  /// The first bundle of its request.
  double cpus = 1;
  double gpus = 0;
  /// `CUDA_VISIBLE_DEVICES` where GPUs were granted.
  std::string visible_devices;
  /// Formats to export at the end of the trial; and where what is written of each has its name.
  std::vector<std::string> exports = {};
  std::filesystem::path export_directory = {};
  /// All that was granted, in the order of the request: the first is the trainable's own, the
  /// others are for its helpers, where it has any. Empty where nobody told.
  std::vector<trial_bundle> bundles = {};
  /// The trial has come to its end, and is restored only to export: one that trains on nevertheless
  /// is ended at its next report, which does not count.
  bool ends = false;
};

/// A trainable as a class, driven step by step.
///
/// Life: `setup` → (`load`) → `step`… with `save` in between → `cleanup`. All calls come from one
/// thread. Any exception is a user error of the trial with its text.
///
/// With `reuse_actors` an instance may serve several trials, one after the other: instead of
/// `cleanup` comes `reset_for` → (`load`) → `step`…, and `cleanup` once, before the instance goes.
class trainable {
public:
  virtual ~trainable() = default;

  /// Called once before all else. @param config the trial's configuration.
  virtual void setup(const object& config, const trial_context& context) = 0;

  /// One unit of training. @returns its metrics; `"done": true` among them ends the trial.
  virtual metrics step() = 0;

  /// Writes all state into `directory`, which exists and is empty.
  virtual void save(const std::filesystem::path& directory);
  /// Reads back what `save` wrote.
  virtual void load(const std::filesystem::path& directory);
  /// Whether `save` and `load` are there; without, the trial cannot be paused.
  [[nodiscard]] virtual bool can_save() const { return false; }

  /// Takes another configuration without being made anew. @returns whether it could.
  ///
  /// Afterwards it must be as if newly set up, wherever the training before it was left off. Where
  /// it could not, it is cleaned up, and another instance is made and set up.
  virtual bool reset(const object& config);
  /// The same for another trial; overridden by who keeps something of the context that `setup` was
  /// given: its trial's id or directory. The default calls `reset`.
  virtual bool reset_for(const object& config, const trial_context& context);
  /// Writes what it has learned into `directory`, which exists and is empty, in `format`: asked at
  /// the end of its trial for each of `[trainable] export`. What it throws fails that export only.
  /// @returns whether it knows the format.
  virtual bool export_model(const std::filesystem::path& directory, std::string_view format);
  /// Called once after all else, also after an error. Not where the process is ended by force.
  virtual void cleanup();
};

/// What a function trainable talks to.
class session {
public:
  virtual ~session() = default;

  [[nodiscard]] virtual const object& config() const = 0;
  [[nodiscard]] virtual const trial_context& context() const = 0;

  /// Hands metrics over and waits until they were judged.
  /// @returns whether to go on; false: return from the function soon.
  virtual bool report(metrics what) = 0;
  /// The same, with a checkpoint: the content of `directory` is taken over before it returns.
  virtual bool report(metrics what, const std::filesystem::path& directory) = 0;

  /// The directory of the checkpoint to go on from, if any.
  [[nodiscard]] virtual std::optional<std::filesystem::path> restore_from() const = 0;
  /// Whether the runtime wants the function to end; may be asked at any time.
  [[nodiscard]] virtual bool should_stop() const = 0;
};

using trainable_function = std::function<void(session&)>;
using trainable_maker = std::function<std::unique_ptr<trainable>()>;

/// A trainable that is an actor of the program's own: see tune/actors/own_trainable.hpp.
struct own_trainable;

/// C++ trainables by name. A value: apps fill it and hand it down.
class trainable_registry {
public:
  struct entry {
    std::string name;
    std::string summary;
    /// Exactly one of the three is set.
    trainable_function function;
    trainable_maker maker;
    std::shared_ptr<const own_trainable> actor = {};
    /// Of an actor: whether it saves when it is asked to.
    bool actor_saves = false;
  };

  /// Registers a function; a later one of the same name wins.
  void add_function(std::string name, trainable_function what, std::string summary = {});
  /// Registers a class by its maker.
  void add_class(std::string name, trainable_maker what, std::string summary = {});
  /// Registers a default-constructible class.
  template <class T>
  void add_class(std::string name, std::string summary = {}) {
    add_class(std::move(name), trainable_maker{[] { return std::make_unique<T>(); }},
              std::move(summary));
  }

  /// Registers an actor. Programs call the function `tune::add_actor`, which knows what it is.
  void add_actor(std::string name, std::shared_ptr<const own_trainable> what, bool can_save,
                 std::string summary = {});

  [[nodiscard]] const entry* find(std::string_view name) const;
  /// Sorted by name.
  [[nodiscard]] std::vector<const entry*> entries() const;

private:
  std::map<std::string, entry, std::less<>> entries_;
};

} // namespace tune
