// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/running_sinks.hpp"

#include "asked.hpp"

#include "tune/io/sinks/owed_sinks.hpp"
#include "tune/io/spec/sink_wishes.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace tune {

namespace {

using steady = std::chrono::steady_clock;

/// How much longer than it may take a sink is waited for.
constexpr std::chrono::seconds answer_margin{5};
/// Stands for no limit.
constexpr std::chrono::milliseconds long_time = std::chrono::hours{24};

std::string counted_events(sequence count) {
  return std::to_string(count) + (count == 1 ? " event" : " events");
}

/// One sink, and what it says of itself.
struct fed_sink {
  std::string name;
  sink_feed feed;
  std::chrono::nanoseconds finish_timeout;
  std::shared_ptr<const sink_patience> patience;
  sequence committed = 0;

  expected<void> catch_up(sequence last) {
    committed = last;
    return feed.catch_up(last);
  }
  /// How much of the record it lacks for good, which is not known while the run goes on.
  [[nodiscard]] std::string missing() const {
    const auto behind = feed.missing(committed);
    if (patience->left() != long_time)
      return behind == 0 ? std::string{}
                         : "; " + counted_events(behind) + " of the record "
                               + (behind == 1 ? "was" : "were") + " not told";
    const auto told = committed - behind;
    return "; of the record it has "
           + (told == 0               ? "nothing"
              : told != feed.cursor() ? counted_events(told)
                                      : "what came up to event " + std::to_string(told));
  }
  /// "the sink mlflow is told no more: …".
  [[nodiscard]] std::string farewell(const error& why) const {
    if (why.code == ec::timeout)
      return "the sink " + name + " was not done within finish_timeout" + missing();
    return "the sink " + name + " is told no more: " + to_text(why) + missing();
  }
};

sink_actor spawn_fed(caf::actor_system& system, const std::filesystem::path& directory,
                     chosen_sink what, const std::shared_ptr<sink_patience>& patience,
                     std::chrono::nanoseconds finish_timeout,
                     const std::function<void(const std::string&)>& tell) {
  auto say = [tell](const std::string& text) {
    if (tell)
      tell(text);
  };
  const auto name = what.name;
  what.context.time_left = [patience] { return patience->left(); };
  what.context.notice
      = [say, name](const std::string& text) { say("the sink " + name + ": " + text); };
  auto fed = std::make_shared<fed_sink>(
      fed_sink{name, sink_feed{directory, std::move(what)}, finish_timeout, patience});
  sink_manners manners;
  manners.on_failure = [say, fed](const error& why) { say(fed->farewell(why)); };
  manners.on_away = [say, name](const error& why) {
    say("the sink " + name + " waits: " + to_text(why) + "; nothing is lost, it reads on later");
  };
  manners.on_back = [say, name] { say("the sink " + name + " goes on"); };
  manners.patience = std::chrono::duration_cast<std::chrono::milliseconds>(finish_timeout);
  return spawn_sink(
      system, [fed](sequence last) { return fed->catch_up(last); }, std::move(manners));
}

} // namespace

struct sink_patience::state {
  std::chrono::nanoseconds most;
  /// When it is over; 0: the run goes on.
  std::atomic<steady::rep> until{0};
};

sink_patience::sink_patience(std::chrono::nanoseconds most) : state_{std::make_unique<state>()} {
  state_->most = most;
}

sink_patience::~sink_patience() = default;

void sink_patience::end() {
  steady::rep none = 0;
  auto until = (steady::now() + state_->most).time_since_epoch().count();
  state_->until.compare_exchange_strong(none, until);
}

std::chrono::milliseconds sink_patience::left() const {
  const auto until = state_->until.load();
  if (until == 0)
    return long_time;
  auto left = steady::time_point{steady::duration{until}} - steady::now();
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(left),
                  std::chrono::milliseconds{0});
}

std::vector<chosen_sink> chosen_sinks(const spec& what, const sink_catalogue& all,
                                      const std::filesystem::path& directory) {
  std::vector<chosen_sink> result;
  sink_context with{what.experiment.name, directory.string(), what.ini_dir};
  for (const auto& wish : sink_wishes(what.sinks.lines, all)) {
    if (!wish.is_on)
      continue;
    const auto* entry = all.find(wish.name);
    auto checked = entry == nullptr ? expected<options>{error{ec::unknown_name, "there is none"}}
                                    : options::parse(entry->known, wish.written);
    result.push_back({wish.name, with,
                      [entry = entry == nullptr ? sink_catalogue::entry{} : *entry,
                       checked](const sink_context& of) -> expected<std::unique_ptr<trial_sink>> {
                        if (!checked)
                          return checked.error();
                        return entry.make(*checked, of);
                      }});
  }
  return result;
}

running_sinks::running_sinks(caf::actor_system& system, const std::filesystem::path& directory,
                             std::vector<chosen_sink> which,
                             std::chrono::nanoseconds finish_timeout,
                             const std::function<void(const std::string&)>& tell)
    : system_{system}
    , directory_{directory}
    , tell_{tell}
    , patience_{std::make_shared<sink_patience>(finish_timeout)} {
  for (auto& x : which) {
    names_.push_back(x.name);
    actors_.push_back(spawn_fed(system_, directory, std::move(x), patience_, finish_timeout, tell));
  }
}

void running_sinks::follow(const recorder_actor& recorder) {
  for (const auto& sink : actors_)
    send_from_outside(recorder, sink);
}

void running_sinks::committed(sequence last) {
  for (const auto& sink : actors_)
    send_from_outside(sink, durable_up_to{last});
}

/// The record has everything all the same: a list that cannot be written is news.
void running_sinks::keep(const std::vector<std::string>& owed) const {
  auto kept = keep_owed_sinks(directory_, owed);
  if (!kept && tell_)
    tell_("which sinks are behind could not be kept: " + to_text(kept.error()));
}

std::vector<std::string> running_sinks::settle(sequence last) {
  if (actors_.empty())
    return {};
  // For the case that this process does not come to the end.
  keep(names_);
  patience_->end();
  committed(last);
  // With the first request all of them finish at the same time; the answer to the second is
  // awaited.
  for (const auto& sink : actors_)
    send_from_outside(sink, drain_atom_v);
  std::vector<std::string> owed;
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    auto broken
        = asked<std::string>(system_, actors_[i], patience_->left() + answer_margin, drain_atom_v);
    if (!broken || !broken->empty())
      owed.push_back(names_[i]);
  }
  keep(owed);
  return owed;
}

void running_sinks::dismiss() {
  for (const auto& sink : actors_)
    caf::anon_send_exit(sink, caf::exit_reason::user_shutdown);
}

} // namespace tune
