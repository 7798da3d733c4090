// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/attempt_directory.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

expected<fs::path> make_below(const fs::path& root, const fs::path& name) {
  const auto trials = root / "trials";
  std::error_code why;
  fs::create_directories(trials, why);
  if (why)
    return error{ec::storage, "cannot make " + trials.string() + ": " + why.message()};
  if (auto made = guarded_directory::make(trials, name.lexically_relative("trials")); !made)
    return made.error();
  return root / name;
}

} // namespace

expected<made_directory> make_directory(const attempt_directory& where) {
  if (!where.in_memory.empty()) {
    if (auto made = make_below(where.in_memory, where.name))
      return made_directory{std::move(*made), true};
  }
  auto made = make_below(where.on_disk, where.name);
  if (!made)
    return made.error();
  return made_directory{std::move(*made), false};
}

void remove_directory(const attempt_directory& where) {
  for (const auto& root : {where.in_memory, where.on_disk}) {
    if (!root.empty())
      static_cast<void>(remove_from_attempt(root / where.name));
  }
}

} // namespace tune
