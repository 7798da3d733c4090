// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/http/http_client.hpp"

#include "tune/core/printable.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

namespace tune {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds connect_timeout{5'000};
constexpr milliseconds request_timeout{30'000};
constexpr std::size_t longest_reply = 64 * 1024 * 1024;
constexpr std::array pauses{milliseconds{250}, milliseconds{1'000}};

struct end_of_handle {
  void operator()(CURL* x) const { curl_easy_cleanup(x); }
};
struct end_of_list {
  void operator()(curl_slist* x) const { curl_slist_free_all(x); }
};

std::size_t take_reply(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& body = *static_cast<std::string*>(to);
  const auto length = size * count;
  if (body.size() + length > longest_reply)
    return 0;
  body.append(bytes, length);
  return length;
}

/// The address without what may be secret in it.
std::string shown_url(const std::string& url) {
  return printable(url.substr(0, url.find('?')));
}

void start_library() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

} // namespace

class http_client::impl {
public:
  explicit impl(http_client_settings how) : how_{std::move(how)} {
    start_library();
    handle_.reset(curl_easy_init());
  }

  expected<http_reply> send(const std::string& url, const std::string* json) {
    auto reply = once(url, json);
    for (auto pause : pauses) {
      if (reply || left() <= pause)
        break;
      std::this_thread::sleep_for(pause);
      reply = once(url, json);
    }
    return reply;
  }

private:
  http_client_settings how_;
  std::unique_ptr<CURL, end_of_handle> handle_;

  [[nodiscard]] milliseconds left() const {
    return how_.time_left ? how_.time_left() : request_timeout;
  }

  /// Called about once a second during a request.
  static int watch(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<impl*>(self)->left() <= milliseconds{0} ? 1 : 0;
  }

  void set_up(const std::string& url, std::string& body) {
    auto* x = handle_.get();
    curl_easy_reset(x);
    curl_easy_setopt(x, CURLOPT_URL, url.c_str());
    curl_easy_setopt(x, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(x, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(x, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(x, CURLOPT_USERAGENT, "tune-node");
    curl_easy_setopt(x, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout.count()));
    const auto most = std::clamp(left(), milliseconds{1}, request_timeout);
    curl_easy_setopt(x, CURLOPT_TIMEOUT_MS, static_cast<long>(most.count()));
    curl_easy_setopt(x, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(x, CURLOPT_XFERINFOFUNCTION, &impl::watch);
    curl_easy_setopt(x, CURLOPT_XFERINFODATA, this);
    curl_easy_setopt(x, CURLOPT_WRITEFUNCTION, &take_reply);
    curl_easy_setopt(x, CURLOPT_WRITEDATA, &body);
    if (!how_.certificates.empty())
      curl_easy_setopt(x, CURLOPT_CAINFO, how_.certificates.c_str());
    if (!how_.verifies_server) {
      curl_easy_setopt(x, CURLOPT_SSL_VERIFYPEER, 0L);
      curl_easy_setopt(x, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    if (!how_.user.empty() || !how_.password.empty()) {
      curl_easy_setopt(x, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
      curl_easy_setopt(x, CURLOPT_USERNAME, how_.user.c_str());
      curl_easy_setopt(x, CURLOPT_PASSWORD, how_.password.c_str());
    }
  }

  expected<http_reply> once(const std::string& url, const std::string* json) {
    if (handle_ == nullptr)
      return error{ec::shortage, "no memory for a connection to " + shown_url(url)};
    http_reply result;
    set_up(url, result.body);
    std::unique_ptr<curl_slist, end_of_list> headers;
    auto add = [&](const char* text) { headers.reset(curl_slist_append(headers.release(), text)); };
    add("Expect:");
    if (json != nullptr)
      add("Content-Type: application/json");
    for (const auto& x : how_.headers)
      add(x.c_str());
    curl_easy_setopt(handle_.get(), CURLOPT_HTTPHEADER, headers.get());
    if (json != nullptr) {
      curl_easy_setopt(handle_.get(), CURLOPT_POST, 1L);
      curl_easy_setopt(handle_.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(json->size()));
      curl_easy_setopt(handle_.get(), CURLOPT_POSTFIELDS, json->data());
    }
    const auto code = curl_easy_perform(handle_.get());
    if (code == CURLE_ABORTED_BY_CALLBACK)
      return error{ec::unreachable, shown_url(url) + ": there is no time left for a request"};
    if (code != CURLE_OK)
      return error{ec::unreachable, shown_url(url) + ": " + curl_easy_strerror(code)};
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &result.status);
    if (result.status == 429 || result.status >= 500)
      return error{ec::unreachable,
                   shown_url(url) + ": it answers with status " + std::to_string(result.status)};
    return result;
  }
};

http_client::http_client(http_client_settings how)
    : impl_{std::make_unique<impl>(std::move(how))} {}
http_client::http_client(http_client&&) noexcept = default;
http_client::~http_client() = default;

expected<http_reply> http_client::post(const std::string& url, const std::string& json) {
  return impl_->send(url, &json);
}

expected<http_reply> http_client::get(const std::string& url) {
  return impl_->send(url, nullptr);
}

std::string why_no_url(std::string_view text) {
  constexpr auto wanted = "must be an address such as http://127.0.0.1:5000 or https://host/path";
  const auto is_http = text.starts_with("http://") || text.starts_with("https://");
  const auto rest = is_http ? text.substr(text.find("//") + 2) : std::string_view{};
  const auto host = rest.substr(0, rest.find_first_of("/?#"));
  if (host.empty() || printable(text) != text || text.find(' ') != text.npos)
    return wanted;
  if (host.find('@') != host.npos)
    return "must not have a user or a password in it: they go into the environment, see "
           "docs/sinks.md";
  if (text.find_first_of("?#") != text.npos)
    return "must have no query";
  return {};
}

std::string url_escaped(std::string_view text) {
  constexpr std::string_view plain
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (char c : text) {
    const auto x = static_cast<unsigned char>(c);
    if (plain.find(c) != plain.npos)
      result += c;
    else
      result.append("%").append(1, digits[x >> 4U]).append(1, digits[x & 15U]);
  }
  return result;
}

std::string environment_text(const char* name) {
  const char* found = std::getenv(name);
  return found == nullptr ? std::string{} : std::string{found};
}

} // namespace tune
