// SPDX-License-Identifier: BSD-3-Clause
#include "object_store/s3_connection.hpp"

#include "object_store/s3_replies.hpp"
#include "sinks/http/http_client.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/files/sha256.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <thread>

namespace tune {

namespace {

using std::chrono::milliseconds;

constexpr long s3_connect_seconds = 10;
/// A request in which no byte moves for so long has failed.
constexpr long s3_stalled_seconds = 30;
constexpr std::size_t longest_s3_body = 64 * 1024 * 1024;
constexpr std::array s3_pauses{milliseconds{300}, milliseconds{1'500}};
constexpr milliseconds s3_no_limit = std::chrono::hours{24};

struct end_of_s3_handle {
  void operator()(CURL* x) const { curl_easy_cleanup(x); }
};
struct end_of_s3_list {
  void operator()(curl_slist* x) const { curl_slist_free_all(x); }
};

void start_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

std::string escaped_path(std::string_view key) {
  std::string result;
  while (true) {
    const auto slash = std::min(key.find('/'), key.size());
    result += url_escaped(key.substr(0, slash));
    if (slash == key.size())
      return result;
    result += '/';
    key.remove_prefix(slash + 1);
  }
}

std::string in_lower_case(std::string_view x) {
  std::string result{x};
  for (auto& c : result)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// One request and what comes of it.
struct exchange {
  const s3_request& what;
  CURL* handle;
  std::function<milliseconds()> left;
  s3_reply reply = {};
  std::size_t sent = 0;
  bool is_unwanted = false;
};

/// Whether the answer is what `take` waits for.
bool is_content(exchange& x) {
  long status = 0;
  curl_easy_getinfo(x.handle, CURLINFO_RESPONSE_CODE, &status);
  return x.what.take && status >= 200 && status < 300;
}

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& x = *static_cast<exchange*>(to);
  const auto length = size * count;
  if (is_content(x)) {
    x.is_unwanted = !x.what.take({bytes, length});
    return x.is_unwanted ? 0 : length;
  }
  if (x.reply.body.size() + length > longest_s3_body)
    return 0;
  x.reply.body.append(bytes, length);
  return length;
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* to) {
  const std::string_view line{bytes, size * count};
  const auto colon = line.find(':');
  if (colon != line.npos) {
    auto content = line.substr(colon + 1);
    content.remove_prefix(std::min(content.find_first_not_of(" \t"), content.size()));
    content = content.substr(0, content.find_last_not_of(" \t\r\n") + 1);
    static_cast<exchange*>(to)->reply.headers[in_lower_case(line.substr(0, colon))] = content;
  }
  return line.size();
}

std::size_t give_body(char* to, std::size_t size, std::size_t count, void* from) {
  auto& x = *static_cast<exchange*>(from);
  const auto length = std::min(size * count, x.what.body.size() - x.sent);
  std::memcpy(to, x.what.body.data() + x.sent, length);
  x.sent += length;
  return length;
}

int seek_body(void* from, curl_off_t offset, int origin) {
  auto& x = *static_cast<exchange*>(from);
  if (origin != SEEK_SET || offset < 0 || static_cast<std::size_t>(offset) > x.what.body.size())
    return CURL_SEEKFUNC_CANTSEEK;
  x.sent = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

/// Called about once a second.
int watch_exchange(void* from, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<exchange*>(from)->left() <= milliseconds{0} ? 1 : 0;
}

void set_up_transfer(exchange& x, const std::string& url) {
  auto* to = x.handle;
  curl_easy_reset(to);
  curl_easy_setopt(to, CURLOPT_URL, url.c_str());
  curl_easy_setopt(to, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(to, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(to, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(to, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(to, CURLOPT_USERAGENT, "tune-node");
  curl_easy_setopt(to, CURLOPT_CONNECTTIMEOUT, s3_connect_seconds);
  curl_easy_setopt(to, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(to, CURLOPT_LOW_SPEED_TIME, s3_stalled_seconds);
  curl_easy_setopt(to, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(to, CURLOPT_XFERINFOFUNCTION, &watch_exchange);
  curl_easy_setopt(to, CURLOPT_XFERINFODATA, &x);
  curl_easy_setopt(to, CURLOPT_WRITEFUNCTION, &take_body);
  curl_easy_setopt(to, CURLOPT_WRITEDATA, &x);
  curl_easy_setopt(to, CURLOPT_HEADERFUNCTION, &take_header);
  curl_easy_setopt(to, CURLOPT_HEADERDATA, &x);
  if (auto file = environment_text("AWS_CA_BUNDLE"); !file.empty())
    curl_easy_setopt(to, CURLOPT_CAINFO, file.c_str());
}

void set_up_method(exchange& x) {
  auto* to = x.handle;
  const auto& what = x.what;
  if (what.method == "HEAD") {
    curl_easy_setopt(to, CURLOPT_NOBODY, 1L);
  } else if (what.method == "PUT") {
    curl_easy_setopt(to, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(to, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(what.body.size()));
    curl_easy_setopt(to, CURLOPT_READFUNCTION, &give_body);
    curl_easy_setopt(to, CURLOPT_READDATA, &x);
    curl_easy_setopt(to, CURLOPT_SEEKFUNCTION, &seek_body);
    curl_easy_setopt(to, CURLOPT_SEEKDATA, &x);
  } else if (what.method == "POST") {
    curl_easy_setopt(to, CURLOPT_POST, 1L);
    curl_easy_setopt(to, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(what.body.size()));
    curl_easy_setopt(to, CURLOPT_POSTFIELDS, what.body.data() == nullptr ? "" : what.body.data());
  } else if (what.method == "DELETE") {
    curl_easy_setopt(to, CURLOPT_CUSTOMREQUEST, "DELETE");
  }
}

} // namespace

std::string why_no_endpoint(std::string_view text) {
  return why_no_url(text);
}

s3_address address_of(const std::string& bucket, const bucket_settings& how,
                      const std::function<std::string(const char*)>& variable) {
  s3_address result{how.endpoint, how.region};
  for (const auto* name : {"AWS_REGION", "AWS_DEFAULT_REGION"})
    result.region = result.region.empty() ? variable(name) : result.region;
  if (result.region.empty())
    result.region = "us-east-1";
  for (const auto* name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"})
    result.base = result.base.empty() ? variable(name) : result.base;
  while (result.base.ends_with('/'))
    result.base.pop_back();
  const auto host = "s3." + result.region + ".amazonaws.com";
  // A certificate for *.s3… covers no name with a dot.
  if (result.base.empty() && bucket.find('.') == std::string::npos)
    result.base = "https://" + bucket + "." + host;
  else
    result.base = (result.base.empty() ? "https://" + host : result.base) + "/" + bucket;
  return result;
}

std::string target_of(const s3_request& x) {
  auto result = "/" + escaped_path(x.key);
  char mark = '?';
  for (const auto& [name, content] : x.query) {
    result += mark + url_escaped(name) + "=" + url_escaped(content);
    mark = '&';
  }
  return result;
}

class s3_connection::impl {
public:
  impl(std::string bucket, bucket_settings how)
      : bucket_{std::move(bucket)}
      , time_left_{how.time_left}
      , address_{address_of(bucket_, how, environment_text)} {
    start_curl();
    handle_.reset(curl_easy_init());
  }

  expected<s3_reply> send(const s3_request& what) {
    auto reply = once(what);
    for (auto pause : s3_pauses) {
      if (reply || what.take || reply.error().code != ec::unreachable || left() <= pause)
        break;
      std::this_thread::sleep_for(pause);
      reply = once(what);
    }
    return reply;
  }

private:
  std::string bucket_;
  std::function<milliseconds()> time_left_;
  s3_address address_;
  std::unique_ptr<CURL, end_of_s3_handle> handle_;

  [[nodiscard]] milliseconds left() const { return time_left_ ? time_left_() : s3_no_limit; }

  expected<s3_reply> once(const s3_request& what) {
    // A listing is of the bucket, and means what lies below its prefix.
    const auto is_listing = what.key.empty() && !what.query.empty();
    const bucket_place place{bucket_, is_listing ? what.query.back().second : what.key};
    const auto named = printable(to_text(place));
    if (const auto fault = why_no_url(address_.base); !fault.empty())
      return error{ec::refused, "the address of the store " + fault};
    auto who = find_credentials(environment_text);
    if (!who)
      return who.error();
    if (handle_ == nullptr)
      return error{ec::shortage, "no memory for a connection to " + named};
    exchange x{what, handle_.get(), [this] { return left(); }};
    const auto code = perform(x, *who);
    if (x.is_unwanted)
      return error{ec::storage, named + ": it cannot be written"};
    if (code == CURLE_ABORTED_BY_CALLBACK)
      return error{ec::unreachable, named + ": there is no time left for a request"};
    if (code != CURLE_OK)
      return error{ec::unreachable,
                   named + " at " + address_.base + ": " + curl_easy_strerror(code)};
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &x.reply.status);
    const auto status = x.reply.status;
    const auto is_missing = status == 404 && xml_text(x.reply.body, "Code") != "NoSuchBucket"
                            && (what.method == "HEAD" || what.method == "GET");
    if ((status >= 200 && status < 300) || (is_missing && !what.key.empty()))
      return std::move(x.reply);
    return error_of(
        {status, x.reply.body, to_text(place), who->id, x.reply.headers["x-amz-bucket-region"]});
  }

  CURLcode perform(exchange& x, const aws_credentials& who) {
    auto target = target_of(x.what);
    // The bucket itself has no name after it in the path.
    if (x.what.key.empty() && !address_.base.ends_with(".amazonaws.com"))
      target.erase(0, 1);
    set_up_transfer(x, address_.base + target);
    set_up_method(x);
    std::unique_ptr<curl_slist, end_of_s3_list> headers;
    auto add = [&](const std::string& text) {
      headers.reset(curl_slist_append(headers.release(), text.c_str()));
    };
    // curl signs the content by this header.
    add("x-amz-content-sha256: " + sha256_of(x.what.body));
    if (!who.token.empty())
      add("x-amz-security-token: " + who.token);
    for (const auto& [name, content] : x.what.notes)
      add("x-amz-meta-" + name + ": " + content);
    if (x.what.method == "PUT" || x.what.method == "POST")
      add("Content-Type: application/octet-stream");
    curl_easy_setopt(x.handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(x.handle, CURLOPT_USERNAME, who.id.c_str());
    curl_easy_setopt(x.handle, CURLOPT_PASSWORD, who.secret.c_str());
    curl_easy_setopt(x.handle, CURLOPT_AWS_SIGV4, ("aws:amz:" + address_.region + ":s3").c_str());
    return curl_easy_perform(x.handle);
  }
};

s3_connection::s3_connection(std::string bucket, bucket_settings how)
    : impl_{std::make_unique<impl>(std::move(bucket), std::move(how))} {}
s3_connection::s3_connection(s3_connection&&) noexcept = default;
s3_connection::~s3_connection() = default;

expected<s3_reply> s3_connection::send(const s3_request& what) {
  return impl_->send(what);
}

} // namespace tune
