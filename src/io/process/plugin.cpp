// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/plugin.hpp"

#include "guard.hpp"
#include "plugin_answer.hpp"
#include "posix/unique_fd.hpp"

#include "tune/io/json.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/process/shortage.hpp"
#include "tune/trainable/plugin.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Descriptor for the answer in the process that inspects a plugin.
constexpr int answer_fd = 3;
/// Time for a process that inspects a plugin to end everything started there.
constexpr std::chrono::seconds farewell_patience{5};

error fault(const fs::path& plugin, const std::string& why) {
  return {ec::bad_option, "\"" + plugin.string() + "\" " + why};
}

using abi_function = const char* (*)();
using register_function = void (*)(trainable_registry&);

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

} // namespace

expected<void> load_plugin(const fs::path& plugin, trainable_registry& to) {
  // An absolute path has a slash, so that dlopen does not search the system's libraries for it.
  auto* library = ::dlopen(fs::absolute(plugin).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const auto* why = ::dlerror();
    return fault(plugin, std::string{"cannot be loaded: "} + (why != nullptr ? why : "unknown"));
  }
  const auto abi = symbol<abi_function>(library, plugin_abi_symbol);
  const auto add = symbol<register_function>(library, plugin_register_symbol);
  if (abi == nullptr || add == nullptr)
    return fault(plugin, std::string{"is no plugin: it exports no "}
                             + (abi == nullptr ? plugin_abi_symbol : plugin_register_symbol)
                             + " (TUNE_PLUGIN in tune/trainable/plugin.hpp)");
  const std::string its = abi();
  if (its != plugin_abi())
    return fault(plugin, "was built for another program: it is of \"" + its
                             + "\", and this one of \"" + plugin_abi() + "\": build it anew");
  try {
    add(to);
  } catch (const std::exception& why) {
    return fault(plugin, std::string{"cannot register its trainables: "} + why.what());
  } catch (...) {
    return fault(plugin, "cannot register its trainables: it threw something unknown");
  }
  return {};
}

namespace {

/// A process that inspects a plugin. The destructor ends it and everything that the plugin started.
class prober {
public:
  /// @returns an `errno`; 0 if the process runs.
  int start(const fs::path& plugin) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      return errno;
    from_ = unique_fd{ends[0]};
    const unique_fd to{ends[1]};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, to.get(), answer_fd);
    for (int fd = 0; fd < 2; ++fd)
      ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, answer_fd + 1);
    auto words = plugin_probe_command(plugin, answer_fd);
    std::vector<char*> argv;
    for (auto& word : words)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    const auto result = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return result;
  }

  ~prober() {
    if (pid_ <= 0)
      return;
    // This tells the process that nobody waits any more; it then ends what the plugin started.
    from_.reset();
    if (bury_guard(pid_, farewell_patience))
      return;
    ::kill(pid_, SIGKILL);
    static_cast<void>(wait());
  }
  prober() = default;
  prober(const prober&) = delete;
  prober& operator=(const prober&) = delete;

  /// Reads all output up to the end. @returns nothing if it took too long.
  std::optional<std::string> read(std::chrono::milliseconds patience) {
    using clock = std::chrono::steady_clock;
    const auto until = clock::now() + patience;
    std::string result;
    std::array<char, 16 * 1024> buffer;
    while (result.size() < longest_plugin_answer) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
      pollfd ready{from_.get(), POLLIN, 0};
      const auto count = left.count() > 0 ? ::poll(&ready, 1, static_cast<int>(left.count())) : 0;
      if (count == 0)
        return std::nullopt;
      const auto bytes = count < 0 ? 0 : ::read(from_.get(), buffer.data(), buffer.size());
      if (bytes > 0)
        result.append(buffer.data(), static_cast<std::size_t>(bytes));
      else if (bytes == 0 && count > 0)
        break;
    }
    return result;
  }

  /// Waits for the end. @returns a description of it.
  std::string wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    pid_ = 0;
    if (WIFSIGNALED(status))
      return "signal " + std::to_string(WTERMSIG(status));
    return "exit status " + std::to_string(WEXITSTATUS(status));
  }

private:
  unique_fd from_;
  pid_t pid_ = 0;
};

expected<trainable_registry> read_answer(const fs::path& plugin, const std::string& text) {
  auto said = object_from_json(text);
  if (!said)
    return fault(plugin, "does not say what it has: " + said.error().detail);
  if (const auto* why = said->find("error"); why != nullptr && why->as_string() != nullptr)
    return error{ec::bad_option, *why->as_string()};
  trainable_registry result;
  const auto* list = said->find("trainables");
  const auto* all = list != nullptr ? list->as_list() : nullptr;
  if (all == nullptr)
    return fault(plugin, "does not say what it has");
  for (const auto& each : *all) {
    const auto* entry = each.as_object();
    const auto* name = entry != nullptr ? entry->find("name") : nullptr;
    const auto* is_class = entry != nullptr ? entry->find("class") : nullptr;
    if (name == nullptr || name->as_string() == nullptr || is_class == nullptr)
      return fault(plugin, "does not say what it has");
    if (is_class->as_bool() != nullptr && *is_class->as_bool())
      result.add_class(*name->as_string(), []() -> std::unique_ptr<trainable> {
        throw std::logic_error{"only a host of the plugin has this"};
      });
    else
      result.add_function(*name->as_string(), [](session&) {
        throw std::logic_error{"only a host of the plugin has this"};
      });
  }
  return result;
}

} // namespace

expected<trainable_registry> probe_plugin(const fs::path& plugin,
                                          std::chrono::milliseconds patience) {
  std::error_code why;
  const auto about = fs::status(plugin, why);
  if (!fs::exists(about))
    return fault(plugin, "does not exist");
  if (!fs::is_regular_file(about))
    return fault(plugin, "is no shared library");
  if (!can_host())
    return error{ec::refused, std::string{no_host_main}};
  prober process;
  if (const auto number = process.start(plugin); number != 0)
    return error{fault_of(number, ec::storage),
                 "cannot look into \"" + plugin.string() + "\": " + text_of_shortage(number)};
  const auto text = process.read(patience);
  if (!text)
    return fault(plugin, "takes longer than "
                             + std::to_string(
                                 std::chrono::duration_cast<std::chrono::seconds>(patience).count())
                             + " s to be loaded");
  const auto how = process.wait();
  if (text->empty())
    return fault(plugin, "ended the process that loaded it: " + how);
  return read_answer(plugin, *text);
}

} // namespace tune
