// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/host.hpp"

#include "tune/io/process/piped_program.hpp"

#include "guard.hpp"
#include "line_splitter.hpp"
#include "posix/unique_fd.hpp"
#include "standard_streams.hpp"
#include "term_watch.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/bundle_list.hpp"
#include "tune/io/process/host_talk.hpp"
#include "tune/io/process/line_protocol.hpp"
#include "tune/io/process/params_file.hpp"
#include "tune/io/process/plugin.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <stdexcept>

namespace tune {

namespace {

constexpr const char* host_flag = "__tune-host";
constexpr const char* guard_flag = "__tune-guard";
constexpr const char* kept_flag = "kept";
/// For a single attempt: fills the argument before the plugin.
constexpr const char* once_flag = "once";
/// For no attempt at all: see `tell_of_plugin`.
constexpr const char* probe_flag = "probe";
constexpr std::size_t longest_answer = 64 * 1024;
/// The kernel starts no program with a variable of 128 KiB or with too large an environment.
/// [bytes]
constexpr std::size_t longest_variable = 64 * 1024;
constexpr std::size_t most_variables = 512 * 1024;

std::atomic<bool> was_called = false;

std::string environment(const char* name) {
  const auto* text = std::getenv(name);
  return text != nullptr ? text : "";
}

double number_in_environment(const char* name, double otherwise) {
  auto text = environment(name);
  auto result = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

/// The descriptor that a variable names; not inherited by the trainable's children.
unique_fd descriptor(const char* name) {
  auto text = environment(name);
  auto fd = -1;
  std::from_chars(text.data(), text.data() + text.size(), fd);
  if (fd < 0 || ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
    throw std::runtime_error{std::string{name} + " names no open descriptor"};
  return unique_fd{fd};
}

/// A trainable's link to its node: two pipes.
class pipe_link : public trainable_link {
public:
  void ready(bool can_save) override { write(line::hello{can_save}); }

  link_answer report(metrics what, bool done, const std::filesystem::path* checkpoint) override {
    line::report message{std::move(what), done, {}};
    if (checkpoint != nullptr)
      message.checkpoint = std::filesystem::absolute(*checkpoint);
    write(message);
    return next_answer();
  }

  void saved(const std::filesystem::path& directory) override { write(line::saved{directory}); }

  void save_failed(const std::filesystem::path& directory, std::string_view why) override {
    write(line::save_failed{directory, std::string{why}});
  }

  /// Sets the exports that the next attempt may be asked for.
  void begin(const trial_context& of) {
    std::lock_guard lock{mutex_};
    exports_ = {of.export_directory, of.exports};
    exports_said_ = of.ends;
  }

  export_order exports() override {
    std::lock_guard lock{mutex_};
    if (!exports_said_)
      return {};
    // If the attempt was restored only for the export, no answer has announced it.
    if (!exports_.formats.empty())
      write(line::exporting{});
    return exports_;
  }

  void export_failed(std::string_view format, std::string_view why) override {
    write(line::export_failed{std::string{format}, std::string{why}});
  }

  [[nodiscard]] bool should_stop() const override {
    std::lock_guard lock{mutex_};
    while (!closed_ && readable(0))
      read_some();
    return closed_ || stop_said_;
  }

  void fail(const std::string& text, bool restore) { write(line::failure{text, restore}); }

  /// Reports that the host is idle, and waits. @returns the next order; empty if the host must end.
  std::optional<host_order> next_order() {
    std::lock_guard lock{mutex_};
    // From here on, TERM ends the host, not a trial.
    term_watch term;
    waits_ = true;
    stop_said_ = false;
    waiting_.clear();
    write(idle_line);
    while (!next_ && !closed_ && !term.came()) {
      std::array<pollfd, 2> ready{{{answers_.get(), POLLIN, 0}, {term.fd(), POLLIN, 0}}};
      if (::poll(ready.data(), ready.size(), -1) > 0 && ready[0].revents != 0)
        read_some();
    }
    waits_ = false;
    return std::exchange(next_, std::nullopt);
  }

private:
  unique_fd reports_ = descriptor("TUNE_TRIAL_REPORT_FD");
  unique_fd answers_ = descriptor("TUNE_TRIAL_ANSWER_FD");
  mutable std::mutex mutex_;
  mutable line_splitter lines_{longest_answer};
  mutable std::deque<link_answer> waiting_;
  mutable bool stop_said_ = false;
  export_order exports_;
  mutable bool exports_said_ = false;
  mutable bool closed_ = false;
  /// True between two attempts: incoming lines are orders, not answers.
  bool waits_ = false;
  mutable std::optional<host_order> next_;

  void write(const line::any& what) { write(std::string_view{to_line(what)}); }

  void write(std::string_view line) {
    auto text = std::string{line} + "\n";
    std::string_view rest{text};
    while (!rest.empty()) {
      auto count = ::write(reports_.get(), rest.data(), rest.size());
      if (count < 0 && errno != EINTR)
        throw std::runtime_error{"the node does not listen any more"};
      rest.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
  }

  [[nodiscard]] bool readable(int timeout_ms) const {
    pollfd waiting{answers_.get(), POLLIN, 0};
    return ::poll(&waiting, 1, timeout_ms) == 1;
  }

  void read_some() const {
    std::array<char, 4096> buffer;
    auto count = ::read(answers_.get(), buffer.data(), buffer.size());
    if (count <= 0) {
      closed_ = count == 0 || errno != EINTR;
      return;
    }
    lines_.feed({buffer.data(), static_cast<std::size_t>(count)}, [this](auto text, bool) {
      if (waits_)
        return take_order(text);
      auto answer = read_answer_line(text);
      // The node speaks another protocol: ending is the safe interpretation.
      waiting_.push_back(answer ? *answer : link_answer{link_answer::kind::stop, {}});
      stop_said_ = stop_said_ || waiting_.back().what == link_answer::kind::stop;
      exports_said_ = exports_said_ || waiting_.back().exports;
      return true;
    });
  }

  bool take_order(std::string_view text) const {
    if (auto order = read_host_order(text))
      next_ = std::move(*order);
    else
      closed_ = true;
    return true;
  }

  link_answer next_answer() {
    std::lock_guard lock{mutex_};
    while (waiting_.empty() && !closed_)
      read_some();
    if (waiting_.empty())
      return {link_answer::kind::stop, {}};
    auto result = std::move(waiting_.front());
    waiting_.pop_front();
    return result;
  }
};

object read_config(const std::string& path) {
  auto result = read_params(path);
  if (!result)
    throw std::runtime_error{result.error().detail};
  return std::move(*result);
}

constexpr char between_formats = ',';

std::string joined(const std::vector<std::string>& formats) {
  std::string result;
  for (const auto& x : formats)
    result += (result.empty() ? "" : std::string{between_formats}) + x;
  return result;
}

std::vector<std::string> formats_of(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in{text};
  for (std::string x; std::getline(in, x, between_formats);)
    result.push_back(x);
  return result;
}

host_order order_in_environment() {
  host_order order;
  auto& result = order.context;
  result.trial_id = environment("TUNE_TRIAL_ID");
  result.experiment = environment("TUNE_TRIAL_EXPERIMENT");
  result.directory = environment("TUNE_TRIAL_DIR");
  result.cpus = number_in_environment("TUNE_TRIAL_CPUS", 1);
  result.gpus = number_in_environment("TUNE_TRIAL_GPUS", 0);
  result.visible_devices = environment("CUDA_VISIBLE_DEVICES");
  result.exports = formats_of(environment("TUNE_TRIAL_EXPORT"));
  result.export_directory = environment("TUNE_TRIAL_EXPORT_DIR");
  result.ends = !environment("TUNE_TRIAL_ENDS").empty();
  if (auto bundles = from_json(environment("TUNE_TRIAL_BUNDLES")))
    result.bundles = bundles_from(*bundles);
  order.params = environment("TUNE_TRIAL_PARAMS");
  if (auto restore = environment("TUNE_TRIAL_RESTORE"); !restore.empty())
    order.restore = restore;
  return order;
}

/// Sets the environment to that of a new process of this attempt.
void set_environment(const host_order& order, const object& config) {
  std::vector<std::string> old{"TUNE_TRIAL_RESTORE", "TUNE_TRIAL_ENDS"};
  for (auto** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text{*entry};
    if (text.starts_with("TUNE_TRIAL_PARAM_"))
      old.emplace_back(text.substr(0, text.find('=')));
  }
  for (const auto& name : old)
    ::unsetenv(name.c_str());
  for (const auto& [name, text] :
       trial_environment(config, order.context, order.params, order.restore))
    ::setenv(name.c_str(), text.c_str(), 1);
}

/// @returns nothing if there is no further attempt or none that this process can start. In the
///          latter case a new host will report the reason.
std::optional<host_order> next_attempt(pipe_link& link, standard_streams& streams) {
  // Buffered output belongs to the trial that printed it, not to the next one.
  if (!streams.restore())
    return std::nullopt;
  auto result = link.next_order();
  if (result && ::chdir(result->context.directory.c_str()) != 0)
    return std::nullopt;
  return result;
}

void serve(const trainable_registry::entry& what, pipe_link& link) {
  auto order = order_in_environment();
  link.begin(order.context);
  drive(what, read_config(order.params.string()), order.context, order.restore, link);
}

void serve_many(const trainable_registry::entry& what, pipe_link& link) {
  standard_streams streams;
  kept_trainable trained{what};
  auto order = std::optional{order_in_environment()};
  auto config = read_config(order->params.string());
  for (;;) {
    link.begin(order->context);
    trained.drive(config, order->context, order->restore, link);
    order = next_attempt(link, streams);
    if (!order)
      break;
    config = read_config(order->params.string());
    set_environment(*order, config);
  }
  trained.end();
}

/// The trainables of the program and of the plugin.
trainable_registry with_plugin(trainable_registry result, const std::string& plugin) {
  if (plugin.empty())
    return result;
  if (auto loaded = load_plugin(plugin, result); !loaded)
    throw std::runtime_error{"[trainable] plugin: " + loaded.error().detail};
  return result;
}

int host(const std::string& name, bool kept, const trainable_registry& trainables,
         const std::string& plugin) {
  pipe_link link;
  try {
    const auto all = with_plugin(trainables, plugin);
    const auto* what = all.find(name);
    if (what == nullptr)
      throw std::runtime_error{(plugin.empty() ? std::string{"this program"} : plugin)
                               + " has no trainable named '" + name + "'"};
    kept ? serve_many(*what, link) : serve(*what, link);
    return 0;
  } catch (const restore_error& e) {
    link.fail(e.what(), true);
  } catch (...) {
    link.fail(current_exception_text(), false);
  }
  return 1;
}

/// Whether `NAME` can be part of a variable that every shell can read.
bool is_variable_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

std::string number_text(double x) {
  return to_text(value{x});
}

} // namespace

std::optional<int> host_main(int argc, char** argv, const trainable_registry& trainables) {
  was_called = true;
  if (auto status = guard_main(argc, argv))
    return status;
  if (argc < 3 || std::string_view{argv[1]} != host_flag)
    return std::nullopt;
  const std::string_view how = argc > 3 ? argv[3] : "";
  const std::string plugin = argc > 4 ? argv[4] : "";
  try {
    if (how == probe_flag && argc > 5)
      return tell_of_plugin(plugin, std::atoi(argv[5]));
    return host(argv[2], how == kept_flag, trainables, plugin);
  } catch (...) { // No node is connected; stderr may still have a reader.
    auto text = current_exception_text() + "\n";
    [[maybe_unused]] auto count = ::write(STDERR_FILENO, text.data(), text.size());
    return 1;
  }
}

bool can_host() {
  return was_called;
}

bool is_host_process() {
  std::ifstream in{"/proc/self/cmdline", std::ios::binary};
  std::string program;
  std::string flag;
  std::getline(in, program, '\0');
  std::getline(in, flag, '\0');
  return flag == host_flag || flag == guard_flag;
}

std::vector<std::string> host_command(std::string_view name, bool kept,
                                      const std::filesystem::path& plugin) {
  std::vector<std::string> result{own_program().string(), host_flag, std::string{name}};
  if (kept || !plugin.empty())
    result.emplace_back(kept ? kept_flag : once_flag);
  if (!plugin.empty())
    result.push_back(plugin.string());
  return result;
}

std::vector<std::string> plugin_probe_command(const std::filesystem::path& plugin, int fd) {
  return {own_program().string(), host_flag, "", probe_flag, plugin.string(), std::to_string(fd)};
}

std::vector<std::pair<std::string, std::string>>
trial_environment(const object& config, const trial_context& context,
                  const std::filesystem::path& params_file,
                  const std::optional<std::filesystem::path>& restore) {
  std::vector<std::pair<std::string, std::string>> result{
      {"TUNE_TRIAL_ID", context.trial_id},
      {"TUNE_TRIAL_EXPERIMENT", context.experiment},
      {"TUNE_TRIAL_DIR", context.directory.string()},
      {"TUNE_TRIAL_PARAMS", params_file.string()},
      {"TUNE_TRIAL_CPUS", number_text(context.cpus)},
      {"TUNE_TRIAL_GPUS", number_text(context.gpus)}};
  if (!context.bundles.empty()) {
    result.emplace_back("TUNE_TRIAL_BUNDLES", to_json(to_value(context.bundles)));
    result.emplace_back("TUNE_TRIAL_NODES", nodes_of(context.bundles));
    result.emplace_back("TUNE_TRIAL_ADDRESSES", addresses_of(context.bundles));
  }
  if (!context.exports.empty()) {
    result.emplace_back("TUNE_TRIAL_EXPORT", joined(context.exports));
    result.emplace_back("TUNE_TRIAL_EXPORT_DIR", context.export_directory.string());
  }
  if (restore)
    result.emplace_back("TUNE_TRIAL_RESTORE", restore->string());
  if (context.ends)
    result.emplace_back("TUNE_TRIAL_ENDS", "1");
  if (!context.visible_devices.empty()) {
    result.emplace_back("CUDA_VISIBLE_DEVICES", context.visible_devices);
    // The driver lists GPUs in this order, CUDA by itself the fastest first.
    result.emplace_back("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  }
  std::size_t sum = 0;
  for (const auto& [name, x] : config) {
    if (!is_variable_name(name))
      continue;
    auto plain = x.as_object() == nullptr && x.as_list() == nullptr;
    auto text = plain ? to_text(x) : to_json(x);
    // The parameters file has all values.
    if (text.size() > longest_variable || sum + text.size() > most_variables
        || text.find('\0') != text.npos)
      continue;
    sum += text.size();
    result.emplace_back("TUNE_TRIAL_PARAM_" + name, std::move(text));
  }
  return result;
}

} // namespace tune
