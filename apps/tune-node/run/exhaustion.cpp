// SPDX-License-Identifier: BSD-3-Clause
#include "run/exhaustion.hpp"

#include "exit_code.hpp"

#include "tune/core/program_name.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>

namespace tune::cli {

namespace {

/// Set once, before any thread can read it.
const char* advice_of_process = "";

/// Writes without allocating, in one piece, since other threads may be writing.
[[noreturn]] void end_with(const char* why) {
  auto part = [](const char* text) { return iovec{const_cast<char*>(text), std::strlen(text)}; };
  const iovec line[] = {part(program_name().c_str()), part(": "), part(why), part("; "),
                        part(advice_of_process),      part("\n")};
  if (::writev(STDERR_FILENO, line, std::size(line)) < 0) {
    // Nobody reads stderr.
  }
  ::_exit(static_cast<int>(exit_code::internal));
}

void without_memory() {
  // The largest amount that our own code asks for at a time.
  constexpr std::size_t some = 1024 * 1024;
  auto* left = std::malloc(some);
  if (left == nullptr)
    end_with("out of memory");
  std::free(left);
  throw std::bad_alloc{};
}

[[noreturn]] void without_handler() {
  try {
    if (auto thrown = std::current_exception())
      std::rethrow_exception(thrown);
  } catch (const std::system_error& what) {
    auto threads = what.code() == std::errc::resource_unavailable_try_again;
    end_with(threads ? "no more threads can be started" : what.what());
  } catch (const std::exception& what) {
    end_with(what.what());
  } catch (...) {}
  end_with("internal error");
}

} // namespace

void end_when_exhausted(const char* advice) {
  advice_of_process = advice;
  std::set_new_handler(without_memory);
  std::set_terminate(without_handler);
}

void give_up(const std::string& why) {
  end_with(why.c_str());
}

} // namespace tune::cli
