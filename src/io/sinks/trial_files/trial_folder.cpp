// SPDX-License-Identifier: BSD-3-Clause
#include "trial_folder.hpp"

#include "file_state.hpp"

#include "tune/io/sinks/trial_files/csv.hpp"

#include "../../store/posix.hpp"

#include "tune/io/json.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tune {

namespace {

using store::descriptor;
namespace fs = std::filesystem;

/// Written out whenever so much has come together.
constexpr std::size_t flush_at = 256 * 1024;

bool is_there(const fs::path& file) {
  return ::access(file.c_str(), F_OK) == 0;
}

expected<void> append(const fs::path& file, std::string_view text) {
  auto opened = store::open_file(file, O_WRONLY | O_CREAT | O_APPEND, "write");
  if (!opened)
    return opened.error();
  return store::write_all(*opened, file, text);
}

/// A file that takes the place of another when all of it is written.
class replacement {
public:
  static expected<replacement> begin(const fs::path& file) {
    auto beside = file;
    beside += ".new";
    auto opened = store::open_file(beside, O_WRONLY | O_CREAT | O_TRUNC, "create");
    if (!opened)
      return opened.error();
    return replacement{file, beside, std::move(*opened)};
  }

  std::string text;

  expected<void> flush(std::size_t above) {
    if (text.size() <= above)
      return {};
    auto written = store::write_all(to_, beside_, text);
    text.clear();
    return written;
  }

  expected<void> finish() {
    if (auto written = flush(0); !written)
      return written;
    if (std::rename(beside_.c_str(), file_.c_str()) != 0)
      return store::system_error(file_, "replace", errno);
    return {};
  }

private:
  fs::path file_, beside_;
  descriptor to_;

  replacement(fs::path file, fs::path beside, descriptor to)
      : file_{std::move(file)}, beside_{std::move(beside)}, to_{std::move(to)} {}
};

std::string heading(attempt_id attempt) {
  return "=== attempt " + to_text(attempt) + ": ";
}

/// The text is indented: nothing in it can look like a heading.
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

trial_folder::trial_folder(fs::path folder, trial_id trial, sequence before, store_reader& from)
    : folder_{std::move(folder)}, trial_{trial}, before_{before}, from_{from} {}

expected<void> trial_folder::write(const trial_news& news, bool check) {
  if (auto made = make(); !made)
    return made;
  if (auto written = write_parameters(check); !written)
    return written;
  if (auto written = write_results(news, check); !written)
    return written;
  return write_failures(news.failures, check);
}

expected<void> trial_folder::make() {
  if (::mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST)
    return store::system_error(folder_, "create the directory", errno);
  return {};
}

expected<void> trial_folder::write_parameters(bool check) {
  const auto file = folder_ / "params.json";
  if (!check && is_there(file))
    return {};
  auto row = from_.trial(trial_);
  if (!row)
    return row.error();
  // The row may follow its event by a transaction; the next news of the trial bring it.
  if (!*row)
    return {};
  const auto text = to_json((*row)->config) + "\n";
  auto is = state_of_text(file, text);
  if (!is)
    return is.error();
  return *is == text_state::other ? expected<void>{} : store::replace_file(file, text);
}

expected<void> trial_folder::write_results(const trial_news& news, bool check) {
  if (news.reports.empty() && (!check || !is_there(folder_ / "result.jsonl")))
    return {};
  if (check) {
    auto count = from_.count_results(trial_, before_);
    if (!count)
      return count.error();
    auto fine = is_as_expected(*count);
    if (!fine)
      return fine.error();
    if (!*fine) {
      ::unlink((folder_ / "progress.csv").c_str());
      if (auto written = rewrite_lines(); !written)
        return written;
    }
  }
  auto names = columns();
  if (!names)
    return names.error();
  bool grown = !is_there(folder_ / "progress.csv");
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
  if (auto written = append(folder_ / "result.jsonl", lines); !written)
    return written;
  return append(folder_ / "progress.csv", rows);
}

expected<bool> trial_folder::is_as_expected(std::uint64_t count) {
  auto lines = state_of_lines(folder_ / "result.jsonl");
  if (!lines)
    return lines.error();
  auto table = state_of_table(folder_ / "progress.csv");
  if (!table)
    return table.error();
  const auto records = count == 0 && table->count == 0 ? 0 : count + 1;
  return lines->count == count && !lines->is_torn() && table->count == records
         && !table->is_torn();
}

expected<result_columns> trial_folder::columns() {
  std::string head;
  std::optional<std::vector<std::string>> names;
  auto read = for_parts(folder_ / "progress.csv", [&](std::string_view part) {
    head += part;
    names = csv::first_record(head);
    return !names;
  });
  if (!read)
    return read.error();
  if (names)
    return result_columns{std::move(*names)};
  // Nothing, or not a whole line: it is written anew.
  ::unlink((folder_ / "progress.csv").c_str());
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
  auto file = replacement::begin(folder_ / "result.jsonl");
  if (!file)
    return file.error();
  auto written = for_earlier([&](const result_row& row) {
    append_result_line(file->text, *row.what, row.node);
    return file->flush(flush_at);
  });
  return written ? file->finish() : written;
}

expected<void> trial_folder::rewrite_table(const result_columns& columns) {
  auto file = replacement::begin(folder_ / "progress.csv");
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
  const auto file = folder_ / "error.txt";
  auto state = state_of_lines(file);
  if (!state)
    return state.error();
  std::set<std::string> result;
  // Which part of it is torn, nobody knows.
  if (state->is_torn()) {
    if (auto again = rewrite_failures(); !again)
      return again.error();
  }
  // Headings of what is there: "=== attempt 1.4: ".
  constexpr std::size_t longest = 64;
  std::string line;
  auto read = for_parts(file, [&](std::string_view part) {
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
  auto file = replacement::begin(folder_ / "error.txt");
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
  return append(folder_ / "error.txt", text);
}

} // namespace tune
