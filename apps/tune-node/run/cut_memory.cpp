// Readers share the index of the write-ahead log as memory with the head, so it must be a file that
// others may open, and truncate. Checking its size before each use would leave a race.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cut_memory.hpp"

#include "exit_code.hpp"

#include "tune/core/program_name.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

namespace tune::cli {

namespace {

// Everything here runs in a signal handler: no allocation, no locks.

struct line_text {
  std::array<char, 4352> text{};
  std::size_t size = 0;

  void add(char c) {
    if (size < text.size())
      text[size++] = c;
  }
  [[nodiscard]] std::string_view view() const { return {text.data(), size}; }
};

/// Takes a hexadecimal number off the beginning of the line.
std::uintptr_t take_number(std::string_view& line) {
  std::uintptr_t result = 0;
  while (!line.empty()) {
    const char c = line.front();
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c < 'a' || c > 'f'))
      break;
    result = result * 16 + static_cast<std::uintptr_t>(is_digit ? c - '0' : c - 'a' + 10);
    line.remove_prefix(1);
  }
  return result;
}

/// The file of a line of /proc/self/maps, "7f00-7f80 rw-s 00000000 fe:00 42    /path", if the
/// address lies in its range; empty: it does not, or there is no file.
std::string_view file_at(std::string_view line, std::uintptr_t address) {
  const auto begin = take_number(line);
  line.remove_prefix(std::min<std::size_t>(line.size(), 1));
  const auto end = take_number(line);
  const auto path = line.find('/');
  if (address < begin || address >= end || path == line.npos)
    return {};
  return line.substr(path);
}

/// Finds the file mapped at the address. @returns whether something is mapped there.
bool find_file(std::uintptr_t address, line_text& to) {
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  std::array<char, 4096> some{};
  for (::ssize_t count = 0; maps >= 0 && (count = ::read(maps, some.data(), some.size())) > 0;) {
    for (const char c : std::string_view{some.data(), static_cast<std::size_t>(count)}) {
      if (c != '\n') {
        to.add(c);
        continue;
      }
      const auto found = file_at(to.view(), address);
      std::memmove(to.text.data(), found.data(), found.size());
      to.size = found.size();
      if (to.size > 0)
        return true;
    }
  }
  return false;
}

void on_bus_error(int number, siginfo_t* what, void*) {
  line_text file;
  const bool found = what->si_code == BUS_ADRERR
                     && find_file(reinterpret_cast<std::uintptr_t>(what->si_addr), file);
  if (!found || !file.view().ends_with("/experiment.db-shm")) {
    // The fault is raised again at once.
    ::signal(number, SIG_DFL);
    return;
  }
  auto part = [](std::string_view text) {
    return iovec{const_cast<char*>(text.data()), text.size()};
  };
  const iovec line[] = {part(program_name()), part(": "), part(file.view()),
                        part(": was cut short while it was in use; nothing recorded is lost with"
                             " it: go on with the experiment by --resume\n")};
  if (::writev(STDERR_FILENO, line, std::size(line)) < 0) {
    // Nobody reads stderr.
  }
  ::_exit(static_cast<int>(exit_code::storage));
}

} // namespace

void end_when_memory_is_cut() {
  struct sigaction how {};
  how.sa_sigaction = on_bus_error;
  how.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &how, nullptr);
}

} // namespace tune::cli
