/// Interfaces of trainables in C++: a class with steps, or a function that reports.
///
/// This header includes no third-party library.
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

/// The metrics of one step or report. Names may be any text; nested objects are addressed with '/'.
using metrics = object;

/// One of the bundles granted to a trial.
struct trial_bundle {
  std::string node;
  /// Address at which the nodes of the other bundles reach it.
  std::string address;
  double cpus = 0;
  double gpus = 0;
  /// 0: not counted. [bytes]
  std::uint64_t memory = 0;
  /// `CUDA_VISIBLE_DEVICES` for a process on that node: "0,1"; empty: none.
  std::string devices;
  friend bool operator==(const trial_bundle&, const trial_bundle&) = default;
};

/// Information for a trainable about its surroundings.
struct trial_context {
  std::string trial_id;
  std::string experiment;
  /// The trial's own directory: its working directory where it runs in a process of its own.
  std::filesystem::path directory;
  /// Resources of the first bundle of its request.
  double cpus = 1;
  double gpus = 0;
  /// `CUDA_VISIBLE_DEVICES` if GPUs were granted.
  std::string visible_devices;
  /// Formats to export at the end of the trial, and the directory for them, with one entry per
  /// format.
  std::vector<std::string> exports = {};
  std::filesystem::path export_directory = {};
  /// All granted bundles, in the order of the request: the first is the trainable's own, the others
  /// are for its helpers, if it has any. Empty if unknown.
  std::vector<trial_bundle> bundles = {};
  /// The trial has come to its end, and is restored only to export: if it trains on nevertheless,
  /// it is ended at its next report, which does not count.
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

  /// Called once, first. @param config the trial's configuration.
  virtual void setup(const object& config, const trial_context& context) = 0;

  /// Does one unit of training. @returns its metrics; `"done": true` among them ends the trial.
  virtual metrics step() = 0;

  /// Writes all state into `directory`, which exists and is empty.
  virtual void save(const std::filesystem::path& directory);
  /// Restores the state that `save` wrote.
  virtual void load(const std::filesystem::path& directory);
  /// Whether `save` and `load` are implemented; if not, the trial cannot be paused.
  [[nodiscard]] virtual bool can_save() const { return false; }

  /// Switches an existing instance to another configuration. @returns whether it could.
  ///
  /// Afterwards it must be as if newly set up, wherever the training before was left off. If it
  /// returns false, the instance is cleaned up, and another one is made and set up.
  virtual bool reset(const object& config);
  /// Like `reset`, for another trial; override it in a class that keeps something of the context
  /// given to `setup`, such as its trial's id or directory. The default calls `reset`.
  virtual bool reset_for(const object& config, const trial_context& context);
  /// Writes the trained result into `directory`, which exists and is empty, in `format`: called at
  /// the end of its trial for each of `[trainable] export`. An exception fails that export only.
  /// @returns whether it knows the format.
  virtual bool export_model(const std::filesystem::path& directory, std::string_view format);
  /// Called once, last, also after an error. Not called if the process is ended by force.
  virtual void cleanup();
};

/// The runtime's interface to a function trainable.
class session {
public:
  virtual ~session() = default;

  [[nodiscard]] virtual const object& config() const = 0;
  [[nodiscard]] virtual const trial_context& context() const = 0;

  /// Reports metrics and waits until they were judged.
  /// @returns whether to go on; false: return from the function soon.
  virtual bool report(metrics what) = 0;
  /// Reports metrics with a checkpoint: the content of `directory` is copied before this returns.
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

/// C++ trainables by name. A value that apps fill and pass on.
class trainable_registry {
public:
  struct entry {
    std::string name;
    std::string summary;
    /// Exactly one of the three is set.
    trainable_function function;
    trainable_maker maker;
    std::shared_ptr<const own_trainable> actor = {};
    /// Only for an actor: whether it saves when it is asked to.
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

  /// Registers an actor. Programs call the function `tune::add_actor` instead, which knows its
  /// type.
  void add_actor(std::string name, std::shared_ptr<const own_trainable> what, bool can_save,
                 std::string summary = {});

  [[nodiscard]] const entry* find(std::string_view name) const;
  /// Sorted by name.
  [[nodiscard]] std::vector<const entry*> entries() const;

private:
  std::map<std::string, entry, std::less<>> entries_;
};

} // namespace tune
