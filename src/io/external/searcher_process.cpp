// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/external/searcher_process.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/leftovers.hpp"
#include "tune/io/spec/command_template.hpp"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace tune {

namespace {

using external::heard;
using external::line_heard;
using external::partner_lost;

/// Limit of the messages in transit at once, unless a single message is longer. [bytes]
constexpr std::size_t chunk = 64 * 1024;
/// Longest message. [bytes]
constexpr std::size_t longest_message = 64 * 1024 * 1024;
/// Time for the process to exit by itself after it was told that the search ends.
constexpr std::chrono::seconds end_patience{3};
/// Time from TERM to KILL.
constexpr std::chrono::seconds grace{2};
/// Time for a faulty process to report the reason before it is killed.
constexpr std::chrono::milliseconds last_breath{100};
/// Time for a killed process to disappear.
constexpr std::chrono::seconds death_patience{5};
/// Number of bytes quoted of a line that is not of the protocol.
constexpr std::size_t quoted_length = 120;

std::string cited(std::string_view line) {
  return printable(line.substr(0, quoted_length)) + (line.size() > quoted_length ? "..." : "");
}

std::string last_words_of(const exit_info& how) {
  std::string result;
  for (const auto& line : how.stderr_lines)
    result += (result.empty() ? "; on stderr:\n  " : "\n  ") + line;
  return result;
}

std::string how_it_ended(const exit_info& how) {
  std::string result;
  if (!how.trouble.empty())
    result = how.trouble;
  else if (how.out_of_memory)
    result = "the process was ended for want of memory";
  else if (how.signal)
    result = "the process was ended by signal " + std::to_string(*how.signal);
  else
    result = "the process ended with exit status " + std::to_string(how.code.value_or(0));
  return result + last_words_of(how);
}

/// State shared by the service's thread and the threads that talk to the process.
class line_mailbox final : public process_listener {
public:
  line_flow report_line(std::string_view text, bool truncated) override {
    std::lock_guard guard{mutex_};
    lines_.push_back({std::string{text}, truncated});
    changed_.notify_all();
    // Further lines stay in the pipe until this one was read.
    return line_flow::hold;
  }
  void answers_taken() override {
    std::lock_guard guard{mutex_};
    taken_ = true;
    changed_.notify_all();
  }
  void exited(const exit_info& how) override {
    std::lock_guard guard{mutex_};
    end_ = how;
    changed_.notify_all();
  }

  struct text_line {
    std::string text;
    bool truncated = false;
  };

  void expect_taken() {
    std::lock_guard guard{mutex_};
    taken_ = false;
  }
  /// @returns whether there is room again; false if the process has ended, too.
  bool wait_for_room(std::chrono::milliseconds patience) {
    std::unique_lock guard{mutex_};
    changed_.wait_for(guard, patience, [this] { return taken_ || end_ || closed_; });
    return taken_ && !end_ && !closed_;
  }
  /// @returns the next line; empty if none comes in time, the process has ended, or the mailbox is
  ///          closed.
  std::optional<text_line> wait_for_line(std::chrono::milliseconds patience) {
    std::unique_lock guard{mutex_};
    changed_.wait_for(guard, patience, [this] { return !lines_.empty() || end_ || closed_; });
    if (lines_.empty())
      return std::nullopt;
    auto result = std::move(lines_.front());
    lines_.pop_front();
    return result;
  }
  /// @returns how the process ended; empty if it still runs.
  std::optional<exit_info> wait_for_end(std::chrono::milliseconds patience) {
    std::unique_lock guard{mutex_};
    changed_.wait_for(guard, patience, [this] { return end_.has_value(); });
    return end_;
  }
  void close() {
    std::lock_guard guard{mutex_};
    closed_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<text_line> lines_;
  std::optional<exit_info> end_;
  bool taken_ = true;
  bool closed_ = false;
};

class searcher_process final : public external::partner {
public:
  searcher_process(std::vector<std::string> words, std::chrono::milliseconds patience,
                   searcher_place where, process_service_options how)
      : words_{std::move(words)}
      , patience_{patience}
      , where_{std::move(where)}
      , how_{std::move(how)} {
    how_.max_report_line = longest_searcher_line;
    how_.max_waiting_answers = longest_message;
    if (where_.ends != nullptr)
      where_.ends->add(*this);
  }
  ~searcher_process() override {
    if (where_.ends != nullptr)
      where_.ends->remove(*this);
    close({});
  }

  void enter() override {
    std::lock_guard guard{mutex_};
    entered_ = true;
  }
  void leave() override {
    std::lock_guard guard{mutex_};
    entered_ = false;
  }
  void begin() override;
  void tell(const std::vector<object>& what) override;
  heard hear() override;
  void warn(const std::string& text) override {
    if (where_.news != nullptr)
      where_.news->warn(text);
  }
  void close(const std::function<std::vector<object>()>& last_words) override;

private:
  /// A process and its service.
  struct run {
    std::shared_ptr<process_service> service;
    std::shared_ptr<line_mailbox> box;
    process_handle which;
  };

  std::vector<std::string> words_;
  std::chrono::milliseconds patience_;
  searcher_place where_;
  process_service_options how_;

  std::mutex mutex_;
  bool entered_ = false;
  bool closed_ = false;
  std::shared_ptr<process_service> service_;
  std::optional<run> run_;
  /// Why there is no process, or why it is no longer listened to.
  std::optional<partner_lost> trouble_;

  [[nodiscard]] std::optional<run> present();
  [[nodiscard]] process_order order() const;
  void launch();
  void give_up(std::string why);
  static void end(const run& what);
  static bool say(const run& to, const std::vector<object>& what,
                  std::chrono::milliseconds patience);
  heard lost(const run& what);
  static heard put_away(const run& what, std::string why);
};

std::optional<searcher_process::run> searcher_process::present() {
  std::lock_guard guard{mutex_};
  return closed_ || trouble_ ? std::nullopt : run_;
}

process_order searcher_process::order() const {
  process_order result;
  result.argv = words_;
  // Python buffers output into a pipe, which would hold back the answers.
  result.env = environment_with({{"PYTHONUNBUFFERED", "1"}});
  result.directory = where_.directory;
  result.stderr_file = where_.directory / searcher_log_name;
  result.output_cap = longest_searcher_log;
  result.protocol = true;
  result.protocol_is_standard = true;
  result.grace = grace;
  result.tag = trial_tag(where_.directory, "search");
  result.place = directory_mark(where_.directory);
  return result;
}

void searcher_process::end(const run& what) {
  what.service->kill(what.which);
  static_cast<void>(what.box->wait_for_end(death_patience));
}

void searcher_process::begin() {
  std::optional<run> before;
  {
    std::lock_guard guard{mutex_};
    before = std::exchange(run_, std::nullopt);
    trouble_.reset();
  }
  if (before)
    end(*before);
  launch();
}

void searcher_process::launch() {
  std::lock_guard guard{mutex_};
  if (closed_)
    return;
  if (service_ == nullptr) {
    auto started = process_service::start(how_);
    if (!started) {
      trouble_ = partner_lost{"no process can be started: " + started.error().detail, true};
      return;
    }
    service_ = std::move(*started);
  }
  auto box = std::make_shared<line_mailbox>();
  auto which = service_->launch(order(), box);
  run_ = run{service_, std::move(box), which};
}

bool searcher_process::say(const run& to, const std::vector<object>& what,
                           std::chrono::milliseconds patience) {
  std::string text;
  for (std::size_t i = 0; i < what.size(); ++i) {
    append_json(text, what[i]);
    if (text.size() < chunk && i + 1 < what.size()) {
      text += '\n';
      continue;
    }
    to.box->expect_taken();
    to.service->answer(to.which, std::exchange(text, {}));
    if (!to.box->wait_for_room(patience))
      return false;
  }
  return true;
}

void searcher_process::tell(const std::vector<object>& what) {
  auto to = present();
  if (!to || say(*to, what, patience_))
    return;
  // If the process has ended, the next `hear` reports that.
  if (!to->box->wait_for_end(std::chrono::milliseconds{0}))
    give_up("the process reads nothing of what it is told");
}

void searcher_process::give_up(std::string why) {
  std::lock_guard guard{mutex_};
  if (!trouble_)
    trouble_ = partner_lost{std::move(why)};
}

/// The answer of `hear` when no line came: how the process ended; a silent process is ended now.
heard searcher_process::lost(const run& what) {
  if (auto how = what.box->wait_for_end(std::chrono::milliseconds{0})) {
    auto is_command = !how->trouble.empty() && !how->guard_lost && how->fault == ec::process;
    return partner_lost{how_it_ended(*how), is_command};
  }
  auto seconds = std::chrono::duration<double>(patience_).count();
  return put_away(what, "the process said nothing for " + to_text(value{seconds}) + " s");
}

/// Ends a process that is no longer usable, and adds its last output on stderr to `why`.
heard searcher_process::put_away(const run& what, std::string why) {
  if (!what.box->wait_for_end(last_breath))
    end(what);
  if (auto how = what.box->wait_for_end(std::chrono::milliseconds{0}))
    why += last_words_of(*how);
  return partner_lost{std::move(why)};
}

heard searcher_process::hear() {
  auto from = present();
  if (!from) {
    std::lock_guard guard{mutex_};
    return trouble_ ? *trouble_ : partner_lost{"the run is ending", true};
  }
  const auto due = std::chrono::steady_clock::now() + patience_;
  for (;;) {
    auto line = from->box->wait_for_line(
        std::chrono::ceil<std::chrono::milliseconds>(due - std::chrono::steady_clock::now()));
    if (!line && !present())
      return partner_lost{"the run is ending", true};
    if (!line)
      return lost(*from);
    from->service->resume_reports(from->which);
    if (line->text.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    if (line->truncated)
      return put_away(*from, "the process said a line of more than "
                                 + std::to_string(longest_searcher_line)
                                 + " bytes: " + cited(line->text));
    auto said = object_from_json(line->text);
    if (!said)
      return put_away(*from, "the process said what is no JSON object: " + cited(line->text));
    return line_heard{std::move(*said)};
  }
}

void searcher_process::close(const std::function<std::vector<object>()>& last_words) {
  std::optional<run> last;
  std::vector<object> words;
  {
    std::lock_guard guard{mutex_};
    if (std::exchange(closed_, true))
      return;
    last = std::exchange(run_, std::nullopt);
    if (last && !entered_ && !trouble_ && last_words)
      words = last_words();
    service_.reset();
  }
  if (!last)
    return;
  if (!words.empty() && say(*last, words, end_patience)) {
    last->service->end_answers(last->which);
    if (last->box->wait_for_end(end_patience))
      return;
  }
  last->box->close();
  last->service->end(last->which, words.empty() ? std::chrono::milliseconds{0} : grace);
  static_cast<void>(last->box->wait_for_end(grace + death_patience));
}

} // namespace

void searcher_switch::off() {
  std::lock_guard guard{mutex_};
  is_off_ = true;
  for (auto* each : all_)
    each->close({});
}

void searcher_switch::add(external::partner& which) {
  std::lock_guard guard{mutex_};
  all_.push_back(&which);
  if (is_off_)
    which.close({});
}

void searcher_switch::remove(external::partner& which) {
  std::lock_guard guard{mutex_};
  std::erase(all_, &which);
}

expected<std::vector<std::string>> searcher_words(const std::string& command,
                                                  const std::string& ini_dir) {
  auto parsed = command_template::parse(command, {});
  if (!parsed)
    return parsed.error();
  for (const auto& name : parsed->names()) {
    if (name != "ini_dir")
      return error{ec::unknown_name, "{" + name + "} is known to trials alone"};
  }
  return parsed->render({}, {{}, ini_dir, {}, {}});
}

expected<std::vector<std::string>> source_names(const std::string& text,
                                                const std::string& ini_dir) {
  // A command begins with a program, so one is put before the names and removed again.
  auto result = searcher_words("sources " + text, ini_dir);
  if (!result)
    return result;
  result->erase(result->begin());
  if (std::find(result->begin(), result->end(), "") != result->end())
    return error{ec::bad_syntax, "holds a name that is empty"};
  return result;
}

expected<std::unique_ptr<external::partner>>
make_searcher_process(const external::partner_terms& what, const searcher_place& where,
                      process_service_options how) {
  auto words = searcher_words(what.command, where.ini_dir);
  if (!words)
    return error{words.error().code, "command: " + words.error().detail};
  return std::unique_ptr<external::partner>{std::make_unique<searcher_process>(
      std::move(*words), what.answer_timeout, where, std::move(how))};
}

} // namespace tune
