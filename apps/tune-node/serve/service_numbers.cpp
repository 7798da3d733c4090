// SPDX-License-Identifier: BSD-3-Clause
#include "serve/service_numbers.hpp"

#include "serve/prometheus_text.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace tune::cli {

namespace {

/// A number with what it means, in the text format of Prometheus.
std::string metric(std::string_view name, std::string_view kind, std::string_view help,
                   const std::string& value) {
  std::string result;
  result.append("# HELP ").append(name).append(" ").append(help).append("\n");
  result.append("# TYPE ").append(name).append(" ").append(kind).append("\n");
  return result.append(name).append(" ").append(value).append("\n");
}

/// Resident memory. [bytes]
std::uint64_t resident_memory() {
  std::ifstream from{"/proc/self/statm"};
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  from >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t open_files() {
  std::size_t result = 0;
  std::error_code why;
  for (std::filesystem::directory_iterator i{"/proc/self/fd", why}, end; !why && i != end;
       i.increment(why))
    ++result;
  return result;
}

std::string cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const ::timeval& x) {
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) / 1e6;
  };
  return std::to_string(seconds(used.ru_utime) + seconds(used.ru_stime));
}

} // namespace

void answer_counts::note(http::method what, const std::string& route_id, unsigned status) {
  std::lock_guard guard{mutex_};
  auto name = std::string{to_text(what)};
  ++counts_[{name.empty() ? "other" : name, route_id.empty() ? "none" : route_id, status}];
}

std::string answer_counts::text() const {
  std::lock_guard guard{mutex_};
  std::string result = "# HELP tune_http_requests_total Answers by method, route and status.\n"
                       "# TYPE tune_http_requests_total counter\n";
  for (const auto& [which, count] : counts_) {
    const auto& [what, route, status] = which;
    result += "tune_http_requests_total{method=\"" + what + "\",route=\"" + route + "\",code=\""
              + std::to_string(status) + "\"} " + std::to_string(count) + "\n";
  }
  return result;
}

std::string service_numbers(const answer_counts& answers, const http::server_counts& server,
                            std::string_view version) {
  const auto build = "tune_build_info{version=\"" + std::string{version} + "\"}";
  return "# HELP tune_build_info The program's version.\n# TYPE tune_build_info gauge\n" + build
         + " 1\n" + answers.text()
         + metric("tune_http_connections", "gauge", "Connections that are open.",
                  std::to_string(server.connections))
         + metric("tune_http_evicted_total", "counter", "Connections closed to make room.",
                  std::to_string(server.evicted))
         + metric("process_resident_memory_bytes", "gauge", "Resident memory.",
                  std::to_string(resident_memory()))
         + metric("process_open_fds", "gauge", "Open file descriptors.",
                  std::to_string(open_files()))
         + metric("process_cpu_seconds_total", "counter", "User and system time.", cpu_seconds());
}

std::string machine_numbers(const cluster_numbers& of) {
  prometheus_text workers{"tune_workers", "gauge", "Workers of this head, by state."};
  workers.line(metric_label("state", "busy"), std::to_string(of.busy));
  workers.line(metric_label("state", "idle"), std::to_string(of.idle));
  auto result = workers.text()
                + metric("tune_pending_bundles", "gauge",
                         "Bundles of resources that wait for a node.", std::to_string(of.pending));
  if (!of.scales)
    return result;
  const auto& x = *of.scales;
  prometheus_text scaling{
      "tune_scaling_workers", "gauge",
      "Workers as scale_command sees them: those that there should be, those that "
      "were asked for and may still come, those that were told to go."};
  scaling.line(metric_label("state", "wanted"), std::to_string(x.wanted));
  scaling.line(metric_label("state", "asked"), std::to_string(x.asked));
  scaling.line(metric_label("state", "given_back"), std::to_string(x.given_back));
  return result + scaling.text()
         + metric("tune_scaling_calls_total", "counter", "Calls of scale_command.",
                  std::to_string(x.calls))
         + metric("tune_scaling_failures", "gauge",
                  "Calls of scale_command that failed since the last one that did not.",
                  std::to_string(x.failures))
         + metric("tune_scaling_missed_total", "counter",
                  "Workers that were asked for and did not come in time.",
                  std::to_string(x.missed));
}

} // namespace tune::cli
