// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/hook/hook_sink.hpp"

#include "sinks/event_lines.hpp"
#include "sinks/hook/hook_process.hpp"
#include "sinks/sink_mark.hpp"

#include "tune/io/external/searcher_process.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace tune {

namespace {

using std::chrono::milliseconds;

/// How long the program may leave its stdin unread before that is news.
constexpr milliseconds most_patience{5'000};

class hook_sink final : public trial_sink {
public:
  hook_sink(const sink_context& with, std::vector<std::string> words)
      : time_left_{with.time_left}
      , directory_{with.directory}
      , marks_{with.directory, "hook"}
      , to_{{std::move(words),
             {"TUNE_EXPERIMENT=" + with.experiment, "TUNE_EXPERIMENT_DIR=" + with.directory},
             with.directory,
             sinks_directory(with.directory) / "hook.log"}} {}

  void introduced(const experiment_facts& what) override {
    of_ = what;
    // The program is another one after a restart of the machine, and has heard what it has heard.
    mark_ = marks_.read_last(what.identity);
  }
  [[nodiscard]] sequence cursor() const override { return mark_ ? mark_->seq : 0; }

  void opened(const log_place& where, const on::opened& what) override {
    to_.add(where.seq, event_lines::opened(where, what, of_, directory_));
  }
  void created(const log_place& where, const trial_facts& what) override {
    to_.add(where.seq, event_lines::created(where, what));
  }
  void started(const log_place& where, const on::placed& what, const object& config) override {
    to_.add(where.seq, event_lines::started(where, what, config));
  }
  void reported(const log_place& where, const report& what) override {
    to_.add(where.seq, event_lines::reported(where, what));
  }
  void saved(const log_place& where, const on::saved& what) override {
    to_.add(where.seq, event_lines::saved(where, what));
  }
  void ended(const log_place& where, const on::ended& what) override {
    to_.add(where.seq, event_lines::ended(where, what));
  }
  void concluded(const log_place& where, const trial_facts& what) override {
    to_.add(where.seq, event_lines::concluded(where, what));
  }
  void finished(const log_place& where, const experiment_end& how) override {
    to_.add(where.seq, event_lines::finished(where, how));
    is_over_ = true;
  }

  [[nodiscard]] expected<void> flush(sequence place) override {
    auto told = to_.write(std::min(left(), most_patience));
    if (told && is_over_)
      told = to_.await_reading([this] { return left(); });
    if (auto marked = mark(to_.read_up_to(place)); !marked || !told)
      return told ? marked : told;
    if (std::exchange(is_over_, false))
      to_.finish([this] { return left(); });
    return {};
  }

private:
  std::function<milliseconds()> time_left_;
  std::string directory_;
  sink_mark_file marks_;
  hook_process to_;
  experiment_facts of_;
  std::optional<sink_mark> mark_;
  bool is_over_ = false;

  [[nodiscard]] milliseconds left() const {
    return time_left_ ? time_left_() : milliseconds{60'000};
  }

  expected<void> mark(sequence place) {
    if (mark_ && mark_->seq == place)
      return {};
    mark_ = sink_mark{place, of_.identity, {}, true, {}};
    return marks_.write(*mark_);
  }
};

} // namespace

builtin_sink hook_entry() {
  option_spec command{"command", option_kind::text, ""};
  command.meaning = "the program and its words; it reads a JSON line for each event on its stdin";
  builtin_sink result{{"hook",
                       "a program of yours that is told of each event, as jsonl",
                       "docs/sinks.md",
                       {command},
                       {}},
                      {}};
  result.entry.make
      = [](const options& with, const sink_context& of) -> expected<std::unique_ptr<trial_sink>> {
    auto words = searcher_words(text_or_none(with, "command"), of.ini_dir);
    if (!words)
      return error{words.error().code, "command: " + words.error().detail};
    return std::unique_ptr<trial_sink>{std::make_unique<hook_sink>(of, std::move(*words))};
  };
  result.check = [](const options& with) -> expected<void> {
    if (text_or_none(with, "command").empty())
      return error{ec::bad_option, "command: must be a program and its words"};
    auto words = searcher_words(text_or_none(with, "command"), "/");
    if (!words)
      return error{words.error().code, "command: " + words.error().detail};
    return {};
  };
  return result;
}

} // namespace tune
