// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/check/row_check.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_text = 120;

std::string shown(const std::string& text) {
  return text.size() <= longest_text ? text : text.substr(0, longest_text) + "...";
}

/// Compares the columns of one row.
class columns {
public:
  columns(findings& found, std::string table, std::string row, std::optional<trial_id> trial)
      : found_{found}, table_{std::move(table)}, row_{std::move(row)}, trial_{trial} {}

  void fault(std::string what) {
    found_.add({promise::replay, 0, trial_, std::move(what), table_, row_});
  }

  columns& text(std::string_view name, const std::string& has, const std::string& should) {
    auto mended = mend_utf8(should);
    if (has != mended)
      fault(std::string{name} + " is \"" + shown(has) + "\"; the log gives \"" + shown(mended)
            + "\"");
    return *this;
  }
  template <class Number>
  columns& number(std::string_view name, Number has, Number should) {
    if (has != should)
      fault(std::string{name} + " is " + std::to_string(has) + "; the log gives "
            + std::to_string(should));
    return *this;
  }
  columns& time(std::string_view name, std::optional<instant> has, std::optional<instant> should) {
    auto none = instant{-1};
    return number(name, has.value_or(none).count(), should.value_or(none).count());
  }

private:
  findings& found_;
  std::string table_;
  std::string row_;
  std::optional<trial_id> trial_;
};

std::string json_of(const std::shared_ptr<const report>& what) {
  return what != nullptr && what->metrics != nullptr ? to_json(*what->metrics) : std::string{};
}

std::string json_of(const std::optional<object>& what) {
  return what ? to_json(*what) : std::string{};
}

std::string json_of(const config_ptr& what) {
  return what != nullptr ? to_json(*what) : "{}";
}

void compare_attempt(findings& found, const attempt_row& has, const cmd::attempt_changed& should) {
  columns row{found, "attempts", to_text(should.attempt), should.trial};
  row.number("trial", has.trial.number, should.trial.number)
      .number("lineage", has.lineage, should.lineage)
      .text("node", has.node, should.node)
      .number("start_checkpoint", has.from.number, should.from.number)
      .text("config", json_of(has.config), json_of(should.config))
      .time("started", has.began, should.began)
      .time("ended", has.finished, should.finished);
  if (has.finished && should.finished)
    row.text("end_class", std::string{to_text(has.how)}, std::string{to_text(should.how)})
        .text("detail", has.detail, should.detail);
}

/// Total size of all files below `directory`; empty if it is not a directory.
std::optional<std::uint64_t> bytes_below(const fs::path& directory) {
  std::error_code failed;
  if (!fs::is_directory(directory, failed))
    return std::nullopt;
  std::uint64_t result = 0;
  for (fs::recursive_directory_iterator i{directory, failed}, end; !failed && i != end;
       i.increment(failed)) {
    std::error_code ignored;
    if (i->is_regular_file(ignored))
      result += i->file_size(ignored);
  }
  return result;
}

void compare_directory(columns& row, const fs::path& experiment, const checkpoint_row& should) {
  // Nothing to compare: recorded curves have no checkpoints, executors keep theirs elsewhere, and
  // those in a node's memory cannot be seen from here.
  if (should.location.empty() || should.location.starts_with(kept_outside)
      || should.location.starts_with(kept_in_memory))
    return;
  const auto directory = experiment / should.location;
  // A checkpoint that was given up may exist until the next start: see `crash_traces`.
  if (should.state != "good")
    return;
  if (auto alone = check_unmounted(directory); !alone)
    return row.fault("it cannot be restored: " + to_text(alone.error()));
  auto bytes = bytes_below(directory);
  if (!bytes)
    return row.fault("its directory " + should.location + " is not there");
  if (*bytes < should.bytes)
    row.fault("its directory " + should.location + " has " + std::to_string(*bytes) + " of "
              + std::to_string(should.bytes) + " bytes");
  if (auto whole = verify_checkpoint(directory); !whole)
    row.fault("it cannot be restored: " + to_text(whole.error()));
}

} // namespace

void row_check::see(const event& what, std::span<const command> gave) {
  last_ = what.seq;
  note(what);
  for (const auto& all : gave) {
    if (const auto* x = std::get_if<cmd::trial_changed>(&all.what)) {
      auto [known, fresh] = trials_.try_emplace(x->trial);
      if (fresh)
        known->second.created = what.at;
      auto before = std::exchange(known->second.row, *x);
      // As in the table, a trial that runs again keeps its reports until it reports more.
      if (x->last == nullptr)
        known->second.row.last = std::move(before.last);
      if (x->best == nullptr)
        known->second.row.best = std::move(before.best);
      known->second.ended = is_final(x->status) ? std::optional{what.at} : std::nullopt;
    } else if (const auto* news = std::get_if<cmd::trial_progressed>(&all.what)) {
      auto& known = trials_[news->trial];
      known.row.last = news->last;
      if (news->best != nullptr)
        known.row.best = news->best;
    } else if (const auto* attempt = std::get_if<cmd::attempt_changed>(&all.what)) {
      trials_[attempt->trial].attempts[attempt->attempt] = *attempt;
    } else if (const auto* taken = std::get_if<cmd::decision_taken>(&all.what)) {
      trials_[taken->trial].decisions.push_back(
          {what.seq, taken->trial, taken->attempt, taken->iteration, taken->action, taken->reason});
    } else if (const auto* gone = std::get_if<cmd::discard>(&all.what)) {
      mark(gone->checkpoint, "doomed");
    } else if (const auto* over = std::get_if<cmd::finish>(&all.what)) {
      finished_ = over->status;
    }
  }
}

void row_check::note(const event& what) {
  if (const auto* head = std::get_if<on::opened>(&what.what)) {
    finished_.reset();
    draws_ = head->draws;
  } else if (const auto* saved = std::get_if<on::saved>(&what.what)) {
    auto& known = trials_[saved->trial].checkpoints;
    checkpoint_at_[saved->checkpoint] = {saved->trial, known.size()};
    known.push_back({saved->checkpoint,
                     what.seq,
                     what.at,
                     saved->trial,
                     saved->attempt,
                     saved->iteration,
                     saved->time_total,
                     saved->location,
                     saved->bytes,
                     "good",
                     {}});
  } else if (const auto* exported = std::get_if<on::exported>(&what.what)) {
    exports_.insert(exported->location);
  } else if (const auto* bad = std::get_if<on::checkpoint_bad>(&what.what)) {
    mark(bad->checkpoint, "bad");
  } else if (const auto* doomed = std::get_if<on::checkpoints_doomed>(&what.what);
             doomed != nullptr && draws_ < on::dooms_all_named) {
    said_to_go_.insert(doomed->which.begin(), doomed->which.end());
  } else if (const auto* gone = std::get_if<on::checkpoint_gone>(&what.what)) {
    mark(gone->checkpoint, "gone");
  } else if (const auto* up = std::get_if<on::node_up>(&what.what)) {
    nodes_[mend_utf8(up->node)] = true;
  } else if (const auto* down = std::get_if<on::node_down>(&what.what)) {
    nodes_[mend_utf8(down->node)] = false;
  }
}

std::set<std::string> row_check::kept_checkpoints() const {
  auto result = exports_;
  for_checkpoints([&](const checkpoint_row& x) {
    if (x.state == "good" || x.state == "bad")
      result.insert(x.location);
  });
  return result;
}

std::set<std::string> row_check::removed_checkpoints() const {
  std::set<std::string> result;
  for_checkpoints([&](const checkpoint_row& x) {
    if (x.state == "gone")
      result.insert(x.location);
  });
  return result;
}

template <class F>
void row_check::for_checkpoints(F see) const {
  for (const auto& [id, trial] : trials_) {
    for (const auto& x : trial.checkpoints)
      see(x);
  }
}

bool row_check::is_state_of(const std::string& state, const checkpoint_row& should) const {
  return state == should.state || (state == "doomed" && said_to_go_.contains(should.checkpoint));
}

void row_check::mark(checkpoint_id which, std::string_view state) {
  auto known = checkpoint_at_.find(which);
  if (known != checkpoint_at_.end())
    trials_[known->second.first].checkpoints[known->second.second].state = state;
}

expected<void> row_check::compare_trial(store_reader& with, const fs::path& directory, trial_id id,
                                        const trial_state& is, findings& found) const {
  auto attempts = with.attempts(id);
  if (!attempts)
    return attempts.error();
  columns row{found, "trials", to_text(id), id};
  row.number("number of attempts", attempts->size(), is.attempts.size());
  for (const auto& x : *attempts) {
    auto should = is.attempts.find(x.attempt);
    if (should != is.attempts.end())
      compare_attempt(found, x, should->second);
    else
      columns{found, "attempts", to_text(x.attempt), id}.fault("the log knows of no such attempt");
  }
  auto decisions = with.decisions(id);
  if (!decisions)
    return decisions.error();
  row.number("number of decisions", decisions->size(), is.decisions.size());
  for (std::size_t i = 0; i < std::min(decisions->size(), is.decisions.size()); ++i) {
    const auto& x = (*decisions)[i];
    const auto& should = is.decisions[i];
    columns{found, "decisions", std::to_string(should.seq), id}
        .number("seq", x.seq, should.seq)
        .text("action", x.action, should.action)
        .text("reason", to_json(x.reason), to_json(should.reason));
  }
  auto checkpoints = with.checkpoints(id);
  if (!checkpoints)
    return checkpoints.error();
  row.number("number of checkpoints", checkpoints->size(), is.checkpoints.size());
  for (std::size_t i = 0; i < std::min(checkpoints->size(), is.checkpoints.size()); ++i) {
    const auto& should = is.checkpoints[i];
    columns column{found, "checkpoints", std::to_string(should.checkpoint.number), id};
    const auto& has = (*checkpoints)[i];
    column.text("state", is_state_of(has.state, should) ? should.state : has.state, should.state)
        .text("location", has.location, should.location);
    if (!directory.empty())
      compare_directory(column, directory, should);
  }
  return {};
}

expected<findings> row_check::compare(store_reader& with, const fs::path& directory) const {
  findings found;
  trial_query all;
  all.limit = std::numeric_limits<std::size_t>::max();
  auto rows = with.trials(all);
  if (!rows)
    return rows.error();
  if (rows->size() != trials_.size())
    found.add({promise::nothing_lost_or_doubled, 0, std::nullopt,
               "there are " + std::to_string(rows->size()) + " trials; the log gives "
                   + std::to_string(trials_.size()),
               "trials", "all"});
  for (const auto& has : *rows) {
    auto known = trials_.find(has.trial);
    if (known == trials_.end())
      continue;
    const auto& is = known->second;
    const auto& should = is.row;
    columns row{found, "trials", to_text(has.trial), has.trial};
    row.text("status", std::string{to_text(has.status)}, std::string{to_text(should.status)})
        .text("config", to_json(has.config), json_of(should.config))
        .text("origin", has.origin, should.origin)
        .number("failures", has.failures, should.failures)
        .number("lineage", has.lineage, should.lineage)
        .text("reason", has.reason, should.reason)
        .text("error", has.error, should.error)
        .number("iterations", has.iterations, should.last ? should.last->iteration : 0)
        .text("metrics", json_of(has.metrics), json_of(should.last))
        .text("best_metrics", json_of(has.best_metrics), json_of(should.best))
        .time("created", has.created, is.created)
        .time("ended", has.ended, is.ended);
    if (auto done = compare_trial(with, directory, has.trial, is, found); !done)
      return done.error();
  }
  auto nodes = with.nodes();
  if (!nodes)
    return nodes.error();
  for (const auto& x : *nodes) {
    auto known = nodes_.find(x.node);
    if (known == nodes_.end() || known->second != x.up)
      columns{found, "nodes", x.node, {}}.text("state", x.up ? "up" : "down",
                                               known == nodes_.end() ? "nothing"
                                               : known->second       ? "up"
                                                                     : "down");
  }
  auto whole = with.experiment();
  if (!whole)
    return whole.error();
  columns row{found, "experiment", "1", {}};
  row.number("last_seq", whole->last_seq, last_);
  // The end is written only after the events that led to it are on disk; the head may have been
  // lost in between.
  if (whole->status != "running")
    row.text("status", whole->status,
             finished_ ? std::string{to_text(*finished_)} : std::string{"running"});
  return found;
}

} // namespace tune
