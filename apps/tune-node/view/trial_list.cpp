// A page of trials, chosen and sorted by the summary in memory, then read from the record.
// SPDX-License-Identifier: BSD-3-Clause
#include "command/read_words.hpp"
#include "view/fields.hpp"
#include "view/parameters.hpp"
#include "view/trial_rows.hpp"

#include "tune/core/printable.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <sstream>

namespace tune::cli {

namespace {

/// Compares trials by an order; their numbers decide among equals.
class order_comparer {
public:
  order_comparer(const trial_table& trials, const trial_order& order)
      : trials_{trials}, order_{order} {
    if (order.by.what == trial_key::kind::column)
      column_ = trials.find(order.by.column);
  }

  [[nodiscard]] int compare(std::size_t x, std::size_t y) const {
    if (order_.by.what == trial_key::kind::column) {
      if (column_ == nullptr)
        return 0;
      if (column_->has_value(x) != column_->has_value(y))
        return column_->has_value(x) ? -1 : 1;
      return turned(column_->compare(x, y));
    }
    const auto a = number(x), b = number(y);
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) == std::isnan(b) ? 0 : std::isnan(b) ? -1 : 1;
    return turned(a < b ? -1 : a > b ? 1 : 0);
  }
  [[nodiscard]] bool operator()(std::size_t x, std::size_t y) const {
    const auto way = compare(x, y);
    return way != 0 ? way < 0 : x < y;
  }
  /// Whether a trial comes behind the place where a page begins.
  [[nodiscard]] bool is_behind(std::size_t place, const page_start& start) const {
    const auto way = against(place, start);
    return way != 0 ? way > 0 : start.trial < trials_.lines()[place].trial;
  }

private:
  const trial_table& trials_;
  const trial_order& order_;
  const column* column_ = nullptr;

  [[nodiscard]] int turned(int way) const { return order_.descending ? -way : way; }
  [[nodiscard]] double number(std::size_t place) const {
    return fixed_number(trials_.lines()[place], order_.by.what);
  }
  [[nodiscard]] int against(std::size_t place, const page_start& start) const {
    const auto is_column = order_.by.what == trial_key::kind::column;
    const auto cell = is_column && column_ != nullptr
                          ? column_->at(place)
                          : column::cell{is_column ? no_number : number(place), -1};
    const auto has_start = start.is_text || !std::isnan(start.number);
    const auto has_own = cell.text >= 0 || !std::isnan(cell.number);
    if (has_start != has_own)
      return has_own ? -1 : 1;
    if (!has_own)
      return 0;
    if (start.is_text != (cell.text >= 0))
      return turned(start.is_text ? -1 : 1);
    if (!start.is_text)
      return turned(cell.number < start.number ? -1 : cell.number > start.number ? 1 : 0);
    return turned(column_->text_of(cell).compare(start.text));
  }
};

/// What a list was asked for.
struct list_wish {
  trial_order order;
  std::vector<comparison> filter;
  std::vector<std::string> fields;
  std::size_t limit = 100;
  std::optional<page_start> start;
};

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream from{text};
  for (std::string word; std::getline(from, word, ',');) {
    if (!word.empty())
      result.push_back(word);
  }
  return result;
}

std::optional<page_start> start_from(const std::string& text) {
  auto list = cursor_from(text);
  if (!list || list->size() != 3)
    return std::nullopt;
  const auto* trial = (*list)[0].as_int();
  if (trial == nullptr || *trial < 0)
    return std::nullopt;
  page_start result{{static_cast<std::uint64_t>(*trial)}, no_number, {}, false};
  const auto& at = (*list)[1];
  // A text may look like an infinite number.
  result.is_text = (*list)[2] == value{true};
  if (result.is_text)
    result.text = to_text(at);
  else
    result.number = at.number().value_or(no_number);
  return result;
}

value start_value(const page_start& x) {
  return x.is_text ? value{x.text} : number_or_null(x.number);
}

/// Reads the parameters of a list.
std::variant<list_wish, view_fault> wish_in(const view_request& what) {
  query_reader query{what};
  list_wish result;
  result.limit = query.number("limit", 100, 1, 1000);
  result.fields = words_in(query.text("fields"));
  for (const auto& x : result.fields) {
    const auto& known = row_fields();
    if (std::find(known.begin(), known.end(), x) == known.end())
      return bad_query("fields: there is no '" + printable(x) + "'" + did_you_mean(x, known));
  }
  const auto scope = scope_from(query.one_of("scope", scope_names()));
  if (query.fault())
    return *query.fault();
  auto sort = query.text("sort");
  if (!sort.empty()) {
    result.order.descending = sort.front() == '-';
    auto key = parse_key(result.order.descending ? sort.substr(1) : sort, scope);
    if (!key || key->what == trial_key::kind::text)
      return bad_query("sort: " + (key ? "not by text" : to_text(key.error())));
    result.order.by = std::move(*key);
  }
  auto filter = parse_filter(query.text("filter"), scope);
  if (!filter)
    return bad_query(to_text(filter.error()));
  result.filter = std::move(*filter);
  if (auto status = query.text("status"); !status.empty())
    result.filter.push_back(
        {{trial_key::kind::status, {}}, comparison::op::same, status, no_number});
  if (auto cursor = query.text("cursor"); !cursor.empty()) {
    result.start = start_from(cursor);
    if (!result.start)
      return bad_query("cursor: is none of this list");
  }
  return result;
}

std::vector<column_name> columns_for(const list_wish& what) {
  std::vector<column_name> result;
  auto add = [&](const trial_key& x) {
    if (x.what == trial_key::kind::column)
      result.push_back(x.column);
  };
  add(what.order.by);
  for (const auto& x : what.filter)
    add(x.key);
  return result;
}

/// The names of the experiment's own parameters, or of the metrics by which it goes: of these
/// trials may get values yet.
std::vector<std::string> declared_names(const experiment_summary& in, column_name::kind what) {
  std::vector<std::string> result;
  if (what == column_name::kind::parameter)
    return parameter_names_in(in.start->parameters);
  for (const auto& x : in.start->by.objectives)
    result.push_back(x.metric);
  for (const auto& x : in.start->by.constraints)
    result.push_back(x.metric);
  return result;
}

bool is_known(const experiment_summary& in, const column_name& which) {
  const auto declared = declared_names(in, which.what);
  if (std::find(declared.begin(), declared.end(), which.name) != declared.end())
    return true;
  const auto* values = in.trials.find(which);
  auto has_told = false;
  for (std::size_t i = 0; i < in.trials.size(); ++i) {
    if (values != nullptr && values->has_value(i))
      return true;
    has_told = has_told || which.what == column_name::kind::parameter
               || in.trials.lines()[i].iterations > 0;
  }
  return !has_told;
}

/// The columns of a list of which no trial has a value, although some could.
std::vector<column_name> strange_columns(const experiment_summary& in, const list_wish& what) {
  auto result = columns_for(what);
  std::erase_if(result, [&](const column_name& x) { return is_known(in, x); });
  return result;
}

/// Refuses a column unless trials reported the metric at some time.
expected<std::optional<view_fault>> refusal_of(watched_experiment& from, const list_wish& what,
                                               const column_name& strange) {
  const auto is_parameter = strange.what == column_name::kind::parameter;
  auto in_last = strange;
  in_last.what = is_parameter ? strange.what : column_name::kind::last;
  auto seen = from.look({{in_last}, false});
  if (!seen)
    return seen.error();
  if (is_known(**seen, in_last))
    return std::optional<view_fault>{};
  const auto sorts
      = what.order.by.what == trial_key::kind::column && what.order.by.column == strange;
  return std::optional{bad_query(
      std::string{sorts ? "sort" : "filter"} + ": no trial has "
      + (is_parameter ? "the parameter " : "reported the metric ") + in_single_quotes(strange.name)
      + did_you_mean(strange.name, declared_names(**seen, strange.what)))};
}

/// For each place whether the texts of its row fit; empty if nothing is asked of them.
expected<std::optional<std::vector<bool>>> fitting_texts(watched_experiment& from,
                                                         const list_wish& what, std::size_t size) {
  std::vector<const comparison*> asked;
  for (const auto& x : what.filter) {
    if (x.key.what == trial_key::kind::text)
      asked.push_back(&x);
  }
  if (asked.empty())
    return std::optional<std::vector<bool>>{};
  std::vector<bool> result(size);
  auto read = from.with_reader([&](store_reader& reader) {
    return reader.scan_trials({0}, size, [&](const raw_trial& x) {
      if (x.trial.number >= size)
        return;
      std::string all;
      for (auto part : {x.origin, x.reason, x.error, x.config})
        all.append(part).append("\n");
      result[x.trial.number] = std::all_of(asked.begin(), asked.end(), [&](const comparison* each) {
        return fits(*each, no_number, &all);
      });
    });
  });
  if (!read)
    return read.error();
  return std::optional{std::move(result)};
}

/// The chosen trials with what is needed of each.
expected<value::list> rows_of(watched_experiment& from, const std::vector<trial_id>& which,
                              const std::vector<std::string>& fields) {
  return from.with_reader([&](store_reader& reader) -> expected<value::list> {
    auto rows = reader.listed_trials(which);
    if (!rows)
      return rows.error();
    value::list result;
    result.reserve(rows->size());
    for (auto& x : *rows)
      result.emplace_back(row_object(std::move(x.trial), x.node, fields));
    return result;
  });
}

/// A page of all trials in the order of their numbers: costs what it shows.
trial_page page_of_all(const trial_table& trials, bool descending,
                       const std::optional<page_start>& start, std::size_t limit) {
  const auto& lines = trials.lines();
  const auto is_below = [](const trial_line& x, trial_id y) { return x.trial < y; };
  trial_page result;
  result.total = lines.size();
  // The first place that is shown; descending, the one behind it.
  auto at = descending ? lines.size() : std::size_t{0};
  if (start) {
    const auto found = std::lower_bound(lines.begin(), lines.end(), start->trial, is_below);
    at = static_cast<std::size_t>(found - lines.begin());
    if (!descending && found != lines.end() && found->trial == start->trial)
      ++at;
  }
  const auto left = descending ? at : lines.size() - at;
  result.more = left > limit;
  for (std::size_t k = 0; k < std::min(left, limit); ++k)
    result.places.push_back(descending ? at - 1 - k : at + k);
  return result;
}

} // namespace

trial_page page_of(const trial_table& trials, const trial_order& order,
                   const std::vector<comparison>& filter, const std::vector<bool>* texts,
                   const std::optional<page_start>& start, std::size_t limit) {
  // The table has that order already: no more has to be sorted than is shown.
  const auto is_sorted = order.by.what == trial_key::kind::trial;
  if (is_sorted && filter.empty() && texts == nullptr)
    return page_of_all(trials, order.descending, start, limit);
  const order_comparer before{trials, order};
  const auto has_text = [&](std::size_t i) {
    const auto number = trials.lines()[i].trial.number;
    return number < texts->size() && (*texts)[number];
  };
  trial_page result;
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < trials.size(); ++k) {
    const auto i = is_sorted && order.descending ? trials.size() - 1 - k : k;
    auto keeps = texts == nullptr || has_text(i);
    for (auto x = filter.begin(); keeps && x != filter.end(); ++x)
      keeps = fits(*x, trials, i);
    result.total += keeps ? 1 : 0;
    const auto is_full = is_sorted && left.size() > limit;
    if (keeps && !is_full && (!start || before.is_behind(i, *start)))
      left.push_back(i);
  }
  const auto count = std::min(limit, left.size());
  const auto end = left.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(left.begin(), end, left.end(), before);
  result.more = count < left.size();
  left.resize(count);
  result.places = std::move(left);
  return result;
}

page_start start_behind(const trial_table& trials, const trial_order& order, std::size_t place) {
  const auto& line = trials.lines()[place];
  page_start result{line.trial, fixed_number(line, order.by.what), {}, false};
  if (order.by.what != trial_key::kind::column)
    return result;
  if (const auto* values = trials.find(order.by.column)) {
    const auto& cell = values->at(place);
    result.number = cell.number;
    result.is_text = cell.text >= 0;
    if (result.is_text)
      result.text = values->text_of(cell);
  }
  return result;
}

view_answer trial_list(watched_experiment& from, const view_request& what) {
  auto wish = wish_in(what);
  if (auto* fault = std::get_if<view_fault>(&wish))
    return *fault;
  const auto& list = std::get<list_wish>(wish);
  std::vector<trial_id> which;
  trial_page page;
  value next;
  std::vector<column_name> strange;
  {
    auto texts_size = std::size_t{0};
    if (auto first = from.look())
      texts_size = (*first)->trials.size();
    auto texts = fitting_texts(from, list, texts_size);
    auto seen = from.look({columns_for(list), false});
    if (!texts || !seen)
      return fault_of(texts ? seen.error() : texts.error());
    const auto& trials = (*seen)->trials;
    strange = strange_columns(**seen, list);
    page = page_of(trials, list.order, list.filter, *texts ? &**texts : nullptr, list.start,
                   list.limit);
    for (auto place : page.places)
      which.push_back(trials.lines()[place].trial);
    if (page.more) {
      const auto last = start_behind(trials, list.order, page.places.back());
      next = cursor_text({number_value(last.trial.number), start_value(last), last.is_text});
    }
  }
  for (const auto& x : strange) {
    auto refusal = refusal_of(from, list, x);
    if (!refusal || *refusal)
      return refusal ? **refusal : fault_of(refusal.error());
  }
  auto rows = rows_of(from, which, list.fields);
  if (!rows)
    return fault_of(rows.error());
  return value{object{{"trials", std::move(*rows)},
                      {"next_cursor", std::move(next)},
                      {"total", number_value(page.total)}}};
}

} // namespace tune::cli
