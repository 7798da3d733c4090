// SPDX-License-Identifier: BSD-3-Clause
#include "run/submit_command.hpp"

#include "client/reach_head.hpp"
#include "console/human.hpp"
#include "console/next_steps.hpp"
#include "console/one_line.hpp"
#include "console/text.hpp"
#include "inspect/failures.hpp"
#include "output/write_rows.hpp"
#include "run/additions.hpp"
#include "run/before_run.hpp"
#include "run/ending.hpp"
#include "run/head_watch.hpp"
#include "run/interrupts.hpp"
#include "run/run_words.hpp"

#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"
#include "tune/io/files/hmac.hpp"
#include "tune/net/system.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/shipment.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

namespace tune::cli {

namespace {

constexpr std::size_t key_bytes = 8;

std::string rows_of(const command_line& line) {
  auto format = line.output.value_or(output_format::table);
  return format == output_format::csv || format == output_format::jsonl
             ? std::string{to_text(format)}
             : std::string{};
}

submission_message words_of(const command_line& line, const run_request& what,
                            const loaded_spec& loaded, const std::string& job, bool numbered) {
  submission_message result;
  result.experiment = loaded.what.experiment.name;
  result.job = job;
  result.from = name_of_caller();
  result.resume = what.resume;
  result.numbered = numbered;
  result.usual_searcher = has_usual_searcher(loaded);
  if (result.usual_searcher)
    result.search_options = written_search_options(loaded);
  result.add = what.add;
  if (!what.add.empty())
    result.add_key = random_hex(key_bytes);
  if (loaded.origins.contains("cluster.queue_trials"))
    result.queue_trials = loaded.what.cluster.queue_trials;
  if (!what.detach)
    result.rows = rows_of(line);
  return result;
}

void write_detached(const command_line& line, const std::string& experiment,
                    const std::string& directory, const std::string& head) {
  const auto format = line.output.value_or(output_format::table);
  if (format == output_format::table)
    std::cout << printable(experiment) << " runs at " << printable(head) << ", in "
              << printable(directory) << '\n';
  else
    write_row({{"experiment", experiment}, {"directory", directory}, {"head", head}}, format,
              std::cout);
}

/// Copies the trials' rows, piece by piece.
expected<void> copy_rows(head_client& from, std::uint64_t key, const std::string& form,
                         std::ostream& to) {
  for (std::uint64_t done = 0;;) {
    auto answer = from.ask({client_request::kind::rows, key, done, form});
    if (!answer)
      return answer.error();
    auto piece = rows_piece_from_json(*answer);
    if (!piece)
      return piece.error();
    to << piece->text;
    done += piece->text.size();
    if (piece->last)
      return {};
  }
}

/// Facts that a client knows about the experiment that it follows.
struct audience_of {
  const command_line& line;
  head_client* link;
  /// "HOST:PORT".
  std::string head;
  std::string experiment;
  std::vector<objective> objectives;
  bool strict = false;
  /// The file and the further words of the `run`; empty if it was attached to.
  std::string file = {};
  std::vector<std::string> given = {};
  /// The command that attaches to it.
  std::string attach = {};
  /// Connects to the head once more.
  std::function<expected<std::unique_ptr<head_client>>()> dial = {};
};

/// Time between two tries to find the head that takes the place of one that died.
constexpr std::chrono::milliseconds comeback_pace{500};

submission_message words_to_attach(const command_line& line, const std::string& experiment) {
  submission_message result;
  result.experiment = experiment;
  result.from = name_of_caller();
  result.rows = rows_of(line);
  return result;
}

/// Follows an experiment to its end, and shows how it ended.
class audience {
public:
  explicit audience(audience_of what)
      : what_{std::move(what)}, options_{screen_of(what_.line, what_.objectives)} {
    look_through(*what_.link);
  }

  /// Makes the experiment stop in order, if it runs. From any thread.
  /// @returns whether it runs yet.
  bool interrupt(int number) {
    signal_ = number;
    if (key_ == 0)
      return false;
    std::lock_guard guard{mutex_};
    shown_->say("leaving off in order; once more to leave at once");
    leave_off();
    return true;
  }
  [[nodiscard]] int signal() const { return signal_; }

  exit_code follow(submission_taken taken) {
    for (;;) {
      look_at(taken);
      if (watch_->end())
        return end(*watch_->end());
      auto next = come_back(taken);
      if (!next)
        return say_lost(watch_->end().error(), taken.directory);
      taken = std::move(*next);
    }
  }

private:
  audience_of what_;
  screen_options options_;
  /// The connection to a head that took the place of the first.
  std::unique_ptr<head_client> next_link_;
  /// For these two and the connection, which change when the head does.
  std::mutex mutex_;
  std::optional<head_watch> watch_;
  std::shared_ptr<screen> shown_;
  std::atomic<int> signal_ = 0;
  /// The head's number for the experiment; 0: not known yet.
  std::atomic<std::uint64_t> key_ = 0;

  screen_options with_snapshots(screen_options result) {
    result.snapshot = [this] { return watch_->latest(); };
    result.last = [this](const run_summary&) -> std::optional<run_snapshot> {
      return watch_->end() ? std::optional{watch_->end()->last} : std::nullopt;
    };
    return result;
  }

  void look_through(head_client& link) {
    std::lock_guard guard{mutex_};
    what_.link = &link;
    watch_.emplace(link, options_.redraw);
    shown_ = std::make_shared<screen>(with_snapshots(options_));
  }

  /// Shows the experiment until it is over, or the head is out of reach.
  void look_at(const submission_taken& taken) {
    key_ = taken.key;
    if (!taken.experiment.empty())
      what_.experiment = taken.experiment;
    // The signal came too late to withdraw the experiment.
    if (signal_ != 0)
      leave_off();
    if (!what_.line.quiet)
      shown_->say(printable(what_.experiment) + " runs at " + what_.head + ", in "
                  + printable(taken.directory));
    watch_->show_on(shown_, taken);
    static_cast<void>(shown_->run());
  }

  /// Looks for the head that takes the place of the one that is gone, while that may be.
  std::optional<submission_taken> come_back(const submission_taken& taken) {
    const std::chrono::milliseconds grace{taken.head_grace_ms};
    if (!what_.dial || grace.count() == 0)
      return std::nullopt;
    if (!what_.line.quiet)
      std::cerr << program_name() << ": " << what_.head
                << ": the head is out of reach; trials may go on, and it is looked for, up to "
                << duration_text(grace) << '\n';
    const auto until = std::chrono::steady_clock::now() + grace;
    while (signal_ == 0 && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(comeback_pace);
      auto link = what_.dial();
      if (!link)
        continue;
      auto found = (*link)->attach(words_to_attach(what_.line, what_.experiment));
      if (!found)
        return std::nullopt;
      look_through(**link);
      next_link_ = std::move(*link);
      return std::move(*found);
    }
    return std::nullopt;
  }

  void leave_off() { what_.link->tell({client_request::kind::interrupt, key_, 0, {}}); }

  /// The command that continues the experiment, if known.
  [[nodiscard]] std::string again() const {
    if (what_.file.empty())
      return "submit it again with --resume";
    run_snapshot about;
    about.experiment = what_.experiment;
    auto steps = next_steps(
        about, {experiment_status::interrupted, "", what_.file, what_.head, what_.given});
    auto found = std::find_if(steps.begin(), steps.end(),
                              [](const next_step& x) { return x.purpose == "go on"; });
    return found == steps.end() ? std::string{} : "go on with it by " + found->command;
  }

  [[nodiscard]] exit_code say_lost(const error& why, const std::string& directory) const {
    return complain({why.code, what_.head + ": " + why.detail
                                   + "; if the head lives, the experiment goes on there, in "
                                   + directory + ": follow it by " + what_.attach
                                   + "; if it ended, " + again()});
  }

  /// The snapshot with remarks that name commands for this machine: the head's have its directory.
  [[nodiscard]] static run_snapshot seen_from_here(run_snapshot x) {
    for (auto& remark : x.remarks)
      remark = entered_here(std::move(remark), x.directory);
    return x;
  }

  exit_code end(const final_status& how) {
    if (!how.how.storage_error.empty())
      std::cerr << program_name() << ": " << printable(how.how.storage_error) << '\n';
    result_request wanted{what_.line, what_.file, what_.head, what_.given,
                          [this](std::ostream& out) -> expected<void> {
                            return watch_->has_rows()
                                       ? copy_rows(*what_.link, key_, rows_of(what_.line), out)
                                       : expected<void>{};
                          }};
    if (!write_result(wanted, seen_from_here(how.last), how.how, options_.look))
      return exit_code::storage;
    auto left_off = how.how.status == experiment_status::interrupted && signal_ == 0;
    if (!left_off)
      return exit_code_of(how.how, what_.strict, signal_);
    std::cerr << program_name() << ": " << what_.head
              << ": left off in order: " << cause_text(how.how.why) + "; " + in_one_line(again())
              << '\n';
    return exit_code::again;
  }
};

/// The line that attaches to an experiment.
std::string attach_line(const std::string& experiment) {
  return program_call("attach") + " " + experiment_words(experiment);
}

/// A submission, from its beginning to the result on stdout.
class submitter {
public:
  submitter(const command_line& line, const run_request& what, const loaded_spec& loaded,
            head_client& link, bool numbered, decltype(audience_of::dial) dial)
      : line_{line}
      , what_{what}
      , loaded_{loaded}
      , link_{link}
      , numbered_{numbered}
      , head_{to_text(*what.head)}
      , audience_{{line, &link, head_, loaded.what.experiment.name,
                   loaded.what.experiment.objectives, what.strict, what.file,
                   words_given(what, loaded, environment_of(environ)),
                   attach_line(loaded.what.experiment.name), std::move(dial)}} {}

  /// @param before Handles signals while nothing is at the head yet.
  [[nodiscard]] exit_code run(std::unique_ptr<interrupts> before) {
    reading_notices notices{line_.quiet};
    auto shipment = shipment_of(loaded_, [&](const reading_progress& how_far) {
      notices.tell(how_far);
      return true;
    });
    if (!shipment)
      return complain(shipment.error());
    before.reset();
    auto words = words_of(line_, what_, loaded_, shipment->job, numbered_);
    interrupts signals{[this](int number) { interrupt(number); }, leave_at_once};
    auto taken = link_.submit(words, std::move(*shipment));
    if (!taken && audience_.signal() != 0)
      return static_cast<exit_code>(128 + audience_.signal());
    if (!taken)
      return complain({taken.error().code, head_ + ": " + refusal_text(taken.error().detail)});
    if (what_.detach)
      return detach(*taken);
    return audience_.follow(*taken);
  }

private:
  const command_line& line_;
  const run_request& what_;
  const loaded_spec& loaded_;
  head_client& link_;
  bool numbered_;
  std::string head_;
  audience audience_;

  /// Adds the command to attach, since the head does not know by which words its clients reach it.
  [[nodiscard]] std::string refusal_text(const std::string& why) const {
    if (why.find(runs_already) == why.npos)
      return why;
    return why + "; " + attach_line(loaded_.what.experiment.name) + " attaches to it";
  }

  void interrupt(int number) {
    // If it does not run yet, the submission is withdrawn.
    if (!audience_.interrupt(number))
      link_.withdraw();
  }

  [[nodiscard]] exit_code detach(const submission_taken& taken) const {
    auto experiment = taken.experiment.empty() ? loaded_.what.experiment.name : taken.experiment;
    write_detached(line_, experiment, taken.directory, head_);
    if (!line_.quiet)
      std::cerr << program_name() << ": follow it by " << printable(attach_line(experiment))
                << '\n';
    return exit_code::done;
  }
};

[[gnu::noinline]] exit_code submit(const command_line& line, const run_request& what,
                                   const loaded_spec& loaded, const transport& how,
                                   bool numbered) noexcept {
  network_config config{how};
  caf::actor_system system{config};
  auto before = std::make_unique<interrupts>(leave_at_once, leave_at_once);
  auto dial = [&] { return connect_to(system, *what.head, how, loaded.what.cluster.name); };
  auto link = dial();
  if (!link)
    return complain(link.error());
  return submitter{line, what, loaded, **link, numbered, dial}.run(std::move(before));
}

/// The command that shows an experiment which does not run any more.
std::string advice_after(const error& why, const std::string& experiment) {
  return why.code == ec::unknown_name
             ? "; " + program_call("wait") + " " + experiment_words(experiment)
                   + " shows how it ended, if it has"
             : std::string{};
}

[[gnu::noinline]] exit_code attach(const command_line& line, const attach_request& what,
                                   const transport& how) noexcept {
  network_config config{how};
  caf::actor_system system{config};
  auto head = to_text(what.head);
  auto again = attach_line(what.experiment);
  // A client that only attaches does not interrupt the experiment.
  interrupts signals{[&](int number) {
                       std::cerr << program_name()
                                 << ": it goes on; follow it again by " + printable(again) + "\n";
                       leave_at_once(number);
                     },
                     leave_at_once};
  auto dial = [&] { return connect_to(system, what.head, how, what.cluster); };
  auto link = dial();
  if (!link)
    return complain(link.error());
  auto taken = (*link)->attach(words_to_attach(line, what.experiment));
  if (!taken)
    return complain({taken.error().code, head + ": " + taken.error().detail
                                             + advice_after(taken.error(), what.experiment)});
  return audience{{line,
                   link->get(),
                   head,
                   what.experiment,
                   taken->objectives,
                   what.strict,
                   {},
                   {},
                   again,
                   dial}}
      .follow(*taken);
}

} // namespace

exit_code run_at_head(const command_line& line, const run_request& what, const loaded_spec& loaded,
                      bool numbered) {
  const auto& cluster = loaded.what.cluster;
  if (!cluster.listen.empty())
    return complain({ec::bad_option, "[cluster] listen: an experiment that runs at a head (--head)"
                                     " opens no port of its own"});
  if (auto added = additions_of(what.add, *loaded.space); !added)
    return complain(added.error());
  auto how = begin_as_client(*what.head, cluster.certs, cluster.insecure_plaintext);
  if (how)
    name_experiments_at_head(
        words_reaching(*what.head, cluster.certs, cluster.name, cluster.insecure_plaintext));
  return how ? submit(line, what, loaded, *how, numbered) : complain(how.error());
}

exit_code attach_to_experiment(const command_line& line, const attach_request& what) {
  auto how = begin_as_client(what.head, what.certs, what.insecure_plaintext);
  if (how)
    name_experiments_at_head(
        words_reaching(what.head, what.certs, what.cluster, what.insecure_plaintext));
  return how ? attach(line, what, *how) : complain(how.error());
}

} // namespace tune::cli
