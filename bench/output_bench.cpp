/// Measures how fast the output of programs gets into their files.
///
///   tune_output_bench [MEBIBYTES] [PROGRAMS] [LINES]
///
/// First one program prints MEBIBYTES (1024) in writes of 64 KiB. Then PROGRAMS (64) at once print
/// LINES (20000) each, one write per line, and the service passes the lines to a listener. The
/// files lie below the current directory and are removed. CPU seconds are those of the service's
/// process alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/io/process/host.hpp"
#include "tune/io/process/process_service.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

namespace {

using namespace tune;
using clock_type = std::chrono::steady_clock;

constexpr std::size_t mebibyte = 1024 * 1024;
constexpr std::string_view line
    = "epoch 17: loss = 0.12345678, accuracy = 0.98765432, lr = 0.001\n";

void fail(const std::string& why) {
  std::fprintf(stderr, "output_bench: %s\n", why.c_str());
  std::exit(1);
}

void put(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count <= 0)
      std::exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

int print_bytes(std::size_t mebibytes) {
  const std::string piece(64 * 1024, 'x');
  for (auto left = mebibytes * mebibyte / piece.size(); left > 0; --left)
    put(piece);
  return 0;
}

int print_lines(std::size_t count) {
  for (; count > 0; --count)
    put(line);
  return 0;
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& x) {
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Counts lines, and programs that have ended.
class load : public process_listener {
public:
  explicit load(int programs) : left_{programs} {}

  line_flow stdout_line(std::string_view, bool) override {
    ++lines_;
    return line_flow::go_on;
  }
  void exited(const exit_info& how) override {
    if (how.code != 0 || !how.trouble.empty() || !how.output_trouble.empty())
      fail("a program failed: " + how.trouble + how.output_trouble);
    std::lock_guard lock{mutex_};
    if (--left_ == 0)
      done_.notify_all();
  }
  /// Waits for the end of all programs. @returns the number of lines heard.
  std::size_t wait() {
    std::unique_lock lock{mutex_};
    done_.wait(lock, [this] { return left_ == 0; });
    return lines_;
  }

private:
  std::mutex mutex_;
  std::condition_variable done_;
  int left_;
  /// Used by the service's thread alone until all programs have ended.
  std::size_t lines_ = 0;
};

struct measured {
  double wall = 0;
  double cpu = 0;
};

/// Runs `programs` programs at once, each with a file of its own.
measured run(const process_order& what, int programs, std::size_t lines, std::uint64_t bytes) {
  auto service = process_service::start();
  if (!service)
    fail(service.error().detail);
  auto work = std::make_shared<load>(programs);
  const auto began = clock_type::now();
  const auto cpu = cpu_seconds();
  for (int i = 0; i < programs; ++i) {
    auto order = what;
    order.stdout_file = order.directory / ("stdout-" + std::to_string(i));
    (*service)->launch(std::move(order), work);
  }
  if (work->wait() != lines)
    fail("lines were lost");
  const measured result{std::chrono::duration<double>(clock_type::now() - began).count(),
                        cpu_seconds() - cpu};
  for (int i = 0; i < programs; ++i) {
    const auto file = what.directory / ("stdout-" + std::to_string(i));
    if (std::filesystem::file_size(file) != bytes)
      fail(file.string() + " is not whole");
    std::filesystem::remove(file);
  }
  return result;
}

} // namespace

int main(int argc, char** argv) {
  if (auto status = host_main(argc, argv, {}))
    return *status;
  bench::arguments given{argc, argv, "[MEBIBYTES] [PROGRAMS] [LINES]"};
  // The measured programs are this one, run with these words.
  if (argc == 3 && argv[1] == std::string_view{"bytes"})
    return print_bytes(std::stoull(argv[2]));
  if (argc == 3 && argv[1] == std::string_view{"lines"})
    return print_lines(std::stoull(argv[2]));
  const auto mebibytes = given.number(1024, 1);
  const auto programs = static_cast<int>(given.number(64, 1));
  const auto lines = given.number(20000, 1);
  given.finish();
  process_order order;
  order.env = environment_with({});
  order.directory = std::filesystem::current_path();
  order.output_cap = 4 * mebibytes * mebibyte;
  const auto own = std::filesystem::read_symlink("/proc/self/exe").string();

  order.argv = {own, "bytes", std::to_string(mebibytes)};
  const auto bulk = run(order, 1, 0, mebibytes * mebibyte);
  order.argv = {own, "lines", std::to_string(lines)};
  order.stdout_lines = true;
  const auto all = lines * static_cast<std::size_t>(programs);
  const auto many = run(order, programs, all, lines * line.size());
  std::printf(R"({"mebibytes":%zu,"mebibytes_per_second":%.0f,"cpu_seconds":%.2f,)"
              R"("programs":%d,"lines_per_second":%.0f,"lines_cpu_seconds":%.2f})"
              "\n",
              mebibytes, static_cast<double>(mebibytes) / bulk.wall, bulk.cpu, programs,
              static_cast<double>(all) / many.wall, many.cpu);
  return 0;
}
