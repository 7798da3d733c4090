/// The process of one attempt: a new one, or a host that served other trials before. Private to
/// actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kept_hosts.hpp"
#include "pattern_reader.hpp"
#include "process_launcher.hpp"
#include "trial_process.hpp"

#include "tune/io/process/line_protocol.hpp"

#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

namespace tune {

/// Starts the process and talks to it. Lives in the state of the attempt's actor.
class attempt_process {
public:
  /// @param what must outlive it.
  /// @param to   The attempt's actor.
  /// @param reader Reads metrics from the program's output; null: it speaks the protocol.
  void init(const trainable_start& what, process_impl to, const process_means& means,
            std::shared_ptr<pattern_reader> reader) {
    what_ = &what;
    to_ = std::move(to);
    processes_ = means.processes;
    hosts_ = means.hosts;
    needs_ = host_key_of(what);
    is_kept_ = is_kept(what);
    reader_ = std::move(reader);
  }

  /// @param params The file with the trial's parameters.
  void start(std::filesystem::path params) {
    params_ = std::move(params);
    auto found = hosts_->take(needs_);
    if (!found)
      return launch();
    is_unproven_ = true;
    is_used_ = true;
    process_ = processes_->hand_on(*found, turn_of(*what_), listener(),
                                   to_line(host_order_of(*what_, params_)));
  }

  /// Starts a new process; its exit may be the first that is heard of it.
  void launch() {
    is_used_ = false;
    auto order = order_of(*what_, params_);
    if (auto why = why_not_passed(*what_, order, params_); !why.empty())
      never_start(why);
    else
      process_ = processes_->launch(std::move(order), listener());
  }

  /// Reports an exit of a process that never ran.
  void never_start(const std::string& why) {
    exit_info never;
    never.trouble = why;
    send_from_outside(to_, process_news{never});
  }

  /// Whether the process has served other trials before this one.
  [[nodiscard]] bool is_used() const { return is_used_; }
  /// The host has shown that it still works.
  void prove() { is_unproven_ = false; }
  /// After an exit: whether a host was broken before it came to this trial, so that a new process
  /// is worth starting. True once.
  [[nodiscard]] bool was_broken_before() {
    return std::exchange(is_unproven_, false) && !is_told_to_end_;
  }

  /// Whether the line tells that the host has done with this trial.
  [[nodiscard]] bool is_idle(std::string_view line) const { return is_kept_ && line == idle_line; }

  /// Keeps the host for other trials.
  void park() {
    // A host that was told to end meanwhile ends.
    if (is_told_to_end_)
      return hear_on();
    // Refused if the trial left something running: then the process ends, like one for a single
    // trial.
    hosts_->park(process_, needs_);
  }

  /// The program may train on.
  void go_on() {
    if (reader_)
      reader_->go_on();
    else
      answer({});
  }
  /// See `pattern_reader::tell_usage`. The end of another program comes by itself.
  void tell_usage() {
    if (reader_)
      reader_->tell_usage();
  }
  void answer(const link_answer& what) { processes_->answer(process_, to_line(what)); }
  /// Further lines of the report descriptor may come.
  void hear_on() { processes_->resume_reports(process_); }
  void read_on() { processes_->resume_output(process_); }

  /// Ends the process by signals.
  void end() {
    is_told_to_end_ = true;
    if (reader_)
      reader_->drop();
    processes_->end(process_, what_->job->kill_grace);
  }

private:
  const trainable_start* what_ = nullptr;
  process_impl to_;
  std::shared_ptr<process_service> processes_;
  std::shared_ptr<kept_hosts> hosts_;
  host_key needs_;
  std::shared_ptr<pattern_reader> reader_;
  std::filesystem::path params_;
  process_handle process_;
  /// The process may serve other trials, too.
  bool is_kept_ = false;
  /// The host served other trials before and has not shown yet that it still works.
  bool is_unproven_ = false;
  bool is_told_to_end_ = false;
  bool is_used_ = false;

  [[nodiscard]] std::shared_ptr<process_forwarder> listener() const {
    if (reader_)
      return reader_;
    return std::make_shared<process_forwarder>(to_);
  }
};

} // namespace tune
