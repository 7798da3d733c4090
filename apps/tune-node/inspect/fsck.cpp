// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/fsck.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/recorded_rules.hpp"
#include "output/write_rows.hpp"
#include "tune/io/check/row_check.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/tuner/head_rules.hpp"

#include <ostream>
#include <utility>
#include <vector>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

bool has_trial_files(const experiment_row& row) {
  auto what = spec_from_json(row.spec);
  return what && what->log.trial_files;
}

/// Fixes the view of a running experiment to this moment.
/// @errors `ec::refused` if that would make its head wait.
expected<void> hold_still(store_reader& from, const fs::path& directory) {
  auto journal = journal_for(directory);
  if (!journal)
    return journal.error();
  if (*journal == journal_kind::rollback)
    return error{ec::refused, "it runs, and its file system is one that machines share: a look at"
                              " the whole of it would hold up its head; check it when it rests"};
  return from.hold();
}

/// Replays the log, and compares the rows with the result.
expected<fsck_result> check_record(store_reader& from, const experiment_row& row, row_check& rows,
                                   bool verify, const choices& all) {
  auto rules = rules_of(from, row, all);
  if (!rules)
    return rules.error();
  replay_check replay{rules->settings, std::move(rules->rules), verify};
  head_rules heads{row.spec, rules->settings, all.stoppers};
  auto read = for_each_event(from, row.last_seq, [&](const event& x) -> expected<bool> {
    if (const auto* head = std::get_if<on::opened>(&x.what)) {
      auto change = heads.of(*head);
      if (!change)
        return change.error();
      if (*change)
        replay.go_by(std::move(**change));
    }
    rows.see(x, replay.apply(x));
    return true;
  });
  if (!read)
    return read.error();
  replay.end();
  fsck_result result;
  result.found = replay.found();
  result.events = row.last_seq;
  for (auto count : replay.machine().view().counts)
    result.trials += count;
  result.verified = replay.verified();
  result.unverifiable = replay.unverifiable();
  return result;
}

/// Checks the files of an experiment at rest; those of a running one would change meanwhile.
expected<void> check_files(store_reader& from, const experiment_row& row, const row_check& rows,
                           const fs::path& directory, fsck_result& to) {
  auto faults = from.faults();
  if (!faults)
    return faults.error();
  for (auto& x : *faults)
    to.found.add({promise::durable_acknowledgement, 0, std::nullopt, std::move(x)});
  if (to.unread.empty()) {
    auto traces
        = crash_traces(from, directory,
                       {rows.kept_checkpoints(), rows.removed_checkpoints(), has_trial_files(row)});
    if (!traces)
      return reading_failed(traces.error());
    to.to_mend = std::move(*traces);
  }
  auto still = from.last_seq();
  if (!still)
    return still.error();
  if (*still != row.last_seq)
    return error{ec::refused, "somebody began to go on with it at this moment: check it again"};
  return {};
}

expected<fsck_result> check(store_reader& from, const fs::path& directory, bool verify,
                            const choices& all) {
  auto runs = is_led(directory);
  if (runs) {
    if (auto still = hold_still(from, directory); !still)
      return still.error();
  }
  auto row = from.experiment();
  if (!row)
    return row.error();
  fsck_result result;
  result.runs = runs;
  // Created, but never opened: nothing is guaranteed yet, unless there are trials.
  if (row->last_seq == 0) {
    auto state = inspect_directory(directory);
    return state ? expected<fsck_result>{result} : state.error();
  }
  row_check rows;
  auto checked = check_record(from, *row, rows, verify, all);
  if (!checked)
    return checked.error();
  result = std::move(*checked);
  result.runs = runs;
  if (!runs)
    result.unread = unread_files(directory, rows.kept_checkpoints());
  const bool looks = !runs && result.unread.empty();
  auto compared = rows.compare(from, looks ? directory : fs::path{});
  if (!compared)
    return compared.error();
  result.found.add(*compared);
  auto files = runs ? expected<void>{} : check_files(from, *row, rows, directory, result);
  if (!files)
    return files.error();
  return result;
}

object to_object(const crash_trace& x) {
  object result;
  result.set("kind", x.kind);
  result.set("path", x.path);
  result.set("bytes", static_cast<std::int64_t>(x.bytes));
  result.set("what", x.what);
  return result;
}

object to_object(const unread_file& x) {
  object result;
  result.set("path", x.path);
  result.set("why", x.why);
  return result;
}

object to_object(const finding& x) {
  object result;
  result.set("promise", to_text(x.broken));
  result.set("event", x.seq == 0 ? value{} : value{static_cast<std::int64_t>(x.seq)});
  result.set("trial", x.trial ? value{to_text(*x.trial)} : value{});
  result.set("table", x.table.empty() ? value{} : value{x.table});
  result.set("row", x.row.empty() ? value{} : value{x.row});
  result.set("what", x.what);
  return result;
}

void write_table(const fsck_result& x, std::ostream& out) {
  for (const auto& y : x.found.kept())
    out << printable(to_text(y)) << '\n';
  for (const auto& y : x.to_mend)
    out << printable(to_text(y)) << " (no fault: the next start mends it)\n";
  for (const auto& y : x.unread)
    out << printable(to_text(y)) << '\n';
  out << printable(x.directory) << ": " << counted(x.events, "event") << ", "
      << counted(x.trials, "trial") << ", ";
  if (x.verified > 0)
    out << x.verified << " answers computed again, ";
  if (x.unverifiable > 0)
    out << x.unverifiable
        << " answers of the external searcher not verified (only its process could give them "
           "again), ";
  if (x.found.empty())
    out << "nothing found";
  else
    out << x.found.count() << (x.found.count() == 1 ? " finding" : " findings");
  if (!x.to_mend.empty())
    out << ", " << x.to_mend.size() << " to be mended by the next start";
  if (x.runs)
    out << "; it runs: its files were not looked at";
  if (!x.unread.empty())
    out << "; not all files can be read: the files of trials were not looked at";
  out << '\n';
}

} // namespace

expected<fsck_result> check_experiment(const fsck_request& what, const choices& all) {
  auto directory = directory_of(what.directory);
  if (!directory)
    return directory.error();
  auto from = store_reader::open(*directory);
  if (!from)
    return reading_failed(from.error());
  auto result = check(*from, *directory, what.verify, all);
  if (!result)
    return error{result.error().code,
                 printable(directory->string() + ": " + to_text(result.error()))};
  result->directory = directory->string();
  return result;
}

void write_fsck(const fsck_result& x, output_format format, std::ostream& out) {
  if (format == output_format::table)
    return write_table(x, out);
  std::vector<object> rows;
  for (const auto& y : x.found.kept())
    rows.push_back(to_object(y));
  if (format == output_format::csv)
    return write_csv(titles_of(to_object(finding{})), rows, out);
  if (format == output_format::jsonl)
    return write_rows(rows, format, json_layout::one_line, out);
  value::list found(rows.begin(), rows.end());
  object all;
  all.set("directory", x.directory);
  all.set("running", x.runs);
  all.set("events", static_cast<std::int64_t>(x.events));
  all.set("trials", static_cast<std::int64_t>(x.trials));
  all.set("verified", static_cast<std::int64_t>(x.verified));
  all.set("unverifiable", static_cast<std::int64_t>(x.unverifiable));
  all.set("count", static_cast<std::int64_t>(x.found.count()));
  all.set("findings", std::move(found));
  value::list traces;
  for (const auto& y : x.to_mend)
    traces.emplace_back(to_object(y));
  all.set("mended_at_start", std::move(traces));
  value::list unread;
  for (const auto& y : x.unread)
    unread.emplace_back(to_object(y));
  all.set("unread", std::move(unread));
  out << to_json(all) << '\n';
}

} // namespace tune::cli
