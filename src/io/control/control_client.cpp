// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/control/control_client.hpp"

#include "../process/unique_fd.hpp"
#include "tune/io/control/control_place.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

using clock = std::chrono::steady_clock;

/// One line from the head.
expected<std::string> read_line(const unique_fd& from, clock::time_point until) {
  std::string result;
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    pollfd wait{from.get(), POLLIN, 0};
    auto ready = ::poll(&wait, 1, static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return error{ec::timeout, "the head did not answer in time"};
    auto count = ::recv(from.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return error{ec::unreachable, "the head went before it answered"};
    result.append(buffer.data(), static_cast<std::size_t>(count));
    if (auto end = result.find('\n'); end != result.npos)
      return result.substr(0, end);
  }
}

expected<void> send_line(const unique_fd& to, std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    auto count = ::send(to.get(), line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return error{ec::unreachable, "the head does not listen any more"};
    done += static_cast<std::size_t>(count);
  }
  return {};
}

} // namespace

expected<control_answer> ask_control(const fs::path& experiment, const control_request& what,
                                     std::chrono::milliseconds patience) {
  auto connected = connect_control(experiment);
  if (!connected)
    return connected.error();
  unique_fd socket{*connected};
  auto until = clock::now() + patience;
  // It may have been refused before it said anything: the answer tells why.
  static_cast<void>(send_line(socket, to_json(what)));
  auto line = read_line(socket, until);
  if (!line)
    return error{line.error().code, experiment.string() + ": " + line.error().detail};
  return control_answer_from_json(*line);
}

} // namespace tune
