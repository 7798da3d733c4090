// SPDX-License-Identifier: BSD-3-Clause
#include "trial_process.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/files/descriptor.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/descriptor_limit.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/process/leftovers.hpp"
#include "tune/io/process/params_file.hpp"
#include "tune/io/process/shortage.hpp"
#include "tune/io/spec/command_words.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace tune {

bool is_host(const trainable_start& what) {
  return std::holds_alternative<run_in_host>(what.job->plan);
}

namespace {

/// Creates a directory of the trial below `trusted`, a directory of the job.
expected<void> make_below(const std::filesystem::path& trusted, const std::filesystem::path& made) {
  std::error_code why;
  std::filesystem::create_directories(trusted, why);
  if (why)
    return error{fault_of(why.value(), ec::storage),
                 "cannot make " + trusted.string() + ": " + text_of_shortage(why.value())};
  auto done = guarded_directory::make(trusted, made.lexically_relative(trusted));
  return done ? expected<void>{} : done.error();
}

command_builtins builtins_of(const trainable_start& what, const trial_context& context,
                             const std::filesystem::path& params) {
  return {context.directory.string(), std::get<run_command>(what.job->plan).ini_dir,
          context.trial_id, params.string()};
}

expected<void> write_template(const template_file& from, const std::filesystem::path& directory,
                              const std::string& content, std::string& note) {
  const std::filesystem::path way{from.to()};
  auto where = guarded_directory::make(directory.parent_path(),
                                       (directory.filename() / way).parent_path());
  if (!where)
    return where.error();
  const auto name = way.filename().string();
  auto replaced = where->replace(name, content, "." + name + ".new");
  if (!replaced)
    return replaced.error();
  if (!replaced->empty())
    note += (note.empty() ? "" : "; ") + replaced_text(directory / way, *replaced);
  if (!from.is_program())
    return {};
  constexpr ::mode_t executable = 0755;
  auto file = where->read(name);
  return file && ::fchmod(file->number(), executable) == 0
             ? expected<void>{}
             : error{ec::storage, "cannot make " + (directory / way).string() + " executable"};
}

/// Writes the files of `[trainable] template`, replacing those of an earlier attempt.
expected<void> write_templates(const trainable_start& what, const std::filesystem::path& directory,
                               prepared_files& to) {
  const auto* plan = std::get_if<run_command>(&what.job->plan);
  if (plan == nullptr)
    return {};
  const auto builtins = builtins_of(what, context_of(what), to.params);
  for (const auto& each : plan->templates) {
    auto content = each.render(*what.order.config.content, builtins);
    if (!content)
      return content.error();
    if (auto done = write_template(each, directory, *content, to.note); !done)
      return done;
  }
  return {};
}

/// Reads the beginning of the program file. If its disk hangs, that holds up the preparation of
/// trials of its job, but not the guard, which starts the programs of all jobs.
void touch_program(const trainable_start& what, const std::filesystem::path& directory,
                   const std::filesystem::path& params) {
  const auto* plan = std::get_if<run_command>(&what.job->plan);
  if (plan == nullptr)
    return;
  const auto words = plan->command.render(*what.order.config.content,
                                          builtins_of(what, context_of(what), params));
  // Programs found by PATH are the machine's own.
  if (words.empty() || words.front().find('/') == std::string::npos)
    return;
  const auto program = directory / words.front();
  struct stat about {};
  if (::stat(program.c_str(), &about) != 0 || !S_ISREG(about.st_mode))
    return;
  const store::descriptor file{::open(program.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  std::array<char, 256> start{};
  if (file.number() >= 0 && ::read(file.number(), start.data(), start.size()) < 0) {
    // Ignored: the guard will report it.
  }
}

} // namespace

expected<prepared_files> prepare(const trainable_start& what) {
  const auto directory = trial_directory(what);
  if (auto made = make_below(directory.parent_path(), directory); !made)
    return made.error();
  if (!exports_of(what).empty()) {
    if (auto made = make_below(what.checkpoints / "trials", export_directory(what)); !made)
      return made.error();
  }
  auto file = directory / "params.json";
  auto done = write_params(file, *what.order.config.content, is_host(what));
  if (!done)
    return done.error();
  prepared_files result{std::move(file), std::move(*done)};
  if (auto written = write_templates(what, directory, result); !written)
    return written.error();
  touch_program(what, directory, result.params);
  return result;
}

namespace {

/// The bytes of words and environment that the kernel copies to start a program, with pointers.
std::size_t bytes_of(const process_order& what) {
  std::size_t result = 0;
  for (const auto* texts : {&what.argv, &what.env}) {
    for (const auto& text : *texts)
      result += text.size() + 1 + sizeof(char*);
  }
  return result;
}

/// The name of the first variable whose text has a NUL byte.
std::string variable_with_nul(const process_order& what) {
  for (const auto& entry : what.env) {
    if (entry.find('\0') != entry.npos)
      return entry.substr(0, entry.find('='));
  }
  return {};
}

/// The kernel's limit for these bytes: a quarter of the stack, at most 6 MiB.
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
  if (const auto name = variable_with_nul(order); !name.empty())
    return "variable " + name + " has a NUL byte, and ends there";
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

namespace {

using variables = std::vector<std::pair<std::string, std::string>>;

bool is_given(const variables& in, const std::string& name) {
  return std::any_of(in.begin(), in.end(), [&](const auto& x) { return x.first == name; });
}

/// Sets a variable that neither the experiment nor this process's own environment gives.
void add_default(variables& to, const std::string& name, const std::string& what) {
  if (std::getenv(name.c_str()) == nullptr && !is_given(to, name))
    to.emplace_back(name, what);
}

/// Sets which outputs of the program are read, and how.
void read_output(const run_command& plan, process_order& to) {
  if (plan.patterns) {
    const auto reads = !plan.patterns->metrics.empty() || !plan.patterns->report_on.empty();
    to.stdout_lines = reads && plan.patterns->stream != metric_stream::err;
    to.stderr_lines = reads && plan.patterns->stream != metric_stream::out;
    for (const auto& file : plan.patterns->files)
      to.watched_files.push_back(file.path);
  }
  if (plan.pty.value_or(false))
    to.terminal = terminal_use::required;
  else if (!plan.pty && !to.argv.empty() && needs_terminal(plan, to.argv.front()))
    to.terminal = terminal_use::wanted;
}

/// Adds the variables of `env.…`, and unless these say otherwise, some that make output plain and
/// unbuffered.
void add_variables(const run_command& plan, const trainable_start& what,
                   const trial_context& context, const std::filesystem::path& params,
                   bool has_terminal, variables& to) {
  const auto builtins = builtins_of(what, context, params);
  variables own;
  for (const auto& [name, text] : plan.environment) {
    if (auto filled = text.render(*what.order.config.content, builtins))
      own.emplace_back(name, std::move(*filled));
  }
  add_default(own, "PYTHONUNBUFFERED", "1");
  // The TERM of this process describes another terminal.
  if (has_terminal && !is_given(own, "TERM"))
    own.emplace_back("TERM", "dumb");
  if (has_terminal)
    add_default(own, "NO_COLOR", "1");
  to.insert(to.end(), own.begin(), own.end());
}

/// Limits the threads of libraries: unless they are told otherwise they start one for each
/// processor of the machine, and trials run side by side.
void add_thread_counts(double cpus, variables& to) {
  const auto threads = std::to_string(std::max(1L, static_cast<long>(cpus)));
  for (const auto* name :
       {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "RAYON_NUM_THREADS",
        "NUMBA_NUM_THREADS", "JULIA_NUM_THREADS", "POLARS_MAX_THREADS"})
    add_default(to, name, threads);
}

/// The name of the process within its experiment: each rank is tracked by itself.
std::string name_of_process(const launch_order& order) {
  const auto attempt = to_text(order.attempt.id());
  return order.rank == 0 ? attempt : attempt + "." + std::to_string(order.rank);
}

/// How many of the ranks before `rank` are on its node.
std::size_t local_rank(const launch_order& order, std::size_t rank) {
  const auto& all = order.bundles;
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank),
                    [&](const auto& x) { return x.node == all[rank].node; }));
}

/// The number of the rank's node, in the order in which the ranks first use the nodes.
std::size_t node_number(const launch_order& order) {
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i <= order.rank; ++i) {
    if (std::find(nodes.begin(), nodes.end(), order.bundles[i].node) == nodes.end())
      nodes.push_back(order.bundles[i].node);
  }
  const auto own = std::find(nodes.begin(), nodes.end(), order.bundles[order.rank].node);
  return static_cast<std::size_t>(own - nodes.begin());
}

/// Adds the variables of a rank, as torchrun sets them.
void add_rank(const launch_order& order, variables& to) {
  if (order.ranks == 0 || order.rank >= order.bundles.size())
    return;
  const auto& node = order.bundles[order.rank].node;
  const auto here = std::count_if(order.bundles.begin(), order.bundles.end(),
                                  [&](const auto& x) { return x.node == node; });
  to.emplace_back("RANK", std::to_string(order.rank));
  to.emplace_back("WORLD_SIZE", std::to_string(order.ranks));
  to.emplace_back("LOCAL_RANK", std::to_string(local_rank(order, order.rank)));
  to.emplace_back("LOCAL_WORLD_SIZE", std::to_string(here));
  to.emplace_back("GROUP_RANK", std::to_string(node_number(order)));
  to.emplace_back("MASTER_ADDR", order.bundles.front().address);
  to.emplace_back("MASTER_PORT", std::to_string(order.port));
}

/// Whether what it prints to stdout is of use, and stdout is no terminal.
bool may_want_terminal(const trainable_start& what) {
  const auto* plan = std::get_if<run_command>(&what.job->plan);
  if (plan == nullptr)
    return false;
  const auto& by = plan->patterns;
  if (by && (by->stream == metric_stream::err || (by->metrics.empty() && by->report_on.empty())))
    return false;
  const auto words = plan->command.fixed_words();
  return !plan->pty.value_or(!words.empty() && needs_terminal(*plan, words[0]));
}

} // namespace

bool needs_terminal(const run_command& plan, const std::string& program) {
  const auto& by = plan.patterns;
  const auto is_read_by_line = by && by->mode == report_mode::line
                               && by->stream != metric_stream::err
                               && (!by->metrics.empty() || !by->report_on.empty());
  const auto name = std::filesystem::path{program}.filename().string();
  return is_read_by_line && !name.starts_with("python") && !name.starts_with("pypy");
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
    result.argv = host_command(plan.trainable, plan.reuse, plan.plugin);
    result.protocol = true;
    result.max_report_line = json_limits{}.bytes;
  } else {
    const auto& plan = std::get<run_command>(work.plan);
    result.argv
        = plan.command.render(*what.order.config.content, builtins_of(what, context, params));
    result.protocol = !plan.patterns;
    if (what.order.rank == 0)
      read_output(plan, result);
    add_variables(plan, what, context, params, result.terminal != terminal_use::none, environment);
  }
  add_thread_counts(context.cpus, environment);
  add_rank(what.order, environment);
  // On a machine with GPUs, a trial without one must see none.
  if (!node.gpus.empty() || node.capacity.gpu.units > 0)
    environment.emplace_back("CUDA_VISIBLE_DEVICES", context.visible_devices);
  result.env = environment_with(environment);
  result.directory = context.directory;
  auto words = turn_of(what);
  result.stdout_file = std::move(words.stdout_file);
  result.stderr_file = std::move(words.stderr_file);
  result.output_cap = words.output_cap;
  result.job = work.id;
  result.grace = work.kill_grace;
  result.memory_limit = what.order.memory;
  if (auto most = descriptor_limit_of_trials())
    result.limits.emplace_back(RLIMIT_NOFILE, *most);
  result.tag = trial_tag(work.directory, name_of_process(what.order));
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
    // On a worker each attempt has files of its own: the head appends them to the trial's.
    auto suffix = what.node->outputs ? "." + to_text(what.order.attempt.id()) : std::string{};
    if (what.order.rank > 0)
      suffix = rank_suffix(what.order.rank) + suffix;
    result.stdout_file = directory / ("stdout" + suffix);
    result.stderr_file = directory / ("stderr" + suffix);
  }
  return result;
}

std::string late_reports_text(std::chrono::nanoseconds run, const trainable_start& what) {
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.3g", std::chrono::duration<double>{run}.count());
  const auto advice = may_want_terminal(what) ? ", or try [trainable] pty = true" : "";
  return std::string{"its reports came all at once, as it ended after "} + seconds.data()
         + " s, so that it could not be stopped early. Where it keeps what it prints to itself "
           "until then, let it flush its output after each line"
         + advice;
}

} // namespace tune
