// SPDX-License-Identifier: BSD-3-Clause
#include "trial_process.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/descriptor_limit.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/process/leftovers.hpp"
#include "tune/io/process/params_file.hpp"
#include "tune/io/process/shortage.hpp"
#include "tune/io/spec/command_words.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace tune {

bool is_host(const trainable_start& what) {
  return std::holds_alternative<run_in_host>(what.job->plan);
}

namespace {

/// Makes a directory of the trial below one that is the job's.
expected<void> make_below(const std::filesystem::path& trusted, const std::filesystem::path& made) {
  std::error_code why;
  std::filesystem::create_directories(trusted, why);
  if (why)
    return error{fault_of(why.value(), ec::storage),
                 "cannot make " + trusted.string() + ": " + text_of_shortage(why.value())};
  auto done = guarded_directory::make(trusted, made.lexically_relative(trusted));
  return done ? expected<void>{} : done.error();
}

} // namespace

expected<prepared_files> prepare(const trainable_start& what) {
  const auto directory = trial_directory(what);
  if (auto made = make_below(directory.parent_path(), directory); !made)
    return made.error();
  if (!what.job->exports.empty()) {
    if (auto made = make_below(what.checkpoints / "trials", export_directory(what)); !made)
      return made.error();
  }
  auto file = directory / "params.json";
  auto done = write_params(file, *what.order.config.content, is_host(what));
  if (!done)
    return done.error();
  return prepared_files{std::move(file), std::move(*done)};
}

namespace {

command_builtins builtins_of(const trainable_start& what, const trial_context& context,
                             const std::filesystem::path& params) {
  return {context.directory.string(), std::get<run_command>(what.job->plan).ini_dir,
          context.trial_id, params.string()};
}

/// What the kernel copies of words and environment when it starts a program, pointers included.
std::size_t bytes_of(const process_order& what) {
  std::size_t result = 0;
  for (const auto* texts : {&what.argv, &what.env}) {
    for (const auto& text : *texts)
      result += text.size() + 1 + sizeof(char*);
  }
  return result;
}

/// How much of that it takes: a quarter of the stack, and never more than 6 MiB.
std::size_t most_bytes() {
  constexpr long most = 6L * 1024 * 1024;
  const auto told = ::sysconf(_SC_ARG_MAX);
  return static_cast<std::size_t>(told > 0 ? std::min(told, most) : most);
}

} // namespace

std::string why_not_passed(const trainable_start& what, const process_order& order,
                           const std::filesystem::path& params) {
  const auto* plan = std::get_if<run_command>(&what.job->plan);
  if (plan == nullptr)
    return {};
  const auto& config = *what.order.config.content;
  const auto fit = check_words(plan->command, config, builtins_of(what, context_of(what), params));
  if (!fit)
    return fit.error().detail;
  const auto bytes = bytes_of(order);
  if (bytes <= most_bytes())
    return {};
  const auto [name, size] = longest_parameter(plan->command, config);
  return "the words and the environment of the command have " + std::to_string(bytes)
         + " bytes, and Linux takes " + std::to_string(most_bytes())
         + (name.empty() ? std::string{}
                         : "; the longest parameter, \"" + name + "\", has " + std::to_string(size)
                               + " bytes: let the program read {params_file}");
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
    result.argv
        = plan.command.render(*what.order.config.content, builtins_of(what, context, params));
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
