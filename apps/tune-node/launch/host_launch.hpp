/// One machine of a launch: the program is brought there, and a worker runs there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "launch/host_scripts.hpp"
#include "launch/program_bundle.hpp"
#include "launch/ssh_target.hpp"

#include "tune/io/process/piped_program.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tune::cli {

/// What all machines of a launch have in common.
struct launch_plan {
  /// The program that connects, with its first words. [not empty]
  std::vector<std::string> ssh{"ssh"};
  /// A program that is there already; empty: this one is copied.
  std::string program;
  /// Whether workers dial this machine, in the place of a forwarded port.
  bool is_direct = false;
  /// See `host_worker`.
  std::string below;
  std::string tag = {};
  /// Further options of each worker.
  std::vector<std::string> worker_options;
  /// Where the archive of the program is written.
  std::filesystem::path scratch;
  /// The line that `--version` of this program prints.
  std::string version;
  bool quiet = false;
  /// What its lines begin with.
  std::string who = "launch";
};

/// What a machine told when it was asked; see `probing_script`.
struct host_report {
  std::string system;
  std::string here;
  std::string own;
  std::string named;
  bool is_whole = false;
};

[[nodiscard]] host_report host_report_from(const std::vector<std::string>& lines);

/// What follows from a report.
struct host_verdict {
  /// Why the machine cannot take part; empty: it can.
  std::string fault;
  bool needs_copy = false;
  /// For people; empty: nothing.
  std::string note;
};

/// @param system That of this program, as `uname -sm` has it.
[[nodiscard]] host_verdict judge_host(const host_report& x, const launch_plan& plan,
                                      const std::string& system);

/// The port in ssh's line "Allocated port 4711 for remote forward to …"; 0: it is another line.
[[nodiscard]] std::uint16_t allocated_port(const std::string& line);

/// Steps of one machine. One thread at a time calls them; the questions are for any thread.
class host_launch {
public:
  /// @param stop Ends every step soon once it is true. @param bundle Null: nothing is copied. All
  ///             outlive this object.
  host_launch(const launch_plan& plan, program_bundle* bundle, ssh_target whom, std::string node,
              const std::atomic<bool>& stop)
      : plan_{plan}, bundle_{bundle}, whom_{std::move(whom)}, node_{std::move(node)}, stop_{stop} {}

  /// Connects, and brings the program if it is not there.
  void prepare();
  /// Ends what other workers with this plan's tag left there. @returns whether nothing is left;
  /// tells what.
  bool clean();
  /// Runs a worker, until it ends or `stop` is true.
  /// @param port Where the head listens.
  void work(std::uint16_t port, const host_certificates& by);

  [[nodiscard]] const ssh_target& whom() const { return whom_; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] bool has_joined() const { return has_joined_; }

private:
  /// How a call of ssh ended.
  struct outcome {
    int status = 0;
    /// The lines with our mark, without it.
    std::vector<std::string> told;
    /// The last line of stderr that may be a cause.
    std::string cause;
  };
  using line_taker = std::function<void(const std::string&)>;

  const launch_plan& plan_;
  program_bundle* bundle_;
  ssh_target whom_;
  std::string node_;
  const std::atomic<bool>& stop_;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> has_joined_ = false;

  void tell(const std::string& text, bool matters = false) const;
  void fail(const std::string& why);
  [[nodiscard]] outcome call(const std::string& command, const program_input& input);
  [[nodiscard]] outcome follow(piped_program& ssh, const line_taker& out, const line_taker& err);
  [[nodiscard]] static std::string cause_of(const outcome& x, const std::string& doing);
  void place();
  void heed(const std::string& line);
};

} // namespace tune::cli
