// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/router.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace tune::http {

namespace {

using segments = std::vector<std::string>;

segments segments_of(std::string_view pattern) {
  segments result;
  while (!pattern.empty()) {
    const auto end = std::min(pattern.find('/'), pattern.size());
    if (end > 0)
      result.emplace_back(pattern.substr(0, end));
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  return result;
}

bool is_name(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

bool is_rest(std::string_view segment) {
  return is_name(segment) && segment.ends_with("...}");
}

/// What a pattern calls the segments of a path; nothing if it does not fit.
std::optional<std::map<std::string, std::string>> names_in(const segments& pattern,
                                                           const segments& path) {
  std::map<std::string, std::string> result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (i >= path.size())
      return std::nullopt;
    const auto& part = pattern[i];
    if (is_rest(part)) {
      std::string rest;
      for (auto at = i; at < path.size(); ++at)
        rest.append(at == i ? "" : "/").append(path[at]);
      result[part.substr(1, part.size() - 5)] = std::move(rest);
      return result;
    }
    if (is_name(part))
      result[part.substr(1, part.size() - 2)] = path[i];
    else if (part != path[i])
      return std::nullopt;
  }
  return pattern.size() == path.size() ? std::optional{std::move(result)} : std::nullopt;
}

/// Whether the first pattern says more than the second, both of which fit the same path.
bool is_finer(const segments& a, const segments& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto rank = [](const std::string& x) { return is_rest(x) ? 2 : is_name(x) ? 1 : 0; };
    if (rank(a[i]) != rank(b[i]))
      return rank(a[i]) < rank(b[i]);
  }
  return a.size() > b.size();
}

/// Code points of UTF-8 text.
std::int64_t letters_of(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

expected<void> check_value(const parameter& what, const std::string& text) {
  using kind = parameter::kind;
  if (what.what == kind::text && letters_of(text) > what.most)
    return error{ec::bad_option,
                 what.name + " is longer than " + std::to_string(what.most) + " letters"};
  if (what.what == kind::flag && text != "true" && text != "false")
    return error{ec::bad_option, what.name + " is either true or false"};
  if (what.what == kind::choice
      && std::find(what.choices.begin(), what.choices.end(), text) == what.choices.end()) {
    std::string list;
    for (const auto& x : what.choices)
      list.append(list.empty() ? "" : ", ").append(x);
    return error{ec::bad_option, what.name + " is one of " + list};
  }
  if (what.what != kind::integer)
    return {};
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number < what.least || number > what.most)
    return error{ec::bad_option, what.name + " is a whole number from " + std::to_string(what.least)
                                     + " to " + std::to_string(what.most)};
  return {};
}

} // namespace

router::router(std::vector<route> routes) : routes_{std::move(routes)} {
  for (const auto& x : routes_)
    patterns_.push_back(segments_of(x.pattern));
}

route_answer router::find(method what, const std::vector<std::string>& path) const {
  const auto wanted = what == method::head ? method::get : what;
  std::optional<std::size_t> best;
  route_match match;
  std::string allowed;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    auto names = names_in(patterns_[i], path);
    if (!names)
      continue;
    const auto& x = routes_[i];
    if (x.what != wanted) {
      const std::string name{x.what == method::get ? "GET, HEAD" : to_text(x.what)};
      if (allowed.find(name) == std::string::npos)
        allowed.append(allowed.empty() ? "" : ", ").append(name);
    } else if (!best || is_finer(patterns_[i], patterns_[*best])) {
      best = i;
      match = {&x, std::move(*names)};
    }
  }
  if (best)
    return match;
  if (allowed.empty())
    return no_route{};
  return other_method{std::move(allowed)};
}

expected<void> check_query(const route& where, const query_map& query) {
  if (where.any_query)
    return {};
  for (const auto& [name, text] : query) {
    const auto known = std::find_if(where.query.begin(), where.query.end(),
                                    [&name = name](const auto& x) { return x.name == name; });
    if (known == where.query.end())
      return error{ec::unknown_name, "there is no such parameter here: " + name};
    if (query.count(name) > 1)
      return error{ec::bad_option, name + " is given twice"};
    if (auto fits = check_value(*known, text); !fits)
      return fits;
  }
  return {};
}

} // namespace tune::http
