/// A trial program that can misbehave in many ways. Its arguments are a script, carried out word by
/// word: `fake_trainable lines 3 err oops exit 2`. With `__tune-guard` or `__tune-host` it acts as
/// the guard or a host, as every program of the project can.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/host.hpp"
#include "tune/io/process/leftovers.hpp"
#include "tune/io/process/process_service.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using words = std::deque<std::string>;

std::string take(words& script) {
  if (script.empty())
    throw std::runtime_error{"the script ends too early"};
  auto result = script.front();
  script.pop_front();
  return result;
}

long take_number(words& script) {
  return std::stol(take(script));
}

int fd_of(const char* name) {
  const auto* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : -1;
}

void put(int fd, std::string_view text) {
  while (!text.empty()) {
    auto count = ::write(fd, text.data(), text.size());
    if (count <= 0)
      return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void say(const std::string& line) {
  put(fd_of("TUNE_TRIAL_REPORT_FD"), line + "\n");
}

std::string hear() {
  std::string result;
  for (char c = 0; ::read(fd_of("TUNE_TRIAL_ANSWER_FD"), &c, 1) == 1 && c != '\n';)
    result += c;
  return result;
}

[[noreturn]] void hang() {
  for (;;)
    ::pause();
}

/// Writes an export of the requested format.
void export_as(const std::string& format) {
  std::ofstream{std::string{std::getenv("TUNE_TRIAL_EXPORT_DIR")} + "/" + format} << format;
}

/// Reports and obeys: a minimal client of docs/command-protocol.md.
void report(words& script) {
  auto count = take_number(script);
  say(R"({"tune":1})");
  for (long i = 1; i <= count; ++i) {
    say(R"({"metrics":{"i":)" + std::to_string(i) + "}}");
    auto answer = hear();
    if (auto at = answer.find(R"("dir":")"); at != answer.npos) {
      auto directory = answer.substr(at + 7, answer.find('"', at + 7) - at - 7);
      std::ofstream{directory + "/state"} << i;
      say(R"({"saved":")" + directory + "\"}");
    }
    if (answer.find(R"("export":true)") != answer.npos)
      export_as("model");
    if (answer.find("stop") != answer.npos || answer.find("pause") != answer.npos)
      std::_Exit(0);
  }
}

/// Reports, but ignores any order to stop.
void report_and_hang(words& script) {
  auto count = take_number(script);
  for (long i = 1; i <= count; ++i) {
    say(R"({"metrics":{"i":)" + std::to_string(i) + "}}");
    if (hear().find("continue") == std::string::npos)
      hang();
  }
}

void flood(words& script) {
  auto count = take_number(script);
  for (long i = 1; i <= count; ++i)
    say(R"({"metrics":{"i":)" + std::to_string(i) + "}}");
}

/// Writes a report without end until its reader is gone.
void endless_report(words&) {
  ::signal(SIGPIPE, SIG_DFL);
  for (std::string chunk(64 * 1024, 'x');;)
    put(fd_of("TUNE_TRIAL_REPORT_FD"), chunk);
}

void lines(words& script) {
  auto count = take_number(script);
  for (long i = 1; i <= count; ++i)
    put(1, "step " + std::to_string(i) + "\nAccuracy = " + std::to_string(i) + "%\n");
}

void bytes(words& script) {
  auto left = take_number(script);
  std::string chunk(64 * 1024, 'x');
  for (; left > 0; left -= static_cast<long>(chunk.size())) {
    if (left < static_cast<long>(chunk.size()))
      chunk.resize(static_cast<std::size_t>(left));
    put(1, chunk);
  }
}

void junk(words& script) {
  auto left = take_number(script);
  unsigned state = 1;
  for (std::string chunk; left > 0; --left) {
    state = state * 1664525 + 1013904223;
    chunk += static_cast<char>(state >> 24);
    if (chunk.size() == 4096 || left == 1) {
      put(1, chunk);
      chunk.clear();
    }
  }
}

void children(words& script) {
  for (auto count = take_number(script); count > 0; --count) {
    if (::fork() == 0)
      hang();
  }
}

/// Leaves the session by a double fork and ignores TERM; calls `then` once the daemon is up.
void daemonise(const std::function<void()>& then) {
  int ready[2];
  if (::pipe(ready) != 0)
    std::_Exit(99);
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0)
      std::_Exit(0);
    ::setsid();
    ::signal(SIGTERM, SIG_IGN);
    put(ready[1], "x");
    ::close(ready[0]);
    ::close(ready[1]);
    then();
    std::_Exit(0);
  }
  ::close(ready[1]);
  char c = 0;
  if (::read(ready[0], &c, 1) != 1)
    std::_Exit(99);
  ::close(ready[0]);
}

/// Executes itself again with an empty environment, so that nothing shows which trial it belongs
/// to.
[[noreturn]] void wipe_environment(const std::string& mark) {
  std::string name = "fake";
  std::string hang_word = "hang";
  auto mark_copy = mark;
  char* argv[] = {name.data(), hang_word.data(), mark_copy.data(), nullptr};
  char* env[] = {nullptr};
  ::execve("/proc/self/exe", argv, env);
  std::_Exit(98);
}

void list_fds() {
  for (int fd = 0; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0)
      put(1, "fd " + std::to_string(fd) + "\n");
  }
}

void list_blocked_signals() {
  sigset_t blocked;
  ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
  for (int signal = 1; signal < 32; ++signal) {
    struct sigaction how {};
    ::sigaction(signal, nullptr, &how);
    if (::sigismember(&blocked, signal) == 1 || how.sa_handler == SIG_IGN)
      put(1, "signal " + std::to_string(signal) + "\n");
  }
}

void use_memory(words& script) {
  auto left = take_number(script);
  for (constexpr long chunk = 1 << 20; left > 0; left -= chunk) {
    auto* block = static_cast<char*>(std::malloc(chunk));
    if (block == nullptr)
      std::_Exit(97);
    std::memset(block, 1, chunk);
  }
}

struct hearing : tune::process_listener {
  void started(pid_t pid) override { put(1, "child " + std::to_string(pid) + "\n"); }
  void exited(const tune::exit_info& how) override { put(1, "exited " + how.trouble + "\n"); }
};

/// A node of its own, with one process that runs the rest of the script. TUNE_TEST_OBITUARY, if
/// set, names a file to be created as the obituary.
[[noreturn]] void node(words& script) {
  tune::process_service_options options;
  if (const auto* file = std::getenv("TUNE_TEST_OBITUARY"))
    options.obituary = {"/bin/touch", file};
  auto service = tune::process_service::start(options);
  if (!service) {
    put(1, service.error().detail + "\n");
    std::_Exit(1);
  }
  put(1, "guard " + std::to_string((*service)->guard_pid()) + "\n");
  tune::process_order order;
  order.tag = take(script);
  order.place = tune::directory_mark(order.tag.substr(0, order.tag.rfind('#')));
  order.grace = std::chrono::milliseconds{take_number(script)};
  order.argv = {"/proc/self/exe"};
  order.argv.insert(order.argv.end(), script.begin(), script.end());
  order.env = tune::environment_with({});
  (*service)->launch(order, std::make_shared<hearing>());
  hang();
}

void exit_on_term(int) {
  std::_Exit(7);
}

const std::map<std::string, std::function<void(words&)>> verbs{
    {"report", report},
    {"report_and_hang", report_and_hang},
    {"export", [](words& script) { export_as(take(script)); }},
    {"exporting", [](words&) { say(R"({"exporting":true})"); }},
    {"flood", flood},
    {"endless_report", endless_report},
    {"lines", lines},
    {"bytes", bytes},
    {"junk", junk},
    {"children", children},
    {"memory", use_memory},
    {"node", [](words& w) { node(w); }},
    {"say", [](words& w) { say(take(w)); }},
    {"hear", [](words&) { put(1, "heard " + hear() + "\n"); }},
    {"out", [](words& w) { put(1, take(w) + "\n"); }},
    {"raw", [](words& w) { put(1, take(w)); }},
    {"err", [](words& w) { put(2, take(w) + "\n"); }},
    {"env",
     [](words& w) {
       auto name = take(w);
       const auto* text = std::getenv(name.c_str());
       put(1, name + "=" + (text != nullptr ? text : "(none)") + "\n");
     }},
    {"cwd",
     [](words&) {
       char buffer[4096];
       put(1, std::string{::getcwd(buffer, sizeof buffer)} + "\n");
     }},
    {"fds", [](words&) { list_fds(); }},
    {"signals", [](words&) { list_blocked_signals(); }},
    {"close_answers", [](words&) { ::close(fd_of("TUNE_TRIAL_ANSWER_FD")); }},
    {"close_output", [](words&) { ::close(1), ::close(2); }},
    {"ignore_term", [](words&) { ::signal(SIGTERM, SIG_IGN); }},
    {"term_exits", [](words&) { ::signal(SIGTERM, exit_on_term); }},
    {"daemon", [](words&) { daemonise([] { hang(); }); }},
    {"daemon_bare",
     [](words& w) {
       auto mark = take(w);
       daemonise([&] { wipe_environment(mark); });
     }},
    {"chain", [](words&) { daemonise([] { daemonise([] { daemonise([] { hang(); }); }); }); }},
    {"hang", [](words&) { hang(); }},
    {"exit", [](words& w) { std::_Exit(static_cast<int>(take_number(w))); }},
    {"abort", [](words&) { std::abort(); }},
    {"segv",
     [](words&) {
       ::signal(SIGSEGV, SIG_DFL); // A sanitizer may have its own.
       ::raise(SIGSEGV);
     }},
    {"kill_self", [](words&) { ::raise(SIGKILL); }},
    {"throw", [](words&) { throw std::runtime_error{"thrown on purpose"}; }},
};

/// Counts on from its checkpoint; its configuration says how far and what goes wrong.
class hosted : public tune::trainable {
public:
  void setup(const tune::object& config, const tune::trial_context& context) override {
    config_ = config;
    trial_ = context.trial_id;
  }
  tune::metrics step() override {
    if (const auto* what = config_.find("throws"))
      throw std::runtime_error{*what->as_string()};
    ++n_;
    return {{"n", n_},
            {"trial", trial_},
            {"loss", 0.0 / zero_},
            {"done", n_ >= *config_.find("last")->as_int()}};
  }
  [[nodiscard]] bool can_save() const override { return true; }
  void save(const std::filesystem::path& to) override {
    if (!(std::ofstream{to / "n"} << n_))
      throw std::runtime_error{"cannot write to " + to.string()};
  }
  void load(const std::filesystem::path& from) override {
    if (!(std::ifstream{from / "n"} >> n_))
      throw std::runtime_error{"no number in " + from.string()};
  }

private:
  tune::object config_;
  std::string trial_;
  std::int64_t n_ = 0;
  double zero_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  tune::trainable_registry trainables;
  trainables.add_class<hosted>("hosted");
  trainables.add_function("waits", [](tune::session& s) {
    while (s.report({{"asked", s.should_stop()}})) {}
  });
  if (auto status = tune::host_main(argc, argv, trainables))
    return *status;
  words script(argv + 1, argv + argc);
  while (!script.empty()) {
    auto verb = take(script);
    auto found = verbs.find(verb);
    if (found == verbs.end()) {
      std::cerr << "no verb " << verb << '\n';
      return 96;
    }
    found->second(script);
  }
  return 0;
}
