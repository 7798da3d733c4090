// SPDX-License-Identifier: BSD-3-Clause
#include "serve/suggestion_desk.hpp"

#include "inspect/suggestion.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"
#include "view/fields.hpp"

#include <utility>

namespace tune::cli {

namespace {

http::problem busy(const char* why) {
  return {503, "busy", why};
}

expected<objective> first_objective(store_reader& from) {
  auto row = from.experiment();
  if (!row)
    return row.error();
  auto what = spec_from_json(row->spec);
  if (!what)
    return what.error();
  if (what->experiment.objectives.empty())
    return error{ec::storage, "the configuration in it names no metric"};
  return what->experiment.objectives.front();
}

std::string answer_text(trial_id trial, const suggestion_story& story, const objective& first) {
  return to_json(object{{"trial", number_value(trial.number)},
                        {"trial_id", to_text(trial)},
                        {"suggestion", suggestion_json(story, first)}});
}

} // namespace

std::optional<std::string> suggestion_desk::known(const question& what) {
  std::lock_guard guard{mutex_};
  const auto found = known_.find(what);
  return found == known_.end() ? std::nullopt : std::optional{found->second};
}

void suggestion_desk::keep(const question& what, const std::string& text) {
  std::lock_guard guard{mutex_};
  if (!known_.emplace(what, text).second)
    return;
  order_.push_back(what);
  if (order_.size() <= most_kept)
    return;
  known_.erase(order_.front());
  order_.pop_front();
}

std::variant<std::string, http::problem> suggestion_desk::explain(const std::filesystem::path& of,
                                                                  trial_id trial) {
  auto reader = store_reader::open(of);
  if (!reader)
    return http::problem_of(reader.error());
  auto head = reader->head();
  if (!head)
    return http::problem_of(head.error());
  const question asked{of, head->created_ms, head->opened_seq, trial};
  if (auto before = known(asked))
    return std::move(*before);
  const std::unique_lock works{work_, std::try_to_lock};
  if (!works.owns_lock())
    return busy("another suggestion is being explained, which takes a replay: ask again");
  auto first = first_objective(*reader);
  if (!first)
    return http::problem_of(first.error());
  auto story = explain_suggestion(*reader, trial, all_, &ends_);
  if (!story)
    return http::problem_of(story.error());
  if (ends_)
    return busy("the server ends");
  auto text = answer_text(trial, *story, *first);
  // What is unknown may be known after the next try: the record may have been busy.
  if (story->unknown.empty())
    keep(asked, text);
  return text;
}

} // namespace tune::cli
