/// Answers requests: each route of `api_routes` by what it needs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/change_feed.hpp"
#include "serve/downloads.hpp"
#include "serve/feeds.hpp"
#include "serve/once_only.hpp"
#include "serve/read_model.hpp"
#include "serve/record_numbers.hpp"
#include "serve/record_orders.hpp"
#include "serve/service_numbers.hpp"
#include "serve/shared_answers.hpp"
#include "serve/submissions.hpp"
#include "serve/suggestion_desk.hpp"
#include "serve/talk_requests.hpp"
#include "tune/http/access_token.hpp"
#include "tune/http/http_server.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// A file of the dashboard. Everything lives as long as the program.
struct page_file {
  std::string_view mime;
  std::string_view hash;
  std::string_view bytes;
  std::string_view gzipped;
  bool immutable = false;
};

struct site_settings {
  std::filesystem::path place;
  std::shared_ptr<read_model> model;
  /// By path, without a slash in front: "index.html".
  std::map<std::string, page_file, std::less<>> page;
  std::shared_ptr<http::token_file> token;
  std::string version;
  /// Everything that experiments may name; outlives the site.
  const choices* all = nullptr;
  /// Null: no conversation is led here.
  std::shared_ptr<hosted_talk> talk = {};
  /// Null: this is no head.
  std::shared_ptr<hosted_head> head = {};
};

/// Everything that is served. For any thread.
class site {
public:
  /// @errors `ec::shortage`.
  [[nodiscard]] static expected<std::unique_ptr<site>> make(site_settings how);

  /// To be called once, before the first request.
  void served_by(const http::http_server& server) { server_ = &server; }

  [[nodiscard]] http::response answer(const http::request& what, const http::route& where);
  [[nodiscard]] answer_counts& answers() { return answers_; }
  /// Ends all streams, and what takes long.
  void close() {
    suggestions_.close();
    feeds_->stop();
  }

private:
  site_settings how_;
  const http::http_server* server_ = nullptr;
  answer_counts answers_;
  std::unique_ptr<feeds> feeds_;
  std::unique_ptr<downloads> downloads_;
  std::shared_ptr<recent_changes> changes_;
  shared_answers shared_;
  once_only once_;
  talk_requests talk_;
  submissions submissions_;
  record_orders orders_;
  suggestion_desk suggestions_;
  record_numbers records_;
  std::string openapi_;
  std::mutex mutex_;
  /// Wrong tokens that were offered for a cookie.
  http::failed_tries failed_;

  explicit site(site_settings how);

  /// The header that gives a browser its cookie, or takes it.
  [[nodiscard]] std::string cookie_text(const std::string& content,
                                        std::chrono::seconds lifetime) const;

  using handler = http::response (site::*)(const http::request&);
  [[nodiscard]] static const std::map<std::string, handler>& handlers();

  http::response health(const http::request& what);
  http::response ready(const http::request& what);
  http::response version(const http::request& what);
  http::response metrics(const http::request& what);
  http::response openapi(const http::request& what);
  http::response begin_session(const http::request& what);
  http::response end_session(const http::request& what);
  http::response page(const http::request& what);
  http::response suggestion(const http::request& what);
  http::response logs(const http::request& what);
  http::response checkpoint(const http::request& what);
  http::response artifact(const http::request& what);
  http::response events(const http::request& what);
  http::response view(const http::request& what);
  [[nodiscard]] shared_answers::made make_view(const std::vector<std::string>& path,
                                               const http::request& what);
  [[nodiscard]] shared_answers::made find_view(const std::vector<std::string>& path,
                                               const http::request& what);
  http::response order(const http::request& what, const http::route& where);
  http::response follow(std::unique_ptr<live_feed> what, std::shared_ptr<http::byte_pipe> by);
};

} // namespace tune::cli
