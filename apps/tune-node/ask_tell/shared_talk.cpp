// SPDX-License-Identifier: BSD-3-Clause
#include "ask_tell/shared_talk.hpp"

#include <utility>

namespace tune::cli {

expected<object> shared_talk::answer(const object& request) {
  std::lock_guard guard{mutex_};
  auto result = with_.answer(request);
  if (result)
    world_.write_files(false);
  else if (auto tell = std::exchange(broken_, {}))
    tell(result.error());
  return result;
}

} // namespace tune::cli
