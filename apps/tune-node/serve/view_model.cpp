// SPDX-License-Identifier: BSD-3-Clause
#include "serve/read_model.hpp"

#include "tune/io/json.hpp"
#include "view/views.hpp"

#include <utility>

namespace tune::cli {

namespace {

http::problem problem_from(const view_fault& why) {
  return {static_cast<unsigned>(why.status), why.code, why.detail};
}

/// The answers of `views` as text.
class view_model : public read_model {
public:
  explicit view_model(const std::filesystem::path& place) : views_{place} {}

  std::variant<std::string, http::problem> answer(const std::vector<std::string>& path,
                                                  const http::query_map& query) override {
    auto found = views_.answer(view_request{path, query});
    if (const auto* why = std::get_if<view_fault>(&found))
      return problem_from(*why);
    return to_json(std::get<value>(found));
  }

  std::variant<std::optional<change>, http::problem> change_since(const std::string& experiment,
                                                                  log_position from) override {
    auto found = views_.change_since(experiment, from.record, from.last);
    if (const auto* why = std::get_if<view_fault>(&found))
      return problem_from(*why);
    const auto& what = std::get<std::optional<seen_change>>(found);
    if (!what)
      return std::optional<change>{};
    return std::optional{change{{what->record, what->last}, to_json(what->what)}};
  }

  std::optional<log_position> position_of(const std::string& experiment) override {
    auto found = views_.watch(experiment);
    const auto* from = std::get_if<views::watched_ptr>(&found);
    if (from == nullptr)
      return std::nullopt;
    auto head = (*from)->with_reader([](store_reader& x) { return x.head(); });
    return head ? std::optional{log_position{head->created_ms, head->last_seq}} : std::nullopt;
  }

  bool is_readable() override { return views_.is_readable(); }

  std::variant<std::filesystem::path, http::problem>
  directory_of(const std::string& experiment) override {
    auto found = views_.directory_of(experiment);
    if (const auto* why = std::get_if<view_fault>(&found))
      return problem_from(*why);
    return std::get<std::filesystem::path>(std::move(found));
  }

private:
  views views_;
};

} // namespace

std::shared_ptr<read_model> make_read_model(const std::filesystem::path& place) {
  return std::make_shared<view_model>(place);
}

} // namespace tune::cli
