// SPDX-License-Identifier: BSD-3-Clause
#include "resolve.hpp"

#include "connection.hpp"

#include <netdb.h>

#include <array>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace tune {
namespace {

/// The result of `getaddrinfo`.
struct answer {
  int fault = 0;
  std::vector<socket_address> addresses;
};

answer ask(const peer_address& whom, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* first = nullptr;
  answer result;
  result.fault
      = ::getaddrinfo(whom.host.c_str(), std::to_string(whom.port).c_str(), &hints, &first);
  for (auto* x = first; x != nullptr && result.fault == 0; x = x->ai_next) {
    if (x->ai_addrlen > sizeof(sockaddr_storage))
      continue;
    socket_address address;
    std::memcpy(&address.bytes, x->ai_addr, x->ai_addrlen);
    address.size = x->ai_addrlen;
    result.addresses.push_back(address);
  }
  if (first != nullptr)
    ::freeaddrinfo(first);
  return result;
}

/// A query whose answer may come after the caller has stopped waiting.
struct question {
  std::mutex guard;
  std::condition_variable answered;
  bool is_answered = false;
  answer result;
};

/// Asks in a thread that is left behind if the name servers are slower than the deadline. Null if
/// no answer came in time.
std::shared_ptr<question> ask_in_time(const peer_address& whom, probe_deadline until) {
  auto shared = std::make_shared<question>();
  std::thread{[shared, whom] {
    auto found = ask(whom, 0);
    const std::lock_guard lock{shared->guard};
    shared->result = std::move(found);
    shared->is_answered = true;
    shared->answered.notify_all();
  }}.detach();
  std::unique_lock lock{shared->guard};
  auto in_time = shared->answered.wait_until(lock, until, [&] { return shared->is_answered; });
  return in_time ? shared : nullptr;
}

} // namespace

std::variant<std::vector<socket_address>, probe_result> resolve(const peer_address& whom,
                                                                probe_deadline until) {
  auto numeric = ask(whom, AI_NUMERICHOST);
  if (numeric.fault == 0 && !numeric.addresses.empty())
    return std::move(numeric.addresses);
  try {
    auto found = ask_in_time(whom, until);
    if (!found)
      return failed(whom, probe_outcome::timed_out, "its name was not resolved in time");
    auto& result = found->result;
    if (result.fault == 0 && !result.addresses.empty())
      return std::move(result.addresses);
    auto why = result.fault == 0 ? "it has no address" : ::gai_strerror(result.fault);
    return failed(whom, probe_outcome::name_not_found,
                  std::string{"its name cannot be resolved: "} + why);
  } catch (const std::system_error& why) { // no thread could be started
    return failed(whom, probe_outcome::local_fault, why.what());
  }
}

std::string to_text(const socket_address& x) {
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(x.get(), x.size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return "?";
  return text.data();
}

} // namespace tune
