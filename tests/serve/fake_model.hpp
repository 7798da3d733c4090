/// A read model whose answers a test chooses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/read_model.hpp"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace tune::support {

class fake_model : public cli::read_model {
public:
  explicit fake_model(std::filesystem::path directory) : directory_{std::move(directory)} {}

  /// The only experiment is "x".
  std::variant<std::string, http::problem> answer(const std::vector<std::string>& path,
                                                  const http::query_map& query) override {
    ++answers_;
    std::string text;
    for (const auto& part : path)
      text += "/" + part;
    return "{\"path\":\"" + text + "\",\"parameters\":" + std::to_string(query.size()) + "}";
  }

  std::variant<std::optional<cli::change>, http::problem>
  change_since(const std::string&, cli::log_position from) override {
    std::lock_guard guard{mutex_};
    if (is_gone_)
      return http::problem{404, "unknown_name", "there is no such experiment"};
    const cli::log_position now{record_, last_};
    if ((from.record != 0 && from.record != record_) || from.last > last_)
      from.last = 0;
    if (now.last <= from.last)
      return std::optional<cli::change>{};
    return std::optional{cli::change{now, "{\"last_seq\":" + std::to_string(last_) + "}"}};
  }

  std::optional<cli::log_position> position_of(const std::string& experiment) override {
    std::lock_guard guard{mutex_};
    return experiment == "x" ? std::optional{cli::log_position{record_, last_}} : std::nullopt;
  }

  bool is_readable() override { return is_readable_; }

  std::variant<std::filesystem::path, http::problem>
  directory_of(const std::string& experiment) override {
    if (experiment == "x")
      return directory_;
    return http::problem{404, "not_found", "there is no such experiment"};
  }

  void commit(sequence last) {
    std::lock_guard guard{mutex_};
    last_ = last;
  }

  /// Another record takes the place of the present one.
  void replace() {
    std::lock_guard guard{mutex_};
    ++record_;
  }
  void remove() {
    std::lock_guard guard{mutex_};
    is_gone_ = true;
  }
  void spoil() { is_readable_ = false; }
  /// How many answers it was asked for.
  int answers() const { return answers_; }

private:
  std::filesystem::path directory_;
  std::mutex mutex_;
  sequence last_ = 0;
  std::int64_t record_ = 1;
  bool is_gone_ = false;
  std::atomic<int> answers_ = 0;
  std::atomic<bool> is_readable_ = true;
};

} // namespace tune::support
