// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/service_log.hpp"

#include "rotating_sink.hpp"

#include "tune/core/printable.hpp"
#include "tune/core/secret_name.hpp"
#include "tune/core/value.hpp"
#include "tune/io/json.hpp"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <ctime>
#include <utility>

namespace tune {

namespace {

/// Most lines that wait for the log's thread.
constexpr std::size_t most_service_lines = 8192;
/// Longest text of a line; the rest is cut off. [bytes]
constexpr std::size_t longest_service_text = 4000;
/// Digits of the tokens that this program makes.
constexpr std::size_t token_digits = 64;

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

std::string upper(std::string_view text) {
  std::string result{text};
  for (auto& c : result)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

bool is_token(std::string_view word) {
  return word.size() == token_digits && std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isxdigit(c) != 0;
         });
}

/// The end of a value: at a blank, a quote or what ends a part of an address.
std::size_t end_of_value(std::string_view text, std::size_t from) {
  return std::min(text.find_first_of(" \t\r\n\"'&,;)", from), text.size());
}

/// Takes secrets out, word by word.
std::string line_without_secrets(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word_char(text[at])) {
      result += text[at++];
      continue;
    }
    auto end = at;
    while (end < text.size() && is_word_char(text[end]))
      ++end;
    const auto word = text.substr(at, end - at);
    result += is_token(word) ? secret_not_shown : word;
    at = end;
    // In JSON a quote ends the name.
    if (at + 1 < text.size() && text[at] == '"' && text[at + 1] == ':' && names_a_secret(word))
      result += text[at++];
    const auto is_bearer = upper(word) == "BEARER" && at < text.size() && text[at] == ' ';
    const auto is_value
        = at < text.size() && (text[at] == '=' || text[at] == ':') && names_a_secret(word);
    if (!is_bearer && !is_value)
      continue;
    result += text[at++];
    while (at < text.size() && (text[at] == ' ' || text[at] == '"'))
      result += text[at++];
    constexpr std::string_view scheme = "BEARER ";
    if (upper(text.substr(at, scheme.size())) == scheme) {
      result += text.substr(at, scheme.size());
      at += scheme.size();
    }
    if (end_of_value(text, at) > at)
      result += secret_not_shown;
    at = end_of_value(text, at);
  }
  return result;
}

std::string time_text(std::chrono::system_clock::time_point now) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  const auto seconds = static_cast<std::time_t>(since.count() / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text.data() + length, text.size() - length, ".%03dZ",
                static_cast<int>(since.count() % 1000));
  return text.data();
}

} // namespace

std::string fit_for_log(std::string_view text) {
  auto result = printable(line_without_secrets(text.substr(0, longest_service_text)));
  return text.size() > longest_service_text ? result + "…" : result;
}

class service_log::impl {
public:
  impl(const settings& how, rotating_file to)
      : who_{how.who}
      , pool_{std::make_shared<spdlog::details::thread_pool>(most_service_lines, 1)} {
    auto file = std::make_shared<rotating_sink>(std::move(to));
    file->set_pattern("%v");
    logger_ = std::make_shared<spdlog::async_logger>("tune", std::move(file), pool_,
                                                     spdlog::async_overflow_policy::overrun_oldest);
    logger_->set_level(spdlog::level::info);
    logger_->flush_on(spdlog::level::info);
    logger_->set_error_handler([told = std::make_shared<std::atomic<bool>>(false),
                                tell = how.on_failure,
                                name = how.file.string()](const std::string& why) {
      if (tell && !told->exchange(true))
        tell("--log-file " + name + " is not written any more: " + why);
    });
  }

  void write(const std::string& text, std::chrono::system_clock::time_point now) {
    logger_->info("{}", to_json(object{{"time", time_text(now)},
                                       {"level", "info"},
                                       {"who", who_},
                                       {"text", fit_for_log(text)}}));
  }

private:
  std::string who_;
  // The pool ends after the logger, when it has written what waits.
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::async_logger> logger_;
};

expected<std::unique_ptr<service_log>> service_log::open(settings how) {
  auto fail = [&](const std::string& why) {
    return error{ec::storage, "--log-file " + how.file.string() + ": " + why};
  };
  auto file = rotating_file::open(how.file, {how.most_bytes, how.most_files});
  if (!file)
    return fail(file.error().detail);
  try {
    return std::unique_ptr<service_log>{
        new service_log{std::make_unique<impl>(how, std::move(*file))}};
  } catch (const spdlog::spdlog_ex& why) {
    return fail(why.what());
  }
}

service_log::service_log(std::unique_ptr<impl> what) : impl_{std::move(what)} {}
service_log::~service_log() = default;

void service_log::write(const std::string& text, std::chrono::system_clock::time_point now) {
  impl_->write(text, now);
}

} // namespace tune
