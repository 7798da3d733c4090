// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/json.hpp"

#include "non_finite.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace tune {

namespace {

constexpr std::string_view too_large_begins = "the number ";
constexpr std::string_view too_large_ends = " is too large";

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Length of the well-formed UTF-8 sequence at the beginning of `text`; 0 if there is none. `bad`
/// is then the number of bytes that one replacement character stands for (the longest ill-formed
/// prefix).
std::size_t utf8_length(std::string_view text, std::size_t& bad) {
  auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  auto lead = at(0);
  bad = 1;
  if (lead < 0x80)
    return 1;
  if (lead < 0xC2 || lead > 0xF4)
    return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte's range excludes overlong forms, surrogates and code points beyond U+10FFFF.
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || at(i) < (i == 1 ? low : 0x80u) || at(i) > (i == 1 ? high : 0xBFu))
      return 0;
    bad = i + 1;
  }
  return length;
}

void append_escaped(std::string& to, unsigned char c) {
  static constexpr std::string_view digits = "0123456789abcdef";
  switch (c) {
    case '"':
      to += "\\\"";
      break;
    case '\\':
      to += "\\\\";
      break;
    case '\n':
      to += "\\n";
      break;
    case '\r':
      to += "\\r";
      break;
    case '\t':
      to += "\\t";
      break;
    default:
      to += "\\u00";
      to += digits[c >> 4];
      to += digits[c & 15];
  }
}

template <class Number>
void append_number(std::string& to, Number x) {
  std::array<char, 32> buffer;
  auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  to.append(buffer.data(), end);
}

void append_double(std::string& to, double x) {
  if (std::isnan(x)) {
    to += "\"nan\"";
  } else if (std::isinf(x)) {
    to += x > 0 ? "\"inf\"" : "\"-inf\"";
  } else {
    const auto begin = to.size();
    append_number(to, x);
    if (to.find_first_of(".e", begin) == to.npos)
      to += ".0";
  }
}

struct writer {
  std::string& to;
  void operator()(std::monostate) const { to += "null"; }
  void operator()(bool x) const { to += x ? "true" : "false"; }
  void operator()(std::int64_t x) const { append_number(to, x); }
  void operator()(double x) const { append_double(to, x); }
  void operator()(const std::string& x) const { append_json_string(to, x); }
  void operator()(const value::list& xs) const {
    to += '[';
    for (const auto& x : xs) {
      if (&x != xs.data())
        to += ',';
      append_json(to, x);
    }
    to += ']';
  }
  void operator()(const object& xs) const { append_json(to, xs); }
};

/// Builds a value from the parser's callbacks, without recursion.
class builder {
public:
  using number_integer_t = std::int64_t;
  using number_unsigned_t = std::uint64_t;
  using number_float_t = double;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  builder(json_position where, const json_limits& limits) : where_{where}, limits_{limits} {}

  bool null() { return add({}); }
  bool boolean(bool x) { return add(x); }
  bool number_integer(std::int64_t x) { return add(x); }
  bool number_unsigned(std::uint64_t x) {
    if (x > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return add(static_cast<double>(x));
    return add(static_cast<std::int64_t>(x));
  }
  bool number_float(double x, const std::string&) { return add(x); }
  bool string(std::string& x) {
    if (where_ == json_position::metric) {
      if (auto number = non_finite(x))
        return add(*number);
    }
    return add(std::move(x));
  }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool key(std::string& x) {
    open_.back().key = std::move(x);
    return true;
  }
  bool end_object() {
    auto done = std::move(open_.back().entries);
    open_.pop_back();
    if (limits_.unique_names && has_doubles(done))
      return false;
    return add(object::of(std::move(done)));
  }
  bool end_array() {
    auto done = std::move(open_.back().items);
    open_.pop_back();
    return add(std::move(done));
  }
  template <class Error>
  bool parse_error(std::size_t position, const std::string& token, const Error& what) {
    if constexpr (std::is_same_v<Error, nlohmann::json::out_of_range>) {
      const auto where = place();
      why_ = error{ec::bad_syntax, std::string{too_large_begins} + token
                                       + (where.empty() ? "" : " of " + where) + " at byte "
                                       + std::to_string(position) + std::string{too_large_ends}};
      return false;
    }
    // The library's text starts with "[json.exception.parse_error.101] parse error at …: ".
    std::string_view text = what.what();
    if (auto colon = text.rfind(": "); colon != text.npos)
      text.remove_prefix(colon + 2);
    why_ = error{ec::bad_syntax,
                 "not JSON at byte " + std::to_string(position) + ": " + std::string{text}};
    return false;
  }

  [[nodiscard]] expected<value> result() && {
    if (why_)
      return *std::move(why_);
    return std::move(root_);
  }

private:
  struct frame {
    bool is_object = false;
    std::string key;
    std::vector<object::entry> entries;
    value::list items;
  };

  json_position where_;
  json_limits limits_;
  std::vector<frame> open_;
  value root_;
  std::optional<error> why_;

  /// The pointer to the value that is being read; empty where it is all of the text.
  [[nodiscard]] std::string place() const {
    std::string result;
    for (const auto& x : open_)
      result += "/" + (x.is_object ? x.key : std::to_string(x.items.size()));
    return result;
  }

  bool has_doubles(const std::vector<object::entry>& entries) {
    std::set<std::string_view> names;
    for (const auto& [name, ignored] : entries) {
      if (names.insert(name).second)
        continue;
      why_ = error{ec::bad_syntax, "\"" + name + "\" stands twice in one object"};
      return true;
    }
    return false;
  }

  bool open(bool is_object) {
    if (open_.size() >= limits_.depth) {
      why_ = error{ec::bad_option,
                   "JSON nested deeper than " + std::to_string(limits_.depth) + " levels"};
      return false;
    }
    open_.push_back({is_object, {}, {}, {}});
    return true;
  }

  bool add(value what) {
    if (open_.empty())
      root_ = std::move(what);
    else if (auto& top = open_.back(); top.is_object)
      top.entries.emplace_back(std::move(top.key), std::move(what));
    else
      top.items.push_back(std::move(what));
    return true;
  }
};

} // namespace

bool is_utf8(std::string_view text) {
  std::size_t bad = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto length = utf8_length(text.substr(i, 4), bad);
    if (length == 0)
      return false;
    i += length;
  }
  return true;
}

std::string mend_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 16);
  std::size_t bad = 0;
  while (!text.empty()) {
    const auto length = utf8_length(text.substr(0, 4), bad);
    result += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? bad : length);
  }
  return result;
}

void append_json_string(std::string& to, std::string_view text) {
  to += '"';
  std::size_t begin = 0;
  std::size_t i = 0;
  auto flush = [&] { to.append(text.data() + begin, i - begin); };
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
      ++i;
      continue;
    }
    std::size_t bad = 1;
    const auto length = utf8_length(text.substr(i, 4), bad);
    if (length > 1) {
      i += length;
      continue;
    }
    flush();
    if (length == 1)
      append_escaped(to, c);
    else
      to += replacement;
    i += bad;
    begin = i;
  }
  flush();
  to += '"';
}

void append_json(std::string& to, const value& what) {
  std::visit(writer{to}, what.content());
}

void append_json(std::string& to, const object& what) {
  to += '{';
  bool first = true;
  for (const auto& [name, x] : what) {
    if (!std::exchange(first, false))
      to += ',';
    append_json_string(to, name);
    to += ':';
    append_json(to, x);
  }
  to += '}';
}

std::string to_json(const value& what) {
  std::string result;
  append_json(result, what);
  return result;
}

std::string to_json(const object& what) {
  std::string result;
  append_json(result, what);
  return result;
}

expected<value> from_json(std::string_view text, json_position where, const json_limits& limits) {
  if (text.size() > limits.bytes)
    return error{ec::bad_option, "JSON text of " + std::to_string(text.size())
                                     + " bytes, more than the limit of "
                                     + std::to_string(limits.bytes)};
  std::string clean;
  if (!is_utf8(text)) {
    clean = mend_utf8(text);
    text = clean;
  }
  builder result{where, limits};
  nlohmann::json::sax_parse(text.begin(), text.end(), &result);
  return std::move(result).result();
}

bool has_too_large_number(const error& why) {
  return why.detail.starts_with(too_large_begins) && why.detail.ends_with(too_large_ends);
}

expected<object> object_from_json(std::string_view text, json_position where,
                                  const json_limits& limits) {
  auto read = from_json(text, where, limits);
  if (!read)
    return read.error();
  auto* result = read->as_object();
  if (result == nullptr)
    return error{ec::bad_syntax, "JSON value is not an object"};
  return std::move(*result);
}

} // namespace tune
