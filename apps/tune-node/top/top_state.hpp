/// The full-screen view of an experiment as a value: keys and data go in, what is shown comes out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "console/status_block.hpp"
#include "console/style.hpp"
#include "top/top_data.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// A key that was pressed.
struct top_key {
  enum class kind : std::uint8_t {
    up,
    down,
    left,
    right,
    page_up,
    page_down,
    home,
    end,
    enter,
    escape,
    backspace,
    tab,
    /// Any other: `text` is its character.
    text
  };
  kind what = kind::text;
  std::string text = {};
};

/// A line of the screen.
struct top_line {
  /// In our own colours; printable.
  std::string text;
  /// Shown the other way round, over the whole width.
  bool is_reversed = false;
};

class top_state {
public:
  explicit top_state(std::string name) { data_.name = std::move(name); }

  void resize(terminal_size size);
  void press(const top_key& key);
  /// What was read. The chosen trial stays chosen, wherever it is now.
  void take(top_data data);
  /// What became of an order.
  void told(std::string text) { message_ = std::move(text); }

  /// What is to be read next.
  [[nodiscard]] top_wish wish() const;
  /// An order that was confirmed, once. Its directory is empty.
  [[nodiscard]] std::optional<client_command> take_order();
  [[nodiscard]] bool is_over() const { return is_over_; }

  /// As many lines as the screen has, none wider than it.
  [[nodiscard]] std::vector<top_line> lines(const style& colors) const;

private:
  /// Where keys go.
  enum class mode : std::uint8_t { list, help, filter, config, confirm };

  terminal_size size_;
  top_data data_;
  top_wish wish_;
  mode mode_ = mode::list;
  std::optional<trial_id> chosen_;
  /// The first row that is shown.
  std::size_t first_ = 0;
  /// What is being typed.
  std::string typed_;
  std::optional<client_command> asked_;
  std::optional<client_command> ordered_;
  std::string message_;
  bool is_over_ = false;

  [[nodiscard]] std::size_t list_rows() const;
  [[nodiscard]] std::size_t panel_rows() const;
  [[nodiscard]] std::optional<std::size_t> chosen_row() const;
  void move(std::int64_t rows);
  void choose(std::size_t row);
  void turn_panel(std::int64_t by);
  void press_in_list(const top_key& key);
  void press_letter(char letter);
  void press_while_typing(const top_key& key);
  void end_typing();
  void ask(control_request::op what, bool of_trial);
  [[nodiscard]] std::string question() const;
  [[nodiscard]] std::vector<top_line> list_lines(const style& colors) const;
  [[nodiscard]] std::vector<top_line> help_lines(const style& colors) const;
  [[nodiscard]] top_line foot(const style& colors) const;
};

} // namespace tune::cli
