// SPDX-License-Identifier: BSD-3-Clause
#include "up/up_command.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "run/ending.hpp"
#include "run/interrupts.hpp"
#include "run/load_configuration.hpp"
#include "run/run_command.hpp"
#include "up/launch_place.hpp"
#include "up/rendezvous.hpp"
#include "worker/worker_command.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/process/notice_signal.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/net/transport.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

/// Rank 0 waits so long at its end for ranks that have not gone yet: longer than one of these may
/// dial an address where nobody answers, after which it sees the end.
constexpr milliseconds parting{30'000};
/// Another rank waits so long for the exit code after the head has let it go.
constexpr milliseconds until_code{15'000};
/// The same while rank 0 is there, which may still be writing.
constexpr milliseconds while_led{120'000};
/// One search for the head, and the longest wait between two tries of it.
constexpr std::chrono::seconds one_search{10};
constexpr milliseconds most_wait{1'000};
/// Wait between two searches.
constexpr milliseconds between_searches{500};
/// An end is that of a launch before this one if a rank 0 that begins removes it within this time.
constexpr milliseconds until_removed{5'000};

void say_of_launch(const std::string& text) {
  // In one piece, since any thread may call this.
  std::cerr << program_name() + " up: " + printable(text) + "\n";
}

/// The keys that the options of `up` mean for the leading process.
std::vector<named_text> offers_of(const up_request& what) {
  std::vector<named_text> result;
  auto set = [&result](const char* key, const auto& amount) {
    std::ostringstream text;
    text << amount;
    result.push_back({key, text.str()});
  };
  const auto& offers = what.worker.offers;
  if (offers.cpus)
    set("cluster.cpus", *offers.cpus);
  if (offers.gpus)
    set("cluster.gpus", *offers.gpus);
  if (offers.memory)
    set("cluster.memory", *offers.memory);
  auto set_list = [&set](const char* key, const std::vector<std::string>& list) {
    std::string all;
    for (const auto& x : list)
      all += (all.empty() ? "" : ", ") + x;
    if (!all.empty())
      set(key, all);
  };
  set_list("cluster.labels", offers.labels);
  set_list("cluster.taints", offers.taints);
  return result;
}

/// One process of a launch.
class launched {
public:
  launched(const command_line& line, const up_request& what, const choices& all, launch_place place)
      : line_{line}, what_{what}, all_{all}, place_{std::move(place)} {}

  exit_code run() {
    if (place_.size > 1 && !what_.meet_at) {
      auto found = rendezvous_directory();
      if (!found)
        return exit_code::configuration;
      directory_ = std::move(*found);
    }
    return place_.rank == 0 ? lead() : work();
  }

private:
  const command_line& line_;
  const up_request& what_;
  const choices& all_;
  launch_place place_;
  /// Empty: there is none.
  fs::path directory_;

  /// @returns nothing if the configuration, which has the storage, has faults; they were shown.
  std::optional<fs::path> rendezvous_directory() const {
    if (!what_.rendezvous.empty())
      return fs::absolute(what_.rendezvous).lexically_normal();
    // The warnings are for rank 0 to show.
    auto loaded = load_or_complain(what_.run.file, what_.run.overrides, all_, true);
    if (!loaded)
      return std::nullopt;
    const auto experiment = fs::absolute(experiment_directory(loaded->what, fs::current_path()));
    const auto& launch = place_.launch;
    const auto name = launch.empty() ? experiment.filename().string() : launch;
    return (experiment.parent_path() / (".up-" + name)).lexically_normal();
  }

  // -- Rank 0.

  exit_code lead() {
    std::optional<led_rendezvous> meeting;
    if (!directory_.empty()) {
      auto made = led_rendezvous::make(directory_, place_.size);
      if (!made)
        return complain(made.error());
      meeting.emplace(std::move(*made));
    }
    auto code = run_experiment(line_, run_of(meeting), all_);
    // Notice that came before the run was begun.
    if (what_.run.notice_signal > 0
        && code == static_cast<exit_code>(128 + what_.run.notice_signal))
      code = exit_code::again;
    if (meeting)
      meeting->end(static_cast<int>(code), parting);
    return code;
  }

  run_request run_of(const std::optional<led_rendezvous>& meeting) const {
    auto result = what_.run;
    result.own_overrides = offers_of(what_);
    if (!result.resume)
      result.resume = resume_mode::automatic;
    if (meeting) {
      result.own_overrides.push_back({"cluster.listen", "0.0.0.0:0"});
      result.own_overrides.push_back({"cluster.certs", meeting->certificates().string()});
      result.listens = [&meeting](std::uint16_t port) { return meeting->tell(port); };
    } else if (what_.meet_at && place_.size > 1) {
      const auto here = is_loopback(what_.meet_at->host) ? what_.meet_at->host : "0.0.0.0";
      result.own_overrides.push_back(
          {"cluster.listen", to_text(peer_address{here, what_.meet_at->port})});
      if (!what_.worker.certs.empty())
        result.own_overrides.push_back({"cluster.certs", what_.worker.certs});
    }
    return result;
  }

  // -- Other ranks.

  worker_request worker_of() const {
    auto result = what_.worker;
    result.once = true;
    if (result.name.empty())
      result.name = place_.node;
    return result;
  }

  exit_code work() {
    if (what_.meet_at) {
      auto request = worker_of();
      request.join = *what_.meet_at;
      return run_worker(line_, request, all_);
    }
    const joined_rendezvous meeting{directory_, place_.rank};
    const auto code = work_by(meeting);
    meeting.leave(token_);
    return code;
  }

  exit_code work_by(const joined_rendezvous& meeting) {
    const auto until = clock::now() + what_.worker.join_timeout;
    const auto is_patient = what_.worker.join_timeout.count() > 0;
    for (;;) {
      auto head = await_head(meeting, is_patient ? std::optional{until} : std::nullopt);
      if (!head)
        return complain(head.error());
      if (!*head)
        return code_without_head();
      auto outcome = work_at(**head, meeting);
      while (outcome.was_joined && outcome.signal == 0 && is_wanted_again(meeting))
        outcome.signal = work_at(**head, meeting).signal;
      if (outcome.was_joined || outcome.signal != 0) {
        outcome.signal = outcome.signal != 0 ? outcome.signal : signal_;
        return code_after(meeting, outcome);
      }
      if (is_patient && clock::now() >= until)
        return outcome.code;
      if (!pause(between_searches))
        return code_without_head();
    }
  }

  worker_outcome work_at(const head_place& head, const joined_rendezvous& meeting) {
    token_ = head.token;
    auto request = worker_of();
    request.certs = meeting.certificates().string();
    request.join = head.addresses.front();
    request.also.assign(head.addresses.begin() + 1, head.addresses.end());
    request.join_timeout = one_search;
    head_search search;
    search.most_wait = most_wait;
    // The search ends with the launch, or where rank 0 has begun anew.
    search.check = [&meeting, token = token_]() -> expected<void> {
      if (const auto end = meeting.end(); end && end->token == token)
        return error{ec::refused, "rank 0 has ended"};
      auto now = meeting.head();
      if (!now || (*now && (*now)->token == token))
        return {};
      return error{ec::refused, *now ? "rank 0 has started again" : "rank 0 has stopped listening"};
    };
    return work_for_head(line_, request, all_, search);
  }

  /// Whether rank 0 goes on without this rank, which joins anew then as any worker does that had
  /// heard nothing for too long, for instance since its machine was suspended.
  bool is_wanted_again(const joined_rendezvous& meeting) {
    // It lets its workers go before it tells of its end.
    constexpr milliseconds pace{50};
    for (const auto began = clock::now(); clock::now() - began < between_searches;) {
      const auto end = meeting.end();
      if ((end && end->token == token_) || !pause(pace))
        return false;
    }
    const auto head = meeting.head();
    return head && *head && (*head)->token == token_ && meeting.is_led();
  }

  /// Waits until the head listens, or has ended. @returns nothing if it has ended, or a signal
  /// came.
  /// @errors `ec::unreachable` if it took too long; as `joined_rendezvous::head`.
  expected<std::optional<head_place>> await_head(const joined_rendezvous& meeting,
                                                 std::optional<clock::time_point> until) {
    constexpr milliseconds first_pace{20};
    constexpr milliseconds most_pace{500};
    for (auto pace = first_pace;; pace = std::min(2 * pace, most_pace)) {
      auto head = meeting.head();
      if (!head)
        return head;
      if (is_over(meeting, *head))
        return std::optional<head_place>{};
      if (*head)
        return head;
      if (until && clock::now() >= *until)
        return error{ec::unreachable, "rank 0 did not come to " + directory_.string() + " within "
                                          + duration_text(what_.worker.join_timeout)
                                          + "; do all ranks see this directory?"};
      if (!pause(pace))
        return std::optional<head_place>{};
    }
  }

  /// Whether this launch has ended; notes its exit code.
  bool is_over(const joined_rendezvous& meeting, const std::optional<head_place>& head) {
    const auto end = meeting.end();
    if (!end || (head && head->token != end->token))
      return false;
    if (!end_seen_ || end_seen_->first != *end)
      end_seen_ = {*end, clock::now()};
    // Without a rank 0 it may be that of an earlier launch, which the next rank 0 removes.
    const auto counts = end->token == token_ || meeting.is_led()
                        || clock::now() - end_seen_->second >= until_removed;
    if (counts)
      code_ = end->code;
    return counts;
  }

  /// @returns false if a signal came.
  bool pause(milliseconds how_long) {
    constexpr milliseconds pace{100};
    for (auto left = how_long; left.count() > 0; left -= pace) {
      std::this_thread::sleep_for(std::min(left, pace));
      if (auto number = take_held_signal()) {
        signal_ = *number;
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] exit_code code_without_head() const {
    if (code_ && !line_.quiet)
      say_of_launch("rank 0 had ended, with exit code " + std::to_string(*code_) + ", before rank "
                    + std::to_string(place_.rank) + " joined: it did nothing");
    return static_cast<exit_code>(code_ ? *code_ : 128 + signal_);
  }

  /// What the head's end means here; a rank that was told to go does not wait for it.
  exit_code code_after(const joined_rendezvous& meeting, const worker_outcome& how) {
    constexpr milliseconds pace{50};
    const auto began = clock::now();
    signal_ = how.signal;
    for (;;) {
      const auto end = meeting.end();
      if (end && end->token == token_)
        return static_cast<exit_code>(end->code);
      const auto waited = clock::now() - began;
      const auto may_come = waited < until_code
                            || (waited < while_led && meeting.is_led() && meeting.is_of(token_));
      if (signal_ != 0 || !may_come)
        break;
      pause(pace);
    }
    if (signal_ != 0)
      return static_cast<exit_code>(128 + signal_);
    say_of_launch("rank 0 ended without notice; started again, it goes on from its record");
    return exit_code::unreachable;
  }

  /// The head that this rank works for, or looks for; empty: it found none yet.
  std::string token_;
  /// An end that was seen, and since when.
  std::optional<std::pair<launch_end, clock::time_point>> end_seen_;
  /// The exit code of all.
  std::optional<int> code_;
  int signal_ = 0;
};

} // namespace

exit_code run_up(const command_line& line, const up_request& what, const choices& all) {
  auto place = launch_place_of({what.rank, what.size}, environment_of(environ));
  if (!place) {
    say_of_launch(to_text(place.error()));
    return exit_code::usage;
  }
  if (!place->warning.empty() && !line.quiet)
    say_of_launch(place->warning);
  set_notice_signal(what.run.notice_signal);
  // Rank 0 alone heeds it, for all.
  if (place->rank > 0)
    hold_signals();
  return launched{line, what, all, std::move(*place)}.run();
}

} // namespace tune::cli
