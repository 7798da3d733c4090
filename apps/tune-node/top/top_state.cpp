// SPDX-License-Identifier: BSD-3-Clause
#include "top/top_state.hpp"

#include "console/text.hpp"

#include <algorithm>

namespace tune::cli {

namespace {

/// Lines around list and panel: two of the experiment, the list's head, the panel's, the foot.
constexpr std::size_t fixed_lines = 5;
/// Longest filter or configuration that can be typed. [bytes]
constexpr std::size_t longest_typed = 1000;

using kind = top_key::kind;

/// Removes the last character, all bytes of it.
void shorten(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U)
    text.pop_back();
  if (!text.empty())
    text.pop_back();
}

/// Where a word ends: at a blank that is neither in double quotes nor in brackets.
std::size_t end_of_word(const std::string& text, std::size_t at) {
  std::size_t depth = 0;
  for (bool is_quoted = false; at < text.size(); ++at) {
    const auto c = text[at];
    if (is_quoted && c == '\\')
      ++at;
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && (c == '{' || c == '['))
      ++depth;
    else if (!is_quoted && (c == '}' || c == ']'))
      depth -= depth > 0 ? 1 : 0;
    else if (c == ' ' && !is_quoted && depth == 0)
      break;
  }
  return std::min(at, text.size());
}

/// NAME=VALUE, separated by blanks; nothing: it has another form.
std::optional<std::vector<named_text>> values_in(const std::string& text) {
  std::vector<named_text> result;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != text.npos;) {
    const auto end = end_of_word(text, at);
    const auto word = text.substr(at, end - at);
    const auto equals = word.find('=');
    if (equals == 0 || equals == word.npos)
      return std::nullopt;
    result.push_back({word.substr(0, equals), word.substr(equals + 1)});
    at = end;
  }
  return result.empty() ? std::nullopt : std::optional{std::move(result)};
}

} // namespace

void top_state::resize(terminal_size size) {
  size_ = {std::max<std::size_t>(20, size.columns), std::max<std::size_t>(8, size.rows)};
  if (auto row = chosen_row())
    choose(*row);
}

std::size_t top_state::panel_rows() const {
  const auto free = size_.rows - std::min(size_.rows, fixed_lines);
  return free < 8 ? 0 : free / 2;
}

std::size_t top_state::list_rows() const {
  return std::max<std::size_t>(1, size_.rows - fixed_lines - panel_rows());
}

std::optional<std::size_t> top_state::chosen_row() const {
  for (std::size_t i = 0; chosen_ && i < data_.rows.size(); ++i) {
    if (data_.rows[i].trial == *chosen_)
      return i;
  }
  return std::nullopt;
}

void top_state::choose(std::size_t row) {
  if (data_.rows.empty())
    return;
  row = std::min(row, data_.rows.size() - 1);
  chosen_ = data_.rows[row].trial;
  first_ = std::min(first_, row);
  if (row >= first_ + list_rows())
    first_ = row + 1 - list_rows();
}

void top_state::move(std::int64_t rows) {
  const auto from = static_cast<std::int64_t>(chosen_row().value_or(0));
  const auto last = static_cast<std::int64_t>(data_.rows.size()) - 1;
  choose(static_cast<std::size_t>(
      std::clamp<std::int64_t>(from + rows, 0, std::max<std::int64_t>(0, last))));
}

void top_state::turn_panel(std::int64_t by) {
  constexpr auto count = static_cast<std::int64_t>(top_panel_count);
  const auto next = (static_cast<std::int64_t>(wish_.panel) + by + count) % count;
  wish_.panel = static_cast<top_panel>(next);
}

void top_state::take(top_data data) {
  const auto row = chosen_row();
  data_ = std::move(data);
  if (const auto now = chosen_row())
    choose(*now);
  else
    choose(row.value_or(0));
  first_ = std::min(first_, data_.rows.empty() ? 0 : data_.rows.size() - 1);
}

top_wish top_state::wish() const {
  auto result = wish_;
  result.trial = chosen_;
  result.columns = size_.columns;
  result.lines = panel_rows();
  return result;
}

std::optional<client_command> top_state::take_order() {
  return std::exchange(ordered_, std::nullopt);
}

void top_state::press(const top_key& key) {
  switch (mode_) {
    case mode::list:
      return press_in_list(key);
    case mode::help:
      mode_ = mode::list;
      return;
    case mode::filter:
    case mode::config:
      return press_while_typing(key);
    case mode::confirm:
      break;
  }
  mode_ = mode::list;
  if (key.what == kind::text && (key.text == "y" || key.text == "Y")) {
    ordered_ = std::move(asked_);
    message_ = "asking …";
  } else {
    message_ = "nothing was changed";
  }
  asked_.reset();
}

void top_state::press_in_list(const top_key& key) {
  message_.clear();
  const auto page = static_cast<std::int64_t>(list_rows());
  switch (key.what) {
    case kind::up:
      return move(-1);
    case kind::down:
      return move(1);
    case kind::page_up:
      return move(-page);
    case kind::page_down:
      return move(page);
    case kind::home:
      return choose(0);
    case kind::end:
      return choose(data_.rows.size());
    case kind::left:
      return turn_panel(-1);
    case kind::right:
    case kind::tab:
      return turn_panel(1);
    case kind::enter:
      wish_.panel = top_panel::trial;
      return;
    case kind::escape:
      wish_.filter.clear();
      return;
    case kind::backspace:
      return;
    case kind::text:
      break;
  }
  if (key.text.size() == 1)
    press_letter(key.text.front());
}

void top_state::press_letter(char letter) {
  using op = control_request::op;
  switch (letter) {
    case 'q':
      is_over_ = true;
      return;
    case '?':
    case 'h':
      mode_ = mode::help;
      return;
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    case 's':
      wish_.order
          = static_cast<top_order>((static_cast<std::size_t>(wish_.order) + 1) % top_order_count);
      return;
    case 'r':
      wish_.reversed = !wish_.reversed;
      return;
    case '/':
      mode_ = mode::filter;
      typed_ = wish_.filter;
      return;
    case 'x':
      return ask(op::stop, true);
    case 'p':
      return ask(op::pause, true);
    case 'u':
      return ask(op::unpause, true);
    case 'X':
      return ask(op::stop, false);
    case 'P':
      return ask(op::pause, false);
    case 'U':
      return ask(op::unpause, false);
    case 'a':
      if (!data_.live)
        return ask(op::add, false);
      mode_ = mode::config;
      typed_.clear();
      return;
    default:
      return;
  }
}

void top_state::press_while_typing(const top_key& key) {
  if (key.what == kind::enter)
    return end_typing();
  if (key.what == kind::escape) {
    mode_ = mode::list;
    typed_.clear();
  } else if (key.what == kind::backspace) {
    shorten(typed_);
  } else if (key.what == kind::text && typed_.size() + key.text.size() <= longest_typed) {
    typed_ += key.text;
  }
}

void top_state::end_typing() {
  const auto was = std::exchange(mode_, mode::list);
  const auto text = std::exchange(typed_, {});
  if (was == mode::filter) {
    wish_.filter = text;
    return;
  }
  auto values = values_in(text);
  if (!values) {
    message_ = text.empty() ? "nothing was added" : "a configuration is NAME=VALUE NAME=VALUE …";
    return;
  }
  client_command order;
  order.what = control_request::op::add;
  order.values = std::move(*values);
  asked_ = std::move(order);
  mode_ = mode::confirm;
}

void top_state::ask(control_request::op what, bool of_trial) {
  if (!data_.live) {
    message_ = "nobody runs this experiment: nothing can be changed";
    return;
  }
  if (of_trial && !chosen_row()) {
    message_ = "no trial is chosen";
    return;
  }
  client_command order;
  order.what = what;
  if (of_trial)
    order.trials = {*chosen_};
  asked_ = std::move(order);
  mode_ = mode::confirm;
}

std::string top_state::question() const {
  if (!asked_)
    return {};
  if (asked_->what == control_request::op::add) {
    std::string values;
    for (const auto& x : asked_->values)
      values += " " + x.name + "=" + x.text;
    return "Add a trial with" + values + "? y/n";
  }
  std::string verb{to_text(asked_->what)};
  verb.front() = static_cast<char>(verb.front() - 'a' + 'A');
  return asked_->trials.empty() ? verb + " all of " + data_.name + "? y/n"
                                : verb + " trial " + to_text(asked_->trials.front()) + "? y/n";
}

} // namespace tune::cli
