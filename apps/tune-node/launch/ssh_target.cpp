// SPDX-License-Identifier: BSD-3-Clause
#include "launch/ssh_target.hpp"

#include "command/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

namespace tune::cli {

namespace {

/// Most machines of one launch; each has a connection and a thread.
constexpr std::size_t most_targets = 1'000;
constexpr std::size_t longest_name = 255;

error bad(const std::string& part, const std::string& why) {
  return {ec::bad_option, "\"" + part + "\" " + why};
}

/// Whether ssh takes the text for a host or a user, and for nothing else.
bool is_plain(std::string_view text) {
  const auto is_odd = [](unsigned char c) { return c <= ' ' || c == 0x7f || c == '@' || c == '/'; };
  return !text.empty() && text.size() <= longest_name && text.front() != '-'
         && std::none_of(text.begin(), text.end(), is_odd);
}

expected<std::uint16_t> port_from(const std::string& part, std::string_view text) {
  unsigned number = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (text.empty() || fault != std::errc{} || rest != end || number == 0 || number > 65535)
    return bad(part, "has no port from 1 to 65535 after its colon");
  return static_cast<std::uint16_t>(number);
}

/// Takes the port from the end of `host`, and the brackets of an address of IPv6.
expected<void> split_port(std::string& host, ssh_target& to) {
  auto colon = host.rfind(':');
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    if (end == std::string::npos || (end + 1 < host.size() && host[end + 1] != ':'))
      return bad(to.text, "has an address without a closing bracket: [ADDRESS]:PORT");
    colon = end + 1 < host.size() ? end + 1 : std::string::npos;
  } else if (colon != std::string::npos && host.find(':') != colon) {
    return bad(to.text, "has several colons: put an IPv6 address in brackets");
  }
  if (colon != std::string::npos) {
    auto port = port_from(to.text, std::string_view{host}.substr(colon + 1));
    if (!port)
      return port.error();
    to.port = *port;
    host.resize(colon);
  }
  if (host.starts_with('['))
    host = host.substr(1, host.size() - 2);
  return {};
}

expected<ssh_target> target_from(const std::string& part) {
  ssh_target result;
  result.text = part;
  auto rest = part;
  if (const auto at = rest.rfind('@'); at != std::string::npos) {
    result.user = rest.substr(0, at);
    rest.erase(0, at + 1);
    if (!is_plain(result.user))
      return bad(part, "has no user name before its @");
  }
  if (auto done = split_port(rest, result); !done)
    return done.error();
  if (!is_plain(rest))
    return bad(part, "names no machine: HOST, HOST:PORT or USER@HOST");
  result.host = std::move(rest);
  return result;
}

/// Names of nodes have letters, digits, '-', '_' and '.'.
std::string as_node_name(std::string text) {
  for (auto& c : text) {
    const auto fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                      || c == '-' || c == '_' || c == '.';
    c = fits ? c : '-';
  }
  constexpr std::size_t longest = 60;
  text.resize(std::min(text.size(), longest));
  return text;
}

} // namespace

expected<std::vector<ssh_target>> ssh_targets_from(const std::string& text) {
  std::vector<ssh_target> result;
  for (const auto& written : comma_parts(text)) {
    const auto first = written.find_first_not_of(" \t");
    const auto part = first == std::string::npos
                          ? std::string{}
                          : written.substr(first, written.find_last_not_of(" \t") + 1 - first);
    auto next = target_from(part);
    if (!next)
      return next.error();
    const auto is_same = [&next](const ssh_target& x) {
      return x.host == next->host && x.port == next->port && x.user == next->user;
    };
    if (std::any_of(result.begin(), result.end(), is_same))
      return bad(part, "is named twice");
    if (result.size() == most_targets)
      return bad(part, "is one too many: " + std::to_string(most_targets) + " at most");
    result.push_back(std::move(*next));
  }
  return result;
}

std::vector<std::string> node_names_of(const std::vector<ssh_target>& targets) {
  std::vector<std::string> result;
  std::set<std::string> taken;
  for (const auto& x : targets) {
    const auto name = as_node_name(x.host);
    auto mine = name;
    for (int again = 2; !taken.insert(mine).second; ++again)
      mine = name + "-" + std::to_string(again);
    result.push_back(std::move(mine));
  }
  return result;
}

std::vector<std::string> ssh_words(const std::vector<std::string>& ssh, const ssh_target& whom,
                                   const std::vector<std::string>& options,
                                   const std::string& command) {
  auto result = ssh;
  // No terminal, and nobody there to answer questions; a line that is dead is noticed.
  for (const auto* word :
       {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15",
        "-o", "ServerAliveCountMax=3", "-o", "LogLevel=INFO"})
    result.emplace_back(word);
  result.insert(result.end(), options.begin(), options.end());
  if (whom.port != 0) {
    result.emplace_back("-p");
    result.push_back(std::to_string(whom.port));
  }
  if (!whom.user.empty()) {
    result.emplace_back("-l");
    result.push_back(whom.user);
  }
  result.emplace_back("--");
  result.push_back(whom.host);
  result.push_back(command);
  return result;
}

} // namespace tune::cli
