/// Numbers about a gateway and its process, for Prometheus.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/hosted_head.hpp"
#include "tune/http/http_server.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

namespace tune::cli {

/// Counts answers. For any thread.
class answer_counts {
public:
  void note(http::method what, const std::string& route_id, unsigned status);
  /// Lines of `tune_http_requests_total`.
  [[nodiscard]] std::string text() const;

private:
  mutable std::mutex mutex_;
  /// Method, route and status come from lists of ours: there are so many of them, and no more.
  std::map<std::tuple<std::string, std::string, unsigned>, std::uint64_t> counts_;
};

/// The whole text.
[[nodiscard]] std::string service_numbers(const answer_counts& answers,
                                          const http::server_counts& server,
                                          std::string_view version);

/// The lines about the machines of a head.
[[nodiscard]] std::string machine_numbers(const cluster_numbers& of);

} // namespace tune::cli
