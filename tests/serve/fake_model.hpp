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

  std::variant<std::optional<cli::change>, http::problem> change_since(const std::string&,
                                                                       sequence seq) override {
    std::lock_guard guard{mutex_};
    if (last_ <= seq)
      return std::optional<cli::change>{};
    return std::optional{cli::change{last_, "{\"last_seq\":" + std::to_string(last_) + "}"}};
  }

  std::optional<cli::log_position> position_of(const std::string& experiment) override {
    std::lock_guard guard{mutex_};
    return experiment == "x" ? std::optional{cli::log_position{record_, last_}} : std::nullopt;
  }

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
  /// How many answers it was asked for.
  int answers() const { return answers_; }

private:
  std::filesystem::path directory_;
  std::mutex mutex_;
  sequence last_ = 0;
  std::int64_t record_ = 1;
  std::atomic<int> answers_ = 0;
};

} // namespace tune::support
