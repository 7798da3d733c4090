/// The part of MLflow's REST interface (2.0) that the sink needs. Private to the MLflow sink.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sinks/http/http_client.hpp"

#include "tune/core/value.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tune::mlflow {

using texts = std::vector<std::pair<std::string, std::string>>;

/// One number of a run.
struct number {
  std::string key;
  double is = 0;
  std::int64_t timestamp_ms = 0;
  std::uint64_t step = 0;
};

/// A run that is there already.
struct found_run {
  std::string id;
  std::map<std::string, std::string> tags;
};

/// Some of the runs that were searched for.
struct run_page {
  std::vector<found_run> runs;
  /// Asks for those that follow; empty: none do.
  std::string next;
};

/// What a reply tells. @errors `ec::refused` with the address and, where it has a status of
/// failure, what it says.
[[nodiscard]] expected<object> read_answer(const std::string& url, const http_reply& reply);
/// Runs in an answer. What is none is left out; a run that does not tell its id has none.
[[nodiscard]] run_page runs_in(const object& answer);

/// Each call is one request, or several for many entries. All may be repeated: MLflow keeps equal
/// entries once.
/// @errors `ec::unreachable` as `http_client`; `ec::refused` with the server's text for what it
///         does not take.
class client {
public:
  /// User, password, token and certificates are those of MLflow's own environment variables.
  client(std::string url, std::function<std::chrono::milliseconds()> time_left);

  /// The experiment of that name, made if there is none.
  [[nodiscard]] expected<std::string> experiment(const std::string& name);
  /// All runs with this tag.
  [[nodiscard]] expected<std::vector<found_run>>
  runs(const std::string& experiment, const std::string& tag, const std::string& is);
  /// @returns the id of the new run.
  [[nodiscard]] expected<std::string> create_run(const std::string& experiment,
                                                 const std::string& name, std::int64_t start_ms,
                                                 const texts& tags);
  [[nodiscard]] expected<void> log(const std::string& run, const texts& params, const texts& tags,
                                   const std::vector<number>& metrics);
  /// @param status "RUNNING", "FINISHED", "FAILED", "KILLED". @param end_ms 0: it goes on.
  [[nodiscard]] expected<void> update(const std::string& run, const std::string& status,
                                      std::int64_t end_ms);

private:
  std::string url_;
  http_client http_;

  [[nodiscard]] expected<object> call(const std::string& path, const object& what);
  [[nodiscard]] expected<object> answer_in(const std::string& path, const http_reply& reply) const;
  [[nodiscard]] expected<void> log_some(const std::string& run, const texts& params,
                                        const texts& tags, value::list metrics);
};

} // namespace tune::mlflow
