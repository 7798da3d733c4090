// SPDX-License-Identifier: BSD-3-Clause
#include "run/at_head.hpp"

#include "console/text.hpp"
#include "output/format.hpp"
#include "run/ending.hpp"
#include "run/exhaustion.hpp"
#include "run/head_watch.hpp"
#include "run/interrupts.hpp"

#include "tune/io/json.hpp"
#include "tune/io/process/thread_room.hpp"
#include "tune/net/system.hpp"
#include "tune/tuner/shipment.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <iostream>
#include <ostream>

namespace tune::cli {

namespace {

/// "me@laptop".
std::string name_of_caller() {
  const auto* user = ::getpwuid(::getuid());
  std::array<char, 256> host{};
  auto named = ::gethostname(host.data(), host.size() - 1) == 0;
  return (user != nullptr ? std::string{user->pw_name} : std::to_string(::getuid())) + "@"
         + (named ? host.data() : "somewhere");
}

submission_words words_of(const command_line& line, const run_request& what,
                          const loaded_spec& loaded, const std::string& job) {
  submission_words result;
  result.experiment = loaded.what.experiment.name;
  result.job = job;
  result.from = name_of_caller();
  result.resume = what.resume;
  if (loaded.origins.contains("cluster.queue_trials"))
    result.queue_trials = loaded.what.cluster.queue_trials;
  auto format = line.output.value_or(output_format::table);
  if (!what.detach && (format == output_format::csv || format == output_format::jsonl))
    result.rows = to_text(format);
  return result;
}

void write_detached(const command_line& line, const std::string& experiment,
                    const std::string& directory, const std::string& head) {
  switch (line.output.value_or(output_format::table)) {
    case output_format::table:
      std::cout << printable(experiment) << " runs at " << printable(head) << ", in "
                << printable(directory) << '\n';
      return;
    case output_format::csv:
      std::cout << csv_line({"experiment", "directory", "head"})
                << csv_line({experiment, directory, head});
      return;
    case output_format::json:
    case output_format::jsonl:
      std::cout << to_json(
          object{{"experiment", experiment}, {"directory", directory}, {"head", head}})
                << '\n';
  }
}

/// The trials' rows, piece by piece.
expected<void> copy_rows(head_link& from, std::uint64_t key, std::ostream& to) {
  for (std::uint64_t done = 0;;) {
    auto answer = from.ask({client_request::kind::rows, key, done});
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

/// A submission, from its beginning to what it leaves on stdout.
class submitter {
public:
  submitter(const command_line& line, const run_request& what, const loaded_spec& loaded,
            head_link& link)
      : line_{line}
      , what_{what}
      , loaded_{loaded}
      , link_{link}
      , head_{to_text(*what.head)}
      , options_{screen_of(line, loaded.what.experiment.objectives)}
      , watch_{link, options_.redraw}
      , shown_{std::make_shared<screen>(with_snapshots(options_))} {}

  [[nodiscard]] exit_code run() {
    auto shipment = shipment_of(loaded_);
    if (!shipment)
      return complain(shipment.error());
    auto words = words_of(line_, what_, loaded_, shipment->job);
    interrupts signals{[this](int number) { interrupt(number); },
                       [](int number) { ::_exit(128 + number); }};
    auto taken = link_.submit(words, std::move(*shipment));
    if (!taken && signal_ != 0)
      return static_cast<exit_code>(128 + signal_);
    if (!taken)
      return complain({taken.error().code, head_ + ": " + taken.error().detail});
    if (what_.detach) {
      write_detached(line_, words.experiment, taken->directory, head_);
      return exit_code::done;
    }
    return follow(*taken);
  }

private:
  const command_line& line_;
  const run_request& what_;
  const loaded_spec& loaded_;
  head_link& link_;
  std::string head_;
  screen_options options_;
  head_watch watch_;
  std::shared_ptr<screen> shown_;
  std::atomic<int> signal_ = 0;
  /// What the head calls the experiment; 0: not yet.
  std::atomic<std::uint64_t> key_ = 0;

  screen_options with_snapshots(screen_options result) {
    result.snapshot = [this] { return watch_.latest(); };
    return result;
  }

  void interrupt(int number) {
    signal_ = number;
    // Nothing of it may be at the head yet.
    if (key_ == 0)
      return link_.withdraw();
    shown_->say("leaving off in order; once more to leave at once");
    leave_off();
  }

  void leave_off() { link_.tell({client_request::kind::interrupt, key_, 0}); }

  exit_code follow(const submission_taken& taken) {
    key_ = taken.key;
    // It came too late to withdraw it.
    if (signal_ != 0)
      leave_off();
    if (!line_.quiet)
      shown_->say(printable(loaded_.what.experiment.name) + " runs at " + head_ + ", in "
                  + printable(taken.directory));
    watch_.show_on(shown_, taken.key);
    static_cast<void>(shown_->run());
    return watch_.end() ? end(*watch_.end()) : say_lost(watch_.end().error(), taken.directory);
  }

  [[nodiscard]] exit_code say_lost(const error& why, const std::string& directory) const {
    return complain({why.code, head_ + ": " + why.detail
                                   + "; if the head lives, the experiment goes on there, in "
                                   + directory + "; if it ended, submit again with --resume"});
  }

  exit_code end(const told_end& how) {
    if (!how.how.storage_error.empty())
      std::cerr << "tune-node: " << printable(how.how.storage_error) << '\n';
    result_request wanted{line_, what_.file, head_, [this](std::ostream& out) -> expected<void> {
                            return watch_.has_rows() ? copy_rows(link_, key_, out)
                                                     : expected<void>{};
                          }};
    if (!write_result(wanted, how.last, how.how, options_.look))
      return exit_code::storage;
    if (how.was_finished && how.how.storage_error.empty())
      return exit_code::done;
    auto left_off = how.how.status == experiment_status::interrupted && signal_ == 0;
    if (!left_off)
      return code_of(how.how, what_.strict, signal_);
    std::cerr << "tune-node: " << head_ << ": left off in order: " << printable(how.how.why)
              << "; submit it again with --resume\n";
    return exit_code::again;
  }
};

/// Threads of an actor system that talks to others, of the screen and of signals, and a few.
constexpr std::size_t threads_of_client = 16;

} // namespace

[[gnu::noinline]] exit_code run_at_head(const command_line& line, const run_request& what,
                                        const loaded_spec& loaded) noexcept {
  const auto& cluster = loaded.what.cluster;
  if (!cluster.listen.empty())
    return complain({ec::bad_option, "[cluster] listen: an experiment that runs at a head (--head)"
                                     " opens no port of its own"});
  auto how = choose_transport(*what.head, cluster.certs, cluster.insecure_plaintext);
  if (!how)
    return complain(how.error());
  if (auto can = can_start_threads(threads_of_client); !can)
    return complain(can.error());
  end_when_exhausted("what was submitted goes on at the head");
  network_config config{*how};
  caf::actor_system system{config};
  auto link = head_link::connect(system, {dial(system, *what.head, *how), to_text(*what.head),
                                          cluster.name, name_of_caller()});
  if (!link)
    return complain(link.error());
  return submitter{line, what, loaded, **link}.run();
}

} // namespace tune::cli
