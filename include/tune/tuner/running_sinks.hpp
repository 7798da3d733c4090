/// The sinks of one experiment while it runs: each on a thread of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/sink.hpp"
#include "tune/io/sinks/sink_feed.hpp"
#include "tune/io/spec/spec.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune {

/// How long sinks may still take. For any thread.
class sink_patience {
public:
  /// @param most Time from `end` on.
  explicit sink_patience(std::chrono::nanoseconds most);
  ~sink_patience();
  /// The run is over: the time begins. Only the first call counts.
  void end();
  /// Time left; more than any call takes while the run goes on.
  [[nodiscard]] std::chrono::milliseconds left() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The sinks that the configuration names, with checked options.
/// @param directory The experiment's, absolute.
[[nodiscard]] std::vector<chosen_sink> chosen_sinks(const spec& what, const sink_catalogue& all,
                                                    const std::filesystem::path& directory);

/// All sinks of an experiment. Trouble with one is news, and costs no trial and no other sink.
class running_sinks {
public:
  /// @param finish_timeout How long they may take at the end, all together.
  /// @param tell Takes news for people, from another thread. May be empty.
  running_sinks(caf::actor_system& system, const std::filesystem::path& directory,
                std::vector<chosen_sink> which, std::chrono::nanoseconds finish_timeout,
                const std::function<void(const std::string&)>& tell);
  running_sinks(const running_sinks&) = delete;
  running_sinks& operator=(const running_sinks&) = delete;

  /// Has them follow what the recorder commits.
  void follow(const recorder_actor& recorder);
  /// Tells them what is committed, where there is no recorder.
  void committed(sequence last);
  /// Waits until they are done with everything up to `last`, or their time is over. The names of
  /// those that are not are kept: see `owed_sinks`.
  /// @returns these names.
  std::vector<std::string> settle(sequence last);
  void dismiss();
  [[nodiscard]] const std::vector<sink_actor>& actors() const { return actors_; }

private:
  caf::actor_system& system_;
  std::filesystem::path directory_;
  std::function<void(const std::string&)> tell_;
  std::shared_ptr<sink_patience> patience_;
  std::vector<sink_actor> actors_;
  /// Of `actors_`, in their order.
  std::vector<std::string> names_;

  void keep(const std::vector<std::string>& owed) const;
};

} // namespace tune
