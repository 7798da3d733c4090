// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/scaling/scaling_options.hpp"

#include "tune/io/spec/convert.hpp"

namespace tune {

expected<std::vector<resources>> scale_worker_from(const std::string& text) {
  if (text.find_first_not_of(" \t") == std::string::npos)
    return std::vector<resources>{};
  auto read = parse_bundles("[" + text + "]");
  if (!read)
    return error{read.error().code, "must be one JSON object such as {\"cpu\": 4, \"gpu\": 1}: "
                                        + read.error().detail};
  if (read->size() != 1)
    return error{ec::bad_option, "must be one JSON object"};
  return read;
}

std::optional<scaling_options> scaling_options_of(const spec& x) {
  const auto& from = x.cluster.scaling;
  if (from.command.empty())
    return std::nullopt;
  scaling_options result;
  result.command.text = from.command;
  result.command.directory = x.ini_dir.empty() ? "." : x.ini_dir;
  result.command.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(from.timeout);
  auto& rules = result.rules;
  rules.least = from.min;
  rules.most = from.max;
  if (!from.worker.empty())
    rules.worker = from.worker.front();
  rules.cooldown = from.cooldown;
  rules.down_cooldown = from.down_cooldown;
  rules.idle = from.idle;
  rules.patience = from.patience;
  return result;
}

} // namespace tune
