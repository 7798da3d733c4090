// SPDX-License-Identifier: BSD-3-Clause
#include "serve/change_feed.hpp"

#include "tune/http/event_frame.hpp"

#include <fcntl.h>

#include <utility>

namespace tune::cli {

namespace {

class change_feed : public live_feed {
public:
  change_feed(std::shared_ptr<recent_changes> changes, std::string experiment,
              std::filesystem::path directory, log_position since,
              std::shared_ptr<http::byte_pipe> to)
      : changes_{std::move(changes)}
      , experiment_{std::move(experiment)}
      , directory_{std::move(directory)}
      , since_{since}
      , to_{std::move(to)} {}

  bool look() override {
    if (since_.record == 0)
      since_.record = changes_->record_of(experiment_);
    const auto news = changes_->since(experiment_, since_);
    if (news.is_gone)
      return !stays_gone();
    gone_since_.reset();
    const auto& found = news.what;
    if (!found)
      return true;
    // A client that reads slowly gets what has come meanwhile later, in one message.
    const http::event_id id{found->last.last, found->last.record};
    if (to_->offer(http::event_frame("change", found->text, id)))
      since_ = found->last;
    return true;
  }

  store::descriptor place() const override {
    return store::descriptor{
        ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)};
  }

  bool heeds(const std::string& file) const override {
    return file.starts_with("experiment.db") || file == ".control";
  }

private:
  std::shared_ptr<recent_changes> changes_;
  std::string experiment_;
  std::filesystem::path directory_;
  log_position since_;
  std::shared_ptr<http::byte_pipe> to_;
  std::optional<std::chrono::steady_clock::time_point> gone_since_;

  /// A directory that is replaced may be away for a moment.
  bool stays_gone() {
    const auto now = std::chrono::steady_clock::now();
    gone_since_ = gone_since_.value_or(now);
    return now - *gone_since_ >= feeds::slow_pace && to_->offer(http::event_frame("gone", "{}"));
  }
};

} // namespace

experiment_news recent_changes::since(const std::string& experiment, const log_position& from) {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(known_, [&](const auto& x) { return now - x.second.at > feeds::pace / 2; });
  const std::pair key{experiment, from};
  if (const auto found = known_.find(key); found != known_.end())
    return found->second.what;
  auto answer = model_->change_since(experiment, from);
  experiment_news result;
  if (auto* what = std::get_if<std::optional<change>>(&answer))
    result.what = std::move(*what);
  else
    result.is_gone = std::get<http::problem>(answer).status == 404;
  known_[key] = {result, now};
  return result;
}

std::int64_t recent_changes::record_of(const std::string& experiment) const {
  const auto found = model_->position_of(experiment);
  return found ? found->record : 0;
}

std::unique_ptr<live_feed> make_change_feed(std::shared_ptr<recent_changes> changes,
                                            std::string experiment, std::filesystem::path directory,
                                            log_position since,
                                            std::shared_ptr<http::byte_pipe> to) {
  return std::make_unique<change_feed>(std::move(changes), std::move(experiment),
                                       std::move(directory), since, std::move(to));
}

} // namespace tune::cli
