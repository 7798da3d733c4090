// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/script_companions.hpp"

#include "tune/core/text.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 10'000;
/// Longest part of a script that is scanned. [bytes]
constexpr std::size_t longest_script = 4 * 1024 * 1024;

enum class language { python, shell, other };

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

std::string script_text(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::string result(longest_script, '\0');
  in.read(result.data(), static_cast<std::streamsize>(result.size()));
  result.resize(static_cast<std::size_t>(in.gcount()));
  return result;
}

language language_of(const fs::path& file, std::string_view text) {
  const auto ending = file.extension();
  if (ending == ".py")
    return language::python;
  if (ending == ".sh" || ending == ".bash")
    return language::shell;
  const auto first = text.substr(0, text.find('\n'));
  if (!first.starts_with("#!"))
    return language::other;
  if (first.find("python") != first.npos)
    return language::python;
  return first.find("sh") != first.npos ? language::shell : language::other;
}

/// Splits at a character and trims the parts.
std::vector<std::string_view> parts_of(std::string_view text, char border) {
  std::vector<std::string_view> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(border, begin), text.size());
    result.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return result;
}

/// The first part of a module's dotted name; empty if the text does not begin with one.
std::string_view top_name(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_name_char);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// Checks whether a statement begins with the word. @returns the text after it.
std::optional<std::string_view> after_word(std::string_view statement, std::string_view word) {
  if (!statement.starts_with(word) || statement.size() == word.size()
      || !is_blank(statement[word.size()]))
    return std::nullopt;
  return trimmed(statement.substr(word.size()));
}

/// Follows references from file to file.
class finder {
public:
  explicit finder(const fs::path& script) : script_{script}, base_{script.parent_path()} {
    std::error_code failed;
    real_base_ = fs::canonical(base_, failed);
    look_into(script);
  }

  std::vector<fs::path> found() && {
    found_.erase(script_);
    return {found_.begin(), found_.end()};
  }

private:
  fs::path script_;
  fs::path base_;
  fs::path real_base_;
  std::set<fs::path> found_;
  std::set<fs::path> read_;

  void look_into(const fs::path& file) {
    if (!read_.insert(file).second)
      return;
    const auto text = script_text(file);
    const auto what = language_of(file, text);
    if (what == language::python)
      for (auto line : parts_of(text, '\n'))
        look_at_python(line);
    else if (what == language::shell)
      for (auto line : parts_of(text, '\n'))
        look_at_shell(line);
  }

  void look_at_python(std::string_view line) {
    for (auto statement : parts_of(line, ';')) {
      if (auto names = after_word(statement, "import"))
        for (auto name : parts_of(*names, ','))
          take_module(top_name(name));
      else if (auto from = after_word(statement, "from"))
        take_module(top_name(*from));
    }
  }

  void take_module(std::string_view name) {
    if (name.empty() || found_.size() >= most_files)
      return;
    const auto place = base_ / name;
    const fs::path file{place.string() + ".py"};
    if (take(file))
      look_into(file);
    else if (std::error_code failed; fs::is_directory(place, failed))
      take_package(place);
    else
      take_compiled(std::string{name} + '.');
  }

  /// A package with `__init__.py` may read data files and is taken whole; from any other directory
  /// only modules are taken.
  void take_package(const fs::path& place) {
    std::error_code failed;
    const auto is_whole = fs::is_regular_file(place / "__init__.py", failed);
    if (!read_.insert(place).second)
      return;
    for (fs::recursive_directory_iterator i{place, failed}; !failed && i != end(i);
         i.increment(failed)) {
      const auto name = i->path().filename().string();
      if (name.starts_with('.') || name == "__pycache__") {
        i.disable_recursion_pending();
        continue;
      }
      const auto is_module = i->path().extension() == ".py";
      if ((is_whole || is_module) && take(i->path()) && is_module)
        look_into(i->path());
    }
  }

  /// Takes compiled modules such as "fast.cpython-311-x86_64-linux-gnu.so".
  void take_compiled(const std::string& begin) {
    std::error_code failed;
    for (fs::directory_iterator i{base_, failed}; !failed && i != end(i); i.increment(failed)) {
      if (i->path().filename().string().starts_with(begin) && i->path().extension() == ".so")
        take(i->path());
    }
  }

  void look_at_shell(std::string_view line) {
    if (line.starts_with('#'))
      return;
    for (auto at = line.find('/'); at != line.npos; at = line.find('/', at + 1)) {
      if (!ends_in_expansion(line.substr(0, at)))
        continue;
      auto rest = line.substr(at + 1);
      const auto end = std::find_if_not(rest.begin(), rest.end(), [](char c) {
        return is_name_char(c) || c == '.' || c == '-' || c == '/';
      });
      const fs::path way{rest.substr(0, static_cast<std::size_t>(end - rest.begin()))};
      const auto file = (base_ / way).lexically_normal();
      if (!way.empty() && std::find(way.begin(), way.end(), "..") == way.end() && take(file))
        look_into(file);
    }
  }

  /// Whether the text ends in `$(dirname "$0")`, `${0%/*}` or `$here`, possibly in quotes.
  static bool ends_in_expansion(std::string_view text) {
    while (text.ends_with('"') || text.ends_with('\''))
      text.remove_suffix(1);
    if (text.ends_with(')') || text.ends_with('}'))
      return true;
    auto length = text.size();
    while (length > 0 && is_name_char(text[length - 1]))
      --length;
    return length > 0 && length < text.size() && text[length - 1] == '$';
  }

  /// @returns whether the file can be taken along.
  bool take(const fs::path& file) {
    std::error_code failed;
    if (!fs::is_regular_file(file, failed) || found_.size() >= most_files)
      return false;
    const auto real = fs::canonical(file, failed).lexically_relative(real_base_);
    if (failed || real.empty() || *real.begin() == "..")
      return false;
    found_.insert(file);
    return true;
  }
};

} // namespace

std::vector<fs::path> companions_of(const fs::path& script) {
  return finder{script}.found();
}

} // namespace tune
