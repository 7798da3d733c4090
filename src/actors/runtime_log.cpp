// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/runtime_log.hpp"

#include "rotating_sink.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/files/rotating_file.hpp"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace tune {

namespace {

/// Most lines that wait for the log's thread.
constexpr std::size_t most_waiting_lines = 8192;
/// Longest piece of external text in a line. [bytes]
constexpr std::size_t longest_text = 500;

spdlog::level::level_enum level_of(log_level x) {
  static constexpr spdlog::level::level_enum levels[]
      = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
         spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
  return levels[static_cast<std::size_t>(x)];
}

/// Text from trials and files, made printable and short.
std::string shown(std::string_view text) {
  auto result = printable(text.substr(0, longest_text));
  return text.size() > longest_text ? result + "…" : result;
}

std::string with_reason(std::string_view reason) {
  return reason.empty() ? std::string{} : ": " + shown(reason);
}

class runtime_log : public run_observer {
public:
  runtime_log(const runtime_log_options& how, rotating_file to)
      : pool_{std::make_shared<spdlog::details::thread_pool>(most_waiting_lines, 1)} {
    auto file = std::make_shared<rotating_sink>(std::move(to));
    file->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    // Not registered in spdlog's global list, so two runs in a process do not conflict.
    logger_ = std::make_shared<spdlog::async_logger>("tune", std::move(file), pool_,
                                                     spdlog::async_overflow_policy::overrun_oldest);
    logger_->set_level(level_of(how.least));
    logger_->flush_on(spdlog::level::info);
    logger_->set_error_handler([told = std::make_shared<std::atomic<bool>>(false),
                                tell = how.on_failure,
                                name = how.file.string()](const std::string& why) {
      if (tell && !told->exchange(true))
        tell("[log] file = " + name + " is not written any more: " + why);
    });
  }

  void trial_changed(const cmd::trial_changed& what, instant) override {
    auto [known, fresh] = last_.try_emplace(what.trial, what.status);
    if (!fresh && std::exchange(known->second, what.status) == what.status)
      return;
    if (logger_->should_log(spdlog::level::info))
      logger_->info("{} {}{}", to_text(what.trial), to_text(what.status), with_reason(what.reason));
    if (is_final(what.status))
      last_.erase(known);
  }

  void attempt_began(const cmd::attempt_changed& what, instant) override {
    if (!logger_->should_log(spdlog::level::debug))
      return;
    logger_->debug("{} placed on {}, attempt {}", to_text(what.trial), shown(what.node),
                   to_text(what.attempt));
  }

  void attempt_failed(const cmd::attempt_changed& what, bool again, instant) override {
    logger_->warn("{} attempt {} failed ({}{}){}", to_text(what.trial), to_text(what.attempt),
                  to_text(what.how), again ? ", will be tried again" : "",
                  with_reason(what.detail));
  }

  void decided(const cmd::decision_taken& what, instant) override {
    if (!logger_->should_log(spdlog::level::debug))
      return;
    logger_->debug("{} {} at iteration {}: {}", to_text(what.trial), what.action, what.iteration,
                   shown(to_text(value{what.reason})));
  }

  void warned(const std::string& text) override { logger_->warn("{}", shown(text)); }

  void finished(const run_summary& how) override {
    if (!how.storage_error.empty())
      logger_->error("the storage failed{}", with_reason(how.storage_error));
    logger_->info("the run is over, {}{}", to_text(how.status), with_reason(how.why));
    if (auto lost = pool_->overrun_counter(); lost > 0)
      logger_->warn("{} lines were left out: the log fell behind", lost);
    logger_->flush();
  }

private:
  // The pool ends after the logger, when it has written what waits.
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::async_logger> logger_;
  std::map<trial_id, trial_status> last_;
};

class several : public run_observer {
public:
  explicit several(std::vector<std::shared_ptr<run_observer>> all) : all_{std::move(all)} {}

  void trial_changed(const cmd::trial_changed& what, instant now) override {
    for (const auto& x : all_)
      x->trial_changed(what, now);
  }
  void reported(const std::shared_ptr<const report>& what, instant now) override {
    for (const auto& x : all_)
      x->reported(what, now);
  }
  void saved(const on::saved& what, instant now) override {
    for (const auto& x : all_)
      x->saved(what, now);
  }
  void attempt_began(const cmd::attempt_changed& what, instant now) override {
    for (const auto& x : all_)
      x->attempt_began(what, now);
  }
  void attempt_failed(const cmd::attempt_changed& what, bool again, instant now) override {
    for (const auto& x : all_)
      x->attempt_failed(what, again, now);
  }
  void decided(const cmd::decision_taken& what, instant now) override {
    for (const auto& x : all_)
      x->decided(what, now);
  }
  void warned(const std::string& text) override {
    for (const auto& x : all_)
      x->warned(text);
  }
  void finished(const run_summary& how) override {
    for (const auto& x : all_)
      x->finished(how);
  }

private:
  std::vector<std::shared_ptr<run_observer>> all_;
};

} // namespace

expected<std::shared_ptr<run_observer>> open_runtime_log(runtime_log_options options) {
  auto fail = [&](const std::string& why) {
    return error{ec::storage, "[log] file = " + options.file.string() + ": " + why};
  };
  auto file = rotating_file::open(options.file, {options.most_bytes, options.most_files});
  if (!file)
    return fail(file.error().detail);
  try {
    return std::shared_ptr<run_observer>{std::make_shared<runtime_log>(options, std::move(*file))};
  } catch (const spdlog::spdlog_ex& why) {
    return fail(why.what());
  }
}

std::shared_ptr<run_observer> joined_observers(std::vector<std::shared_ptr<run_observer>> all) {
  return std::make_shared<several>(std::move(all));
}

} // namespace tune
