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
              std::filesystem::path directory, sequence since, std::shared_ptr<http::byte_pipe> to)
      : changes_{std::move(changes)}
      , experiment_{std::move(experiment)}
      , directory_{std::move(directory)}
      , since_{since}
      , to_{std::move(to)} {}

  bool look() override {
    const auto found = changes_->since(experiment_, since_);
    // A client that reads slowly gets what has come meanwhile later, in one message.
    if (found && to_->offer(http::event_frame("change", found->text, found->last)))
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
  sequence since_;
  std::shared_ptr<http::byte_pipe> to_;
};

} // namespace

std::optional<change> recent_changes::since(const std::string& experiment, sequence seq) {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(known_, [&](const auto& x) { return now - x.second.at > feeds::pace / 2; });
  const std::pair key{experiment, seq};
  if (const auto found = known_.find(key); found != known_.end())
    return found->second.what;
  auto answer = model_->change_since(experiment, seq);
  auto* what = std::get_if<std::optional<change>>(&answer);
  auto result = what != nullptr ? std::move(*what) : std::nullopt;
  known_[key] = {result, now};
  return result;
}

std::unique_ptr<live_feed> make_change_feed(std::shared_ptr<recent_changes> changes,
                                            std::string experiment, std::filesystem::path directory,
                                            sequence since, std::shared_ptr<http::byte_pipe> to) {
  return std::make_unique<change_feed>(std::move(changes), std::move(experiment),
                                       std::move(directory), since, std::move(to));
}

} // namespace tune::cli
