// SPDX-License-Identifier: BSD-3-Clause
#include "trial_folder.hpp"

#include "file_state.hpp"

#include "tune/io/sinks/trial_files/csv.hpp"

#include "posix/posix.hpp"

#include "tune/io/json.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tune {

namespace {

using store::descriptor;
namespace fs = std::filesystem;

const std::string params_name = "params.json";
const std::string lines_name = "result.jsonl";
const std::string table_name = "progress.csv";
const std::string failures_name = "error.txt";
/// Text is written to the file whenever this many bytes have accumulated.
constexpr std::size_t flush_at = 256 * 1024;

bool is_read_only(const fs::path& what) {
  return ::access(what.c_str(), W_OK) != 0 && errno == EROFS;
}

/// A file that replaces another once it is completely written.
class replacement {
public:
  /// @param where Must outlive the replacement.
  static expected<replacement> begin(const guarded_directory& where, const std::string& name) {
    auto opened = where.create(name + ".new");
    if (!opened)
      return opened.error();
    return replacement{where, name, std::move(*opened)};
  }

  std::string text;

  expected<void> flush(std::size_t above) {
    if (text.size() <= above)
      return {};
    auto written = store::write_all(to_, where_->path() / (name_ + ".new"), text);
    text.clear();
    return written;
  }

  expected<void> finish() {
    if (auto written = flush(0); !written)
      return written;
    return where_->rename(name_ + ".new", name_);
  }

private:
  const guarded_directory* where_;
  std::string name_;
  descriptor to_;

  replacement(const guarded_directory& where, std::string name, descriptor to)
      : where_{&where}, name_{std::move(name)}, to_{std::move(to)} {}
};

std::string heading(attempt_id attempt) {
  return "=== attempt " + to_text(attempt) + ": ";
}

/// Appends a failure. Its text is indented, so that no line can look like a heading.
void append_failure(std::string& to, const on::ended& what) {
  to += heading(what.attempt);
  to += to_text(what.how);
  if (what.exit_status)
    to += *what.exit_status < 0 ? ", signal " + std::to_string(-std::int64_t{*what.exit_status})
                                : ", exit status " + std::to_string(*what.exit_status);
  to += " ===\n";
  const auto text = is_utf8(what.detail) ? what.detail : mend_utf8(what.detail);
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    to += "  ";
    to += line;
    to += '\n';
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
}

} // namespace

trial_folder::trial_folder(fs::path trials, trial_id trial, sequence before, store_reader& from)
    : trials_{std::move(trials)}, trial_{trial}, before_{before}, from_{from} {}

expected<void> trial_folder::enter() {
  auto made = guarded_directory::make(trials_, to_text(trial_));
  if (!made)
    return made.error();
  where_.emplace(std::move(*made));
  return {};
}

expected<void> trial_folder::write(const trial_news& news, bool check) {
  if (auto entered = enter(); !entered)
    return entered;
  if (auto written = write_parameters(check); !written)
    return written;
  if (auto written = write_results(news, check); !written)
    return written;
  return write_failures(news.failures, check);
}

expected<void> trial_folder::mend() {
  if (auto entered = enter(); !entered)
    return entered;
  if (auto written = write_parameters(true); !written)
    return written;
  if (auto written = write_results({}, true); !written)
    return written;
  auto failed = from_.failures(trial_);
  if (!failed)
    return failed.error();
  std::vector<on::ended> failures;
  for (const auto& x : *failed)
    failures.push_back({trial_, x.attempt, x.how, x.detail, x.exit_status});
  return write_failures(failures, true);
}

bool trial_folder::is_set_apart() const {
  if (is_read_only(trials_))
    return false;
  // Mounted file systems are not accessed: they may never answer.
  auto own = guarded_directory::open(trials_, to_text(trial_));
  if (!own)
    return own.error().code == ec::refused;
  const auto names = {params_name, lines_name, table_name, failures_name};
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return own->has_mount_point(name) || (own->has_file(name) && is_read_only(own->path() / name));
  });
}

void trial_folder::note(const std::string& name, const std::string& replaced) {
  if (!replaced.empty())
    notes_.push_back(replaced_text(where_->path() / name, replaced));
}

expected<void> trial_folder::append(const std::string& name, std::string_view text) {
  if (text.empty())
    return {};
  auto opened = where_->append(name);
  if (!opened)
    return opened.error();
  note(name, opened->replaced);
  return store::write_all(opened->file, where_->path() / name, text);
}

expected<void> trial_folder::write_parameters(bool check) {
  const auto& name = params_name;
  if (!check && where_->has_file(name))
    return {};
  auto row = from_.trial(trial_);
  if (!row)
    return row.error();
  // The row may be committed one transaction after its event; the trial's next news will find it.
  if (!*row)
    return {};
  const auto text = to_json((*row)->config) + "\n";
  auto is = state_of_text(*where_, name, text);
  if (!is)
    return is.error();
  if (*is == text_state::other)
    return {};
  auto replaced = where_->replace(name, text, name + ".new");
  if (!replaced)
    return replaced.error();
  note(name, *replaced);
  return {};
}

expected<void> trial_folder::write_results(const trial_news& news, bool check) {
  const auto odd = !where_->oddity(lines_name).empty() || !where_->oddity(table_name).empty();
  check = check || odd;
  if (news.reports.empty()) {
    auto earlier = check ? has_results() : false;
    if (!earlier || !*earlier)
      return earlier ? expected<void>{} : earlier.error();
  }
  if (check) {
    if (auto whole = make_whole(odd); !whole)
      return whole;
  }
  auto names = columns();
  if (!names)
    return names.error();
  bool grown = !where_->has_file(table_name);
  for (const auto& what : news.reports)
    grown = names->add(*what) || grown;
  if (grown) {
    if (auto written = rewrite_table(*names); !written)
      return written;
  }
  std::string lines, rows;
  for (const auto& what : news.reports) {
    auto node = node_of(what->attempt);
    if (!node)
      return node.error();
    append_result_line(lines, *what, *node);
    names->append_row(rows, *what, *node);
  }
  if (auto written = append(lines_name, lines); !written)
    return written;
  return append(table_name, rows);
}

expected<bool> trial_folder::has_results() {
  if (where_->has_any(lines_name) || where_->has_any(table_name))
    return true;
  auto count = from_.count_results(trial_, before_);
  return count ? expected<bool>{*count > 0} : count.error();
}

expected<void> trial_folder::make_whole(bool odd) {
  auto count = from_.count_results(trial_, before_);
  if (!count)
    return count.error();
  auto fine = odd ? expected<bool>{false} : is_as_expected(*count);
  if (!fine || *fine)
    return fine ? expected<void>{} : fine.error();
  const auto lines = where_->oddity(lines_name);
  const auto table = where_->oddity(table_name);
  if (auto gone = where_->remove(table_name); !gone)
    return gone;
  if (auto written = rewrite_lines(); !written)
    return written;
  note(lines_name, lines);
  note(table_name, table);
  return {};
}

expected<bool> trial_folder::is_as_expected(std::uint64_t count) {
  const auto most = most_bytes_of(count);
  auto lines = state_of_lines(*where_, lines_name, most);
  if (!lines)
    return lines.error();
  auto table = state_of_table(*where_, table_name, most);
  if (!table)
    return table.error();
  const auto records = count == 0 && table->count == 0 ? 0 : count + 1;
  return lines->count == count && !lines->is_torn() && table->count == records && !table->is_torn();
}

expected<result_columns> trial_folder::columns() {
  std::string head;
  std::optional<std::vector<std::string>> names;
  auto read = for_parts(*where_, table_name, [&](std::string_view part) {
    head += part;
    if (part.find('\n') != part.npos)
      names = csv::first_record(head);
    return !names && part.find('\0') == part.npos && head.size() < most_bytes_of(0);
  });
  if (!read)
    return read.error();
  if (names)
    return result_columns{std::move(*names)};
  // The table is empty or its first line is torn: rewrite it.
  if (auto gone = where_->remove(table_name); !gone)
    return gone.error();
  result_columns result;
  auto seen = for_earlier([&](const result_row& row) -> expected<void> {
    result.add(*row.what);
    return {};
  });
  if (!seen)
    return seen.error();
  return result;
}

template <class F>
expected<void> trial_folder::for_earlier(F see) {
  constexpr std::size_t at_once = 256;
  for (sequence after = 0;;) {
    auto some = from_.results(trial_, after, at_once);
    if (!some)
      return some.error();
    for (const auto& row : *some) {
      if (row.seq > before_)
        return {};
      if (auto fine = see(row); !fine)
        return fine;
      after = row.seq;
    }
    if (some->size() < at_once)
      return {};
  }
}

expected<void> trial_folder::rewrite_lines() {
  auto file = replacement::begin(*where_, lines_name);
  if (!file)
    return file.error();
  auto written = for_earlier([&](const result_row& row) {
    append_result_line(file->text, *row.what, row.node);
    return file->flush(flush_at);
  });
  return written ? file->finish() : written;
}

expected<void> trial_folder::rewrite_table(const result_columns& columns) {
  auto file = replacement::begin(*where_, table_name);
  if (!file)
    return file.error();
  csv::append_record(file->text, columns.names());
  auto written = for_earlier([&](const result_row& row) {
    columns.append_row(file->text, *row.what, row.node);
    return file->flush(flush_at);
  });
  return written ? file->finish() : written;
}

expected<std::string> trial_folder::node_of(attempt_id attempt) {
  if (auto known = nodes_.find(attempt); known != nodes_.end())
    return known->second;
  auto row = from_.attempt(attempt);
  if (!row)
    return row.error();
  return nodes_.emplace(attempt, *row ? (*row)->node : std::string{}).first->second;
}

expected<std::set<std::string>> trial_folder::written_failures() {
  auto state = state_of_lines(*where_, failures_name, most_failure_bytes);
  if (!state)
    return state.error();
  std::set<std::string> result;
  // It is unknown which part of the file is torn, so rewrite all of it.
  if (state->is_torn()) {
    if (auto again = rewrite_failures(); !again)
      return again.error();
  }
  // Collect the headings in the file: "=== attempt 1.4: ".
  constexpr std::size_t longest = 64;
  std::string line;
  auto read = for_parts(*where_, failures_name, [&](std::string_view part) {
    for (char c : part) {
      if (c == '\n') {
        result.insert(line.substr(0, line.find(": ") + 2));
        line.clear();
      } else if (line.size() < longest) {
        line += c;
      }
    }
    return true;
  });
  if (!read)
    return read.error();
  return result;
}

expected<void> trial_folder::rewrite_failures() {
  auto failed = from_.failures(trial_);
  if (!failed)
    return failed.error();
  auto file = replacement::begin(*where_, failures_name);
  if (!file)
    return file.error();
  for (const auto& x : *failed)
    append_failure(file->text, {trial_, x.attempt, x.how, x.detail, x.exit_status});
  return file->finish();
}

expected<void> trial_folder::write_failures(const std::vector<on::ended>& failures, bool check) {
  if (failures.empty())
    return {};
  std::set<std::string> written;
  if (check) {
    auto found = written_failures();
    if (!found)
      return found.error();
    written = std::move(*found);
  }
  std::string text;
  for (const auto& what : failures) {
    if (!written.contains(heading(what.attempt)))
      append_failure(text, what);
  }
  return append(failures_name, text);
}

} // namespace tune
