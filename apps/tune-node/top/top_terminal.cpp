// SPDX-License-Identifier: BSD-3-Clause
#include "top/top_terminal.hpp"

#include "console/text.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

namespace tune::cli {

namespace {

/// Pairs of colours.
enum pair_number : short { good_pair = 1, warning_pair, bad_pair, accent_pair };

void begin_colors() {
  ::start_color();
  ::use_default_colors();
  ::init_pair(good_pair, COLOR_GREEN, -1);
  ::init_pair(warning_pair, COLOR_YELLOW, -1);
  ::init_pair(bad_pair, COLOR_RED, -1);
  ::init_pair(accent_pair, COLOR_CYAN, -1);
}

attr_t attributes_of(tint x, bool has_color) {
  auto colored = [&](short number, attr_t otherwise) {
    return has_color ? static_cast<attr_t>(COLOR_PAIR(number)) : otherwise;
  };
  switch (x) {
    case tint::strong:
      return A_BOLD;
    case tint::faint:
      return A_DIM;
    case tint::good:
      return colored(good_pair, A_NORMAL);
    case tint::warning:
      return colored(warning_pair, A_BOLD);
    case tint::bad:
      return colored(bad_pair, A_BOLD);
    case tint::accent:
      return colored(accent_pair, A_NORMAL);
    case tint::plain:
      break;
  }
  return A_NORMAL;
}

/// The tint that our own colour sequence at the beginning of a text stands for, and its length.
std::pair<tint, std::size_t> sequence_in(std::string_view text) {
  const style own{true};
  for (auto x : {tint::strong, tint::faint, tint::good, tint::warning, tint::bad, tint::accent}) {
    const auto painted = own.paint(x, "x");
    const auto length = painted.find('m') + 1;
    if (text.starts_with(std::string_view{painted}.substr(0, length)))
      return {x, length};
  }
  const auto end = text.find('m');
  return {tint::plain, end == text.npos ? text.size() : end + 1};
}

std::optional<top_key::kind> kind_of(int code) {
  using enum top_key::kind;
  switch (code) {
    case KEY_UP:
      return up;
    case KEY_DOWN:
      return down;
    case KEY_LEFT:
      return left;
    case KEY_RIGHT:
      return right;
    case KEY_PPAGE:
      return page_up;
    case KEY_NPAGE:
      return page_down;
    case KEY_HOME:
      return home;
    case KEY_END:
      return end;
    case KEY_ENTER:
      return enter;
    case KEY_BACKSPACE:
      return backspace;
    default:
      return std::nullopt;
  }
}

/// A character in UTF-8.
std::string utf8_of(wint_t x) {
  std::array<char, 8> bytes{};
  std::mbstate_t state{};
  const auto size = std::wcrtomb(bytes.data(), static_cast<wchar_t>(x), &state);
  return size == static_cast<std::size_t>(-1) ? std::string{} : std::string{bytes.data(), size};
}

std::optional<top_key> key_of_character(wint_t x) {
  using enum top_key::kind;
  if (x == '\n' || x == '\r')
    return top_key{enter};
  if (x == '\t')
    return top_key{tab};
  if (x == 27)
    return top_key{escape};
  if (x == 127 || x == 8)
    return top_key{backspace};
  if (x < 32)
    return std::nullopt;
  return top_key{text, utf8_of(x)};
}

/// Arrow keys as terminals send them that do not heed the mode of the keypad.
void know_plain_arrows() {
  constexpr std::array<std::pair<const char*, int>, 6> keys{{{"\x1b[A", KEY_UP},
                                                             {"\x1b[B", KEY_DOWN},
                                                             {"\x1b[C", KEY_RIGHT},
                                                             {"\x1b[D", KEY_LEFT},
                                                             {"\x1b[H", KEY_HOME},
                                                             {"\x1b[F", KEY_END}}};
  for (const auto& [text, code] : keys) {
    if (::key_defined(text) == 0)
      ::define_key(text, code);
  }
}

} // namespace

class top_terminal::impl {
public:
  impl(SCREEN* screen, bool has_color) : screen_{screen}, has_color_{has_color} {
    if (has_color_)
      begin_colors();
    ::cbreak();
    ::noecho();
    ::nonl();
    ::keypad(::stdscr, TRUE);
    know_plain_arrows();
    ::set_escdelay(50);
    ::curs_set(0);
  }
  ~impl() {
    ::curs_set(1);
    ::endwin();
    ::delscreen(screen_);
  }
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;

  void draw(std::span<const top_line> lines) {
    ::erase();
    for (std::size_t i = 0; i < lines.size(); ++i)
      draw_line(static_cast<int>(i), lines[i]);
    ::refresh();
  }

  std::optional<top_key> key(std::chrono::milliseconds patience) {
    ::timeout(static_cast<int>(patience.count()));
    wint_t code = 0;
    const auto what = ::get_wch(&code);
    if (what == OK)
      return key_of_character(code);
    const auto kind = what == KEY_CODE_YES ? kind_of(static_cast<int>(code)) : std::nullopt;
    return kind ? std::optional{top_key{*kind}} : std::nullopt;
  }

private:
  SCREEN* screen_;
  bool has_color_;

  void draw_line(int row, const top_line& line) {
    ::move(row, 0);
    const auto around = line.is_reversed ? A_REVERSE : A_NORMAL;
    ::attrset(static_cast<int>(around));
    std::string_view rest = line.text;
    while (!rest.empty()) {
      const auto plain = rest.substr(0, rest.find('\x1b'));
      ::addnstr(plain.data(), static_cast<int>(plain.size()));
      rest.remove_prefix(plain.size());
      if (rest.empty())
        break;
      const auto [x, length] = sequence_in(rest);
      ::attrset(static_cast<int>(attributes_of(x, has_color_) | around));
      rest.remove_prefix(length);
    }
    ::attrset(static_cast<int>(around));
    // The rest of the line, too.
    for (auto column = getcurx(::stdscr); line.is_reversed && column < getmaxx(::stdscr); ++column)
      ::addch(' ');
    ::attrset(A_NORMAL);
  }
};

top_terminal::top_terminal(std::unique_ptr<impl> parts) : impl_{std::move(parts)} {}
top_terminal::~top_terminal() = default;

expected<std::unique_ptr<top_terminal>> top_terminal::open(bool has_color) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1)
    return error{ec::unreadable, "it needs a terminal; status, trials and plot do without"};
  const auto can_place = can_redraw(terminal_environment::of_process(), true);
  auto* screen = can_place ? ::newterm(nullptr, stdout, stdin) : nullptr;
  if (screen == nullptr) {
    const auto* name = std::getenv("TERM");
    return error{ec::unreadable,
                 "the terminal (TERM=" + printable(name == nullptr ? "" : name)
                     + ") is not one that can be drawn on; status, trials and plot do without"};
  }
  ::set_term(screen);
  auto parts = std::make_unique<impl>(screen, has_color && ::has_colors());
  return std::unique_ptr<top_terminal>{new top_terminal{std::move(parts)}};
}

terminal_size top_terminal::size() const {
  return {static_cast<std::size_t>(getmaxx(::stdscr)), static_cast<std::size_t>(getmaxy(::stdscr))};
}

void top_terminal::draw(std::span<const top_line> lines) {
  impl_->draw(lines);
}

std::optional<top_key> top_terminal::key(std::chrono::milliseconds patience) {
  return impl_->key(patience);
}

} // namespace tune::cli
