// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/control/control_client.hpp"

#include "posix/unique_fd.hpp"
#include "process/proc_files.hpp"
#include "tune/io/control/control_place.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

using clock = std::chrono::steady_clock;

/// Wait for a head whose process is stopped and so cannot answer: a debugger may stop it only
/// briefly.
constexpr std::chrono::seconds stopped_patience{5};

/// The process that listens at the other end if it is stopped, for example by SIGSTOP; otherwise
/// empty.
std::optional<pid_t> stopped_peer(const unique_fd& socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || who.pid <= 0)
    return std::nullopt;
  const auto facts = proc_files::stat_of(who.pid);
  const bool is_stopped = facts && (facts->state == 'T' || facts->state == 't');
  return is_stopped ? std::optional{who.pid} : std::nullopt;
}

error stopped(pid_t which) {
  const auto number = std::to_string(which);
  return {ec::unreachable, "the head, process " + number + ", is stopped and does not answer; kill"
                               + " -CONT " + number + " lets it go on, and then it does what it was"
                               + " asked for"};
}

error silent(std::chrono::milliseconds patience) {
  const auto seconds = std::chrono::round<std::chrono::seconds>(patience).count();
  return {ec::unreachable, "the head did not answer for " + std::to_string(seconds)
                               + " s; it may still do what it was asked for"};
}

/// Reads one line from the head.
expected<std::string> read_line(const unique_fd& from, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds look_again{500};
  const auto began = clock::now();
  std::string result;
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(began + patience - clock::now());
    pollfd wait{from.get(), POLLIN, 0};
    const auto most = std::clamp(left, std::chrono::milliseconds{0}, look_again);
    const auto ready = ::poll(&wait, 1, static_cast<int>(most.count()));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0
        && clock::now() - began >= std::min<clock::duration>(patience, stopped_patience)) {
      if (const auto which = stopped_peer(from))
        return stopped(*which);
    }
    if (ready == 0 && left > look_again)
      continue;
    if (ready <= 0)
      return silent(patience);
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
  // Ignore failures: the head may have refused this client already, and its answer gives the
  // reason.
  static_cast<void>(send_line(socket, to_json(what)));
  auto line = read_line(socket, patience);
  if (!line)
    return error{line.error().code, experiment.string() + ": " + line.error().detail};
  return control_answer_from_json(*line);
}

} // namespace tune
