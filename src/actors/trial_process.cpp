// SPDX-License-Identifier: BSD-3-Clause
#include "trial_process.hpp"

#include "tune/io/json.hpp"
#include "tune/io/process/descriptor_limit.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/process/leftovers.hpp"
#include "tune/io/process/params_file.hpp"

#include <sys/resource.h>

namespace tune {

bool is_host(const trainable_start& what) {
  return std::holds_alternative<run_in_host>(what.job->plan);
}

expected<std::filesystem::path> prepare(const trainable_start& what) {
  auto directory = trial_directory(what);
  std::error_code why;
  std::filesystem::create_directories(directory, why);
  if (why)
    return error{ec::storage, "cannot make " + directory.string() + ": " + why.message()};
  if (!what.job->exports.empty()) {
    const auto exports = export_directory(what);
    std::filesystem::create_directories(exports, why);
    if (why)
      return error{ec::storage, "cannot make " + exports.string() + ": " + why.message()};
  }
  auto file = directory / "params.json";
  if (auto done = write_params(file, *what.order.config.content, is_host(what)); !done)
    return done.error();
  return file;
}

process_order order_of(const trainable_start& what, const std::filesystem::path& params) {
  const auto& node = *what.node;
  const auto& work = *what.job;
  auto context = context_of(what);
  auto environment
      = trial_environment(*what.order.config.content, context, params, restore_path(what));
  process_order result;
  if (is_host(what)) {
    const auto& plan = std::get<run_in_host>(work.plan);
    result.argv = host_command(plan.trainable, plan.reuse);
    result.protocol = true;
    result.max_report_line = json_limits{}.bytes;
  } else {
    const auto& plan = std::get<run_command>(work.plan);
    command_builtins builtins{context.directory.string(), plan.ini_dir, context.trial_id,
                              params.string()};
    result.argv = plan.command.render(*what.order.config.content, builtins);
    result.protocol = !plan.patterns;
    result.stdout_lines = plan.patterns.has_value();
    environment.insert(environment.end(), plan.environment.begin(), plan.environment.end());
  }
  // A trial without a GPU must see none, where there are some.
  if (!node.gpus.empty() || node.capacity.gpu.units > 0)
    environment.emplace_back("CUDA_VISIBLE_DEVICES", context.visible_devices);
  result.env = environment_with(environment);
  result.directory = context.directory;
  auto words = turn_of(what);
  result.stdout_file = std::move(words.stdout_file);
  result.stderr_file = std::move(words.stderr_file);
  result.output_cap = words.output_cap;
  result.grace = work.kill_grace;
  result.memory_limit = what.order.memory;
  if (auto most = descriptor_limit_of_trials())
    result.limits.emplace_back(RLIMIT_NOFILE, *most);
  result.tag = trial_tag(work.directory, to_text(what.order.attempt.id()));
  result.place = directory_mark(work.directory);
  return result;
}

host_order host_order_of(const trainable_start& what, const std::filesystem::path& params) {
  return {context_of(what), params, restore_path(what)};
}

process_turn turn_of(const trainable_start& what) {
  process_turn result;
  result.output_cap = what.job->output_cap;
  if (what.job->trial_files) {
    auto directory = trial_directory(what);
    // On a worker each attempt has files of its own: the head appends them to one.
    auto suffix = what.node->outputs ? "." + to_text(what.order.attempt.id()) : std::string{};
    result.stdout_file = directory / ("stdout" + suffix);
    result.stderr_file = directory / ("stderr" + suffix);
  }
  return result;
}

} // namespace tune
