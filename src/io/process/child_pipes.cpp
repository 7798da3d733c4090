// Creates the pipes and the terminal of a trial process.
// SPDX-License-Identifier: BSD-3-Clause
#include "child_process.hpp"

#include "tune/io/process/shortage.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace tune {

namespace {

/// Wide, so that programs do not wrap lines.
constexpr unsigned short terminal_columns = 200;
constexpr unsigned short terminal_rows = 50;

void make_non_blocking(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

} // namespace

bool child_process::open_input(pipe_role role) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return false;
  make_non_blocking(ends[0]);
  inputs_[static_cast<std::size_t>(role)].fd.reset(ends[0]);
  remote_.emplace_back(ends[1]);
  return true;
}

/// Makes stdout the slave side of a terminal in raw mode: bytes come through unchanged, and nothing
/// is echoed. It is nobody's controlling terminal.
bool child_process::open_terminal() {
  unique_fd near{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  std::array<char, 64> name{};
  if (!near || ::grantpt(near.get()) != 0 || ::unlockpt(near.get()) != 0
      || ::ptsname_r(near.get(), name.data(), name.size()) != 0)
    return false;
  unique_fd far{::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC)};
  termios how{};
  if (!far || ::tcgetattr(far.get(), &how) != 0)
    return false;
  ::cfmakeraw(&how);
  winsize size{};
  size.ws_row = terminal_rows;
  size.ws_col = terminal_columns;
  if (::tcsetattr(far.get(), TCSANOW, &how) != 0 || ::ioctl(far.get(), TIOCSWINSZ, &size) != 0)
    return false;
  make_non_blocking(near.get());
  inputs_[static_cast<std::size_t>(pipe_role::out)].fd = std::move(near);
  remote_.push_back(std::move(far));
  return true;
}

bool child_process::open_output() {
  if (order_.terminal != terminal_use::none && open_terminal())
    return true;
  return order_.terminal != terminal_use::required && open_input(pipe_role::out);
}

bool child_process::open_answers() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return false;
  make_non_blocking(ends[1]);
  answers_.reset(ends[1]);
  remote_.emplace_back(ends[0]);
  return true;
}

namespace {

/// Whether other trials of this node have terminals, which will become free.
bool has_terminals() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (fs::directory_iterator i{"/proc/self/fd", ignored}; i != fs::end(i); i.increment(ignored)) {
    std::error_code gone;
    if (fs::read_symlink(i->path(), gone).filename() == "ptmx")
      return true;
  }
  return false;
}

/// If there are no more terminals, the kernel reports ENOSPC, as for a full disk.
error no_terminal(int reason) {
  const auto text = std::string{"cannot make a terminal for [trainable] pty = true: "};
  if (reason != ENOSPC)
    return {fault_of(reason, ec::storage), text + text_of_shortage(reason)};
  const bool is_passing = has_terminals();
  return {is_passing ? ec::shortage : ec::storage,
          text + "the machine has no more of them (kernel.pty.max, or max= of /dev/pts)"
              + (is_passing ? ": other trials have them" : "")};
}

} // namespace

error child_process::no_output(int reason) {
  remote_.clear();
  if (order_.terminal == terminal_use::required)
    return no_terminal(reason);
  return {fault_of(reason), "cannot make a pipe: " + text_of_shortage(reason)};
}

expected<void> child_process::open_pipes() {
  opened_ = true;
  const auto has_files
      = !order_.stdout_file.empty() || !order_.stderr_file.empty() || !order_.watched_files.empty();
  if (auto ready = has_files ? need_writer() : expected<void>{}; !ready)
    return ready;
  open_files({order_.stdout_file, order_.stderr_file, order_.output_cap});
  auto reads_out = order_.stdout_lines || !order_.stdout_file.empty();
  if (reads_out && !open_output())
    return no_output(errno);
  auto ok = open_input(pipe_role::err)
            && (!order_.protocol || (open_input(pipe_role::report) && open_answers()));
  if (ok)
    return {};
  const auto reason = errno;
  remote_.clear();
  for (auto& in : inputs_)
    in.fd.reset();
  return error{fault_of(reason), "cannot make a pipe: " + text_of_shortage(reason)};
}

} // namespace tune
