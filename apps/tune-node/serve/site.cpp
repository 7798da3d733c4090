// SPDX-License-Identifier: BSD-3-Clause
#include "serve/site.hpp"

#include "serve/api_routes.hpp"
#include "serve/trial_log.hpp"
#include "tune/core/text.hpp"
#include "tune/http/event_frame.hpp"
#include "tune/io/files/hmac.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/store_reader.hpp"

#include <unistd.h>

#include <charconv>
#include <optional>
#include <utility>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;

/// The place of the log that an answer has to be as of, or later.
constexpr std::string_view at_least_header = "Tune-At-Least";

http::response not_found(const std::string& what) {
  return to_response(http::problem{404, "not_found", what});
}

std::int64_t number_in(const http::request& what, const std::string& name, std::int64_t otherwise) {
  const auto text = what.asked(name);
  std::int64_t result = otherwise;
  if (text)
    std::from_chars(text->data(), text->data() + text->size(), result);
  return result;
}

bool names(std::optional<std::string_view> header, std::string_view word) {
  return header && header->find(word) != header->npos;
}

/// Sends nothing if the client has it already.
http::response with_tag(http::response what, const std::string& tag, const http::request& asked) {
  const auto quoted = '"' + tag + '"';
  what.headers.add("ETag", quoted);
  if (names(asked.headers.only("If-None-Match"), quoted)) {
    what.status = 304;
    what.body.clear();
    what.fixed = {};
  }
  return what;
}

/// The directory of the experiment that a request names, and of its trial, if that is there.
struct found_trial {
  fs::path directory;
  trial_id trial;
};

std::variant<found_trial, http::problem> trial_of(const http::request& what, read_model& model) {
  auto found = model.directory_of(what.names.at("experiment"));
  if (auto* why = std::get_if<http::problem>(&found))
    return std::move(*why);
  const auto& directory = std::get<fs::path>(found);
  const auto trial = trial_in_path(what.names.at("trial"));
  auto reader = store_reader::open(directory);
  if (!reader)
    return http::problem_of(reader.error());
  auto row = trial ? reader->trial(*trial) : expected<std::optional<trial_row>>{std::nullopt};
  if (!row)
    return http::problem_of(row.error());
  if (!*row)
    return http::problem{404, "not_found", "there is no such trial"};
  return found_trial{directory, *trial};
}

std::chrono::seconds unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

} // namespace

site::site(site_settings how)
    : how_{std::move(how)}
    , changes_{std::make_shared<recent_changes>(how_.model)}
    , talk_{how_.talk}
    , submissions_{how_.head}
    , orders_{*how_.model, talk_, how_.head != nullptr}
    , suggestions_{*how_.all}
    , records_{how_.place}
    , openapi_{openapi_text(api_routes(), how_.version)} {}

expected<std::unique_ptr<site>> site::make(site_settings how) {
  auto all_feeds = feeds::start();
  if (!all_feeds)
    return all_feeds.error();
  auto all_downloads = downloads::start();
  if (!all_downloads)
    return all_downloads.error();
  std::unique_ptr<site> result{new site{std::move(how)}};
  result->feeds_ = std::move(*all_feeds);
  result->downloads_ = std::move(*all_downloads);
  return result;
}

const std::map<std::string, site::handler>& site::handlers() {
  static const std::map<std::string, handler> all{{"health", &site::health},
                                                  {"ready", &site::ready},
                                                  {"version", &site::version},
                                                  {"metrics", &site::metrics},
                                                  {"openapi", &site::openapi},
                                                  {"session_begin", &site::begin_session},
                                                  {"session_end", &site::end_session},
                                                  {"page", &site::page},
                                                  {"page_file", &site::page},
                                                  {"page_asset", &site::page},
                                                  {"suggestion", &site::suggestion},
                                                  {"logs", &site::logs},
                                                  {"checkpoint", &site::checkpoint},
                                                  {"artifact", &site::artifact},
                                                  {"events", &site::events}};
  return all;
}

http::response site::answer(const http::request& what, const http::route& where) {
  if (where.id.starts_with("view_"))
    return view(what);
  if (const auto found = handlers().find(where.id); found != handlers().end())
    return (this->*found->second)(what);
  return once_.answer(what, where, [&] { return order(what, where); });
}

http::response site::order(const http::request& what, const http::route& where) {
  if (where.id == "submit")
    return submissions_.answer(what);
  if (where.id != "ask" && where.id != "tell")
    return orders_.answer(what, where);
  auto found = how_.model->directory_of(what.names.at("experiment"));
  if (const auto* why = std::get_if<http::problem>(&found))
    return to_response(*why);
  return talk_.answer(what, where);
}

http::response site::health(const http::request&) {
  return http::json_response("{\"status\":\"ok\"}\n");
}

http::response site::ready(const http::request&) {
  if (how_.model->is_readable())
    return http::json_response("{\"status\":\"ok\"}\n");
  return to_response(http::problem{503, "unreadable", "what is served cannot be read"});
}

http::response site::version(const http::request&) {
  return http::json_response(to_json(object{{"version", how_.version}, {"api", "v1"}}) + "\n");
}

http::response site::metrics(const http::request&) {
  http::response result;
  result.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  result.headers.add("Cache-Control", "no-store");
  result.body = service_numbers(answers_, server_->counts(), how_.version) + records_.text();
  const auto machines = how_.head == nullptr ? std::nullopt : how_.head->machines();
  if (machines)
    result.body += machine_numbers(*machines);
  return result;
}

http::response site::openapi(const http::request& what) {
  return with_tag(http::json_response(openapi_), sha256_of(openapi_).substr(0, 32), what);
}

/// Over TLS a browser never sends it in the clear.
std::string site::cookie_text(const std::string& content, std::chrono::seconds lifetime) const {
  return server_->cookie() + "=" + content + "; HttpOnly; SameSite=Strict; Max-Age="
         + std::to_string(lifetime.count()) + (server_->is_secure() ? "; Secure" : "");
}

http::response site::begin_session(const http::request& what) {
  auto body = object_from_json(what.body);
  const auto* given = body ? body->find("token") : nullptr;
  if (given == nullptr || given->as_string() == nullptr || body->size() != 1)
    return to_response(http::problem{422, "bad_option", "the body has to be {\"token\":\"…\"}"});
  auto token = how_.token->token();
  if (!are_equal_secrets(*given->as_string(), token)) {
    how_.token->refresh();
    token = how_.token->token();
  }
  if (!are_equal_secrets(*given->as_string(), token)) {
    std::lock_guard guard{mutex_};
    if (failed_.note(std::chrono::steady_clock::now()))
      return to_response(http::problem{429, "too_many", "too many wrong tokens: wait a moment"});
    return to_response(http::problem{401, "wrong_token", "this is not the token of this server"});
  }
  http::response result;
  result.status = 204;
  result.headers.add("Set-Cookie",
                     cookie_text(http::cookie_for(token, unix_now()), http::cookie_lifetime));
  result.headers.add("Cache-Control", "no-store");
  return result;
}

http::response site::end_session(const http::request&) {
  http::response result;
  result.status = 204;
  result.headers.add("Set-Cookie", cookie_text("", {}));
  return result;
}

http::response site::page(const http::request& what) {
  std::string path;
  for (const auto& x : what.path)
    path.append(path.empty() ? "" : "/").append(x);
  const auto found = how_.page.find(path.empty() ? "index.html" : path);
  if (found == how_.page.end())
    return not_found(how_.page.empty() ? "this program was built without the dashboard"
                                       : "there is nothing here");
  const auto& file = found->second;
  http::response result;
  result.headers.add("Content-Type", std::string{file.mime});
  result.headers.add("Cache-Control",
                     file.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  result.fixed = file.bytes;
  if (!file.gzipped.empty()) {
    result.headers.add("Vary", "Accept-Encoding");
    if (names(what.headers.only("Accept-Encoding"), "gzip")) {
      result.headers.add("Content-Encoding", "gzip");
      result.fixed = file.gzipped;
    }
  }
  return with_tag(std::move(result), std::string{file.hash.substr(0, 32)}, what);
}

http::response site::follow(std::unique_ptr<live_feed> what, std::shared_ptr<http::byte_pipe> by) {
  http::response result;
  result.headers.add("Content-Type", "text/event-stream");
  result.headers.add("Cache-Control", "no-store");
  // Proxies that gather responses would keep events back.
  result.headers.add("X-Accel-Buffering", "no");
  result.stream = by;
  if (auto added = feeds_->add(std::move(what), std::move(by)); !added)
    return to_response(http::problem{503, "busy", added.error().detail});
  return result;
}

http::response site::suggestion(const http::request& what) {
  auto found = trial_of(what, *how_.model);
  if (const auto* why = std::get_if<http::problem>(&found))
    return to_response(*why);
  const auto& [directory, trial] = std::get<found_trial>(found);
  auto told = suggestions_.explain(directory, trial);
  if (const auto* why = std::get_if<http::problem>(&told))
    return to_response(*why);
  auto& text = std::get<std::string>(told);
  auto tag = sha256_of(text).substr(0, 32);
  return with_tag(http::json_response(std::move(text)), tag, what);
}

http::response site::logs(const http::request& what) {
  auto found = trial_of(what, *how_.model);
  if (const auto* why = std::get_if<http::problem>(&found))
    return to_response(*why);
  const auto& [directory, trial] = std::get<found_trial>(found);
  const trial_log which{directory, trial, what.asked("stream").value_or("stdout")};
  constexpr std::int64_t usual = 64 * 1024;
  const auto offset = number_in(what, "offset", -usual);
  if (names(what.headers.only("Accept"), "text/event-stream")) {
    auto pipe = std::make_shared<http::byte_pipe>();
    return follow(make_log_feed(which, offset, pipe), pipe);
  }
  auto part = read_log(which, offset, static_cast<std::size_t>(number_in(what, "limit", usual)));
  if (!part)
    return to_response(http::problem_of(part.error()));
  return http::json_response(to_json(to_object(*part)));
}

http::response site::checkpoint(const http::request& what) {
  auto found = trial_of(what, *how_.model);
  if (const auto* why = std::get_if<http::problem>(&found))
    return to_response(*why);
  const auto& [directory, trial] = std::get<found_trial>(found);
  const auto number = trial_in_path(what.names.at("checkpoint"));
  if (!number || number->number == 0)
    return not_found("this trial has no such checkpoint");
  return downloads_->checkpoint(directory, trial, number->number);
}

http::response site::artifact(const http::request& what) {
  auto found = trial_of(what, *how_.model);
  if (const auto* why = std::get_if<http::problem>(&found))
    return to_response(*why);
  const auto& [directory, trial] = std::get<found_trial>(found);
  return downloads_->artifact(what, directory, trial, what.names.at("path"));
}

http::response site::events(const http::request& what) {
  const auto& name = what.names.at("experiment");
  auto found = how_.model->directory_of(name);
  if (const auto* why = std::get_if<http::problem>(&found))
    return to_response(*why);
  auto pipe = std::make_shared<http::byte_pipe>();
  const auto from = http::event_place(what).value_or(http::event_id{});
  return follow(make_change_feed(changes_, name, std::get<fs::path>(found),
                                 log_position{from.log, from.place}, pipe),
                pipe);
}

shared_answers::made site::make_view(const std::vector<std::string>& path,
                                     const http::request& what) {
  auto found = how_.model->answer(path, what.query);
  if (auto* why = std::get_if<http::problem>(&found))
    return std::move(*why);
  auto& text = std::get<std::string>(found);
  auto tag = sha256_of(text).substr(0, 32);
  return shared_answer{{}, std::move(text), std::move(tag)};
}

/// Clients that say how new an answer has to be may get one that another got.
shared_answers::made site::find_view(const std::vector<std::string>& path,
                                     const http::request& what) {
  const auto wanted = what.headers.only(at_least_header);
  const auto now = wanted && path.size() > 1 ? how_.model->position_of(path[1]) : std::nullopt;
  sequence at_least = 0;
  if (!now
      || std::from_chars(wanted->data(), wanted->data() + wanted->size(), at_least).ec
             != std::errc{})
    return make_view(path, what);
  return shared_.answer(question_text(path, what.query), {now->record, at_least}, [&] {
    const auto as_of = how_.model->position_of(path[1]);
    auto result = make_view(path, what);
    if (auto* fresh = std::get_if<shared_answer>(&result))
      fresh->as_of = as_of.value_or(log_position{});
    return result;
  });
}

http::response site::view(const http::request& what) {
  // Behind "api" and "v1".
  auto found = find_view({what.path.begin() + 2, what.path.end()}, what);
  if (const auto* why = std::get_if<http::problem>(&found))
    return to_response(*why);
  auto& [as_of, text, tag] = std::get<shared_answer>(found);
  auto result = http::json_response(std::move(text));
  return with_tag(std::move(result), tag, what);
}

} // namespace tune::cli
