// SPDX-License-Identifier: BSD-3-Clause
#include "command/scaling_request.hpp"

#include "console/text.hpp"

#include <chrono>
#include <filesystem>

namespace tune::cli {

expected<void> take_scaling(const read_result& x, head_words& given, const command_doc& where) {
  const auto& from = given.scaling;
  if (!from.command) {
    for (const auto& option : options_of_scaling()) {
      if (option.is_in(x))
        return wrong("--" + std::string{option.doc.name} + " goes with --scale-command", &where);
    }
    return {};
  }
  if (from.command->empty())
    return wrong("--scale-command is empty", &where);
  auto& scaling = given.head.scaling.emplace();
  scaling.command.text = *from.command;
  scaling.command.directory = std::filesystem::current_path();
  scaling.command.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(from.timeout);
  scaling.rules = from.rules;
  if (!from.worker.empty())
    scaling.rules.worker = from.worker.front();
  if (auto fits = validate(scaling.rules); !fits)
    return wrong(fits.error().detail, &where);
  return {};
}

} // namespace tune::cli
