// SPDX-License-Identifier: BSD-3-Clause
#include "enrolment/talk.hpp"

#include "tune/io/field_reader.hpp"
#include "tune/io/json.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace tune::enrolment {

namespace {

constexpr std::size_t most_hosts = 32;

/// Waits until the socket is ready, in whichever direction: a session may want either.
expected<void> wait(int socket, short events, probe_deadline until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  pollfd who{socket, events, 0};
  if (left.count() <= 0 || ::poll(&who, 1, static_cast<int>(left.count())) <= 0)
    return error{ec::unreachable, "no answer in time"};
  return {};
}

error gone() {
  return {ec::unreachable, "the connection was closed"};
}

} // namespace

std::string to_json(const wish& x) {
  object result;
  result.set("enrol", value{std::int64_t{1}});
  result.set("token", to_text(x.token));
  result.set("name", x.whom.name);
  result.set("hosts", value{value::list{x.whom.hosts.begin(), x.whom.hosts.end()}});
  result.set("request", x.request);
  return tune::to_json(result);
}

expected<wish> wish_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, "in a wish for a certificate"};
  wish result;
  if (from.get<std::int64_t>("enrol") != 1)
    from.fail("enrol is not 1");
  auto token = join_token_from(from.get<std::string>("token"));
  result.whom.name = from.get<std::string>("name");
  for (const auto& host : from.get<value::list>("hosts")) {
    const auto* word = std::get_if<std::string>(&host.content());
    if (word == nullptr || result.whom.hosts.size() >= most_hosts)
      from.fail("hosts has a wrong type, or too many of them");
    else
      result.whom.hosts.push_back(*word);
  }
  result.request = from.get<std::string>("request");
  if (from.fault())
    return *from.fault();
  if (!token)
    return token.error();
  result.token = std::move(*token);
  return result;
}

std::string to_json(const expected<grant>& x) {
  object result;
  result.set("ok", value{x.has_value()});
  if (x) {
    result.set("certificate", x->certificate);
    result.set("authority", x->authority);
  } else {
    result.set("why", to_text(x.error()));
  }
  return tune::to_json(result);
}

expected<grant> grant_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, "in the answer to a wish for a certificate"};
  if (!from.get<bool>("ok")) {
    auto why = from.get<std::string>("why");
    return from.fault() ? *from.fault() : error{ec::refused, why};
  }
  grant result{from.get<std::string>("certificate"), from.get<std::string>("authority")};
  if (from.fault())
    return *from.fault();
  return result;
}

expected<void> shake(tls_session& over, int socket, probe_deadline until) {
  for (;;) {
    std::size_t count = 0;
    switch (over.write("", 0, count)) {
      case tls_session::outcome::done:
        return {};
      case tls_session::outcome::over:
        return error{ec::unreachable, "the TLS handshake failed"};
      case tls_session::outcome::later:
        break;
    }
    if (auto ready = wait(socket, POLLIN, until); !ready)
      return ready;
  }
}

expected<void> say(tls_session& over, int socket, const std::string& line, probe_deadline until) {
  const auto text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    std::size_t count = 0;
    const auto result = over.write(text.data() + sent, text.size() - sent, count);
    sent += count;
    if (result == tls_session::outcome::over)
      return gone();
    if (result == tls_session::outcome::later) {
      if (auto ready = wait(socket, POLLOUT, until); !ready)
        return ready;
    }
  }
  return {};
}

expected<std::string> hear(tls_session& over, int socket, probe_deadline until) {
  std::string result;
  for (std::array<char, 1024> block{};;) {
    std::size_t count = 0;
    const auto done = over.read(block.data(), block.size(), count);
    result.append(block.data(), count);
    if (const auto end = result.find('\n'); end != result.npos)
      return result.substr(0, end);
    if (result.size() > longest_line)
      return error{ec::protocol, "a line has more than 16 KiB"};
    if (done == tls_session::outcome::over)
      return gone();
    if (done == tls_session::outcome::later) {
      if (auto ready = wait(socket, POLLIN, until); !ready)
        return ready.error();
    }
  }
}

} // namespace tune::enrolment
