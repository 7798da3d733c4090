// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/ini_text.hpp"

#include "tune/core/plugin/options.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace tune {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view x) {
  auto first = x.find_first_not_of(blanks);
  if (first == x.npos)
    return {};
  return x.substr(first, x.find_last_not_of(blanks) - first + 1);
}

/// Length of the well-formed UTF-8 character that `x` begins with; 0 if it does not.
std::size_t utf8_length(std::string_view x) {
  auto lead = static_cast<unsigned char>(x[0]);
  if (lead < 0x80)
    return 1;
  std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || x.size() < length)
    return 0;
  auto second = static_cast<unsigned char>(x[1]);
  auto overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  auto outside = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  if (overlong || outside)
    return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(x[i]) & 0xC0) != 0x80)
      return 0;
  }
  return length;
}

std::string hex_byte(unsigned char x) {
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string{"0x"} + digits[x >> 4] + digits[x & 15];
}

/// Why these bytes cannot be a line of text; empty if they can. @param of Name of their source for
/// the error text.
std::string bad_bytes(std::string_view line, const std::string& of) {
  for (std::size_t i = 0; i < line.size();) {
    auto byte = static_cast<unsigned char>(line[i]);
    auto column = " in column " + std::to_string(i + 1);
    if (byte == 0)
      return "NUL byte" + column + "; " + of + " must be UTF-8 text";
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f)
      return "control character " + hex_byte(byte) + column;
    auto length = utf8_length(line.substr(i));
    if (length == 0)
      return "byte " + hex_byte(byte) + column + " is not UTF-8, which " + of + " must be";
    i += length;
  }
  return {};
}

/// Removes the comment and unescapes `\#`. @returns whether there was a comment.
bool strip_comment(std::string_view line, std::string& into) {
  into.clear();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '#')
      into += line[++i];
    else if (line[i] == '#')
      return true;
    else
      into += line[i];
  }
  return false;
}

/// The scan of one file, line by line.
class scanner {
public:
  scanner(const std::string& file, const std::vector<std::string>& known, config_faults& faults)
      : file_{file}, known_{known}, faults_{faults} {}

  void line(std::string_view raw) {
    ++number_;
    if (!raw.empty() && raw.back() == '\r')
      raw.remove_suffix(1);
    if (auto why = bad_bytes(raw, "the file"); !why.empty())
      return refuse("", why);
    std::string text;
    auto cut = strip_comment(raw, text);
    auto rest = trimmed(text);
    if (rest.empty())
      return;
    if (rest[0] == ';')
      return refuse("", "';' does not start a comment; use '#'");
    if (rest[0] == '[')
      return header(rest);
    entry(rest, cut);
  }

  ini_text take() { return std::move(result_); }

private:
  void refuse(std::string key, std::string message) {
    auto section = in_section_ ? section_ : std::string{};
    faults_.add({here(), std::move(section), std::move(key), std::move(message)});
  }

  config_origin here() const { return {config_origin::source::file, file_, number_}; }

  void header(std::string_view text) {
    in_section_ = false;
    skipping_ = true;
    auto close = text.find(']');
    if (close == text.npos)
      return refuse("", "\"" + std::string{text} + "\": the section's ']' is missing");
    section_ = trimmed(text.substr(1, close - 1));
    if (close + 1 != text.size())
      return refuse("", "\"" + std::string{text}
                            + "\": nothing may follow the section's ']'; "
                              "write each key on a line of its own");
    if (std::find(known_.begin(), known_.end(), section_) == known_.end())
      return refuse("", "unknown section [" + section_ + "]" + section_advice());
    in_section_ = true;
    skipping_ = false;
    result_.sections.emplace(section_, number_);
  }

  std::string section_advice() const {
    if (auto near = nearest_name(section_, known_); !near.empty())
      return "; did you mean [" + near + "]?";
    std::string all;
    for (const auto& x : known_)
      all += (all.empty() ? "" : ", ") + x;
    return "; known: " + all;
  }

  void entry(std::string_view text, bool cut) {
    if (skipping_)
      return;
    auto equals = text.find('=');
    auto key = trimmed(text.substr(0, equals));
    if (equals == text.npos)
      return refuse(std::string{key}, "\"" + std::string{key}
                                          + "\": '=' is missing; a line is "
                                            "[section] or key = value");
    if (key.empty())
      return refuse("", "the key before '=' is missing");
    if (!in_section_)
      return refuse(std::string{key}, "\"" + std::string{key} + "\" stands before any [section]");
    if (key.find_first_of(blanks) != key.npos)
      return refuse(std::string{key}, "\"" + std::string{key} + "\": a key has no blanks");
    add(key, trimmed(text.substr(equals + 1)), cut);
  }

  void add(std::string_view key, std::string_view text, bool cut) {
    auto [i, fresh] = lines_.try_emplace({section_, std::string{key}}, number_);
    if (!fresh)
      return refuse(std::string{key}, "\"" + std::string{key} + "\" stands here and in line "
                                          + std::to_string(i->second) + "; keep one");
    result_.entries.push_back({section_, std::string{key}, std::string{text}, here(), cut});
  }

  const std::string& file_;
  const std::vector<std::string>& known_;
  config_faults& faults_;
  ini_text result_;
  std::size_t number_ = 0;
  std::string section_;
  bool in_section_ = false;
  /// True below a refused section header, whose keys would only cause further faults.
  bool skipping_ = false;
  std::map<std::pair<std::string, std::string>, std::size_t> lines_;
};

error unreadable(const std::filesystem::path& path, const std::string& why) {
  return {ec::unreadable, path.string() + ": " + why};
}

} // namespace

expected<std::string> read_ini_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return unreadable(path, "is a directory, not an INI file");
  errno = 0;
  std::ifstream in{path, std::ios::binary};
  if (!in)
    return unreadable(path, errno != 0 ? std::strerror(errno) : "cannot be opened");
  std::string result;
  std::array<char, 65536> chunk;
  while (in.read(chunk.data(), chunk.size()), in.gcount() > 0) {
    result.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (result.size() > most_ini_bytes)
      return error{ec::bad_option, path.string() + ": larger than "
                                       + std::to_string(most_ini_bytes / 1000000)
                                       + " MB, the most an INI file may have"};
  }
  if (in.bad())
    return unreadable(path, "cannot be read to its end");
  return result;
}

ini_text scan_ini(std::string_view text, const std::string& file,
                  const std::vector<std::string>& known_sections, config_faults& faults) {
  scanner scan{file, known_sections, faults};
  if (text.substr(0, byte_order_mark.size()) == byte_order_mark)
    text.remove_prefix(byte_order_mark.size());
  while (!text.empty() && !faults.full()) {
    auto end = text.find('\n');
    scan.line(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return scan.take();
}

void hold_to_lines(std::vector<ini_entry>& entries, config_faults& faults) {
  std::erase_if(entries, [&](ini_entry& x) {
    x.text = std::string{trimmed(x.text)};
    auto why = x.text.find('\n') == x.text.npos ? bad_bytes(x.text, "it")
                                                : "a value is one line, and has no line break";
    if (!why.empty())
      faults.add({x.origin, x.section, x.key, '"' + x.key + "\": " + why});
    return !why.empty();
  });
}

std::string ini_escaped(std::string_view text) {
  std::string result;
  for (auto c : text) {
    if (c == '#')
      result += '\\';
    result += c;
  }
  return result;
}

std::string hint_for(const ini_entry& x) {
  if (x.cut)
    return "; '#' starts a comment, write \\# for the character";
  if (x.text.find(" ;") != x.text.npos)
    return "; ';' does not start a comment, use '#'";
  return {};
}

} // namespace tune
