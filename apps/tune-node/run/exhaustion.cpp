// SPDX-License-Identifier: BSD-3-Clause
#include "run/exhaustion.hpp"

#include "exit_code.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace tune::cli {

namespace {

/// Needs no memory.
[[noreturn]] void end_with(const char* why) {
  constexpr const char* parts[] = {"tune-node: ", nullptr,
                                   "; what is recorded is safe: go on with"
                                   " it by --resume\n"};
  for (const char* part : parts) {
    const char* text = part != nullptr ? part : why;
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0)
      break;
  }
  ::_exit(static_cast<int>(exit_code::internal));
}

void without_memory() {
  // As much as anything of ours asks for at a time.
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
  } catch (const std::exception& what) {
    end_with(what.what());
  } catch (...) {}
  end_with("internal error");
}

} // namespace

void end_when_exhausted() {
  std::set_new_handler(without_memory);
  std::set_terminate(without_handler);
}

void give_up(const std::string& why) {
  end_with(why.c_str());
}

} // namespace tune::cli
