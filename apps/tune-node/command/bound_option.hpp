/// Options that are bound to the fields they set: one row says what an option is called, what it
/// means and where its value goes. A field that does not exist does not compile.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_table.hpp"
#include "command/option_reading.hpp"
#include "command/read_words.hpp"
#include "tune/core/error.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tune::cli {

/// An option of a command, and what it does to the command's request.
template <class Request>
struct bound_option {
  option_doc doc;
  /// @param given What was given for it, in order; a switch has an empty text for each time.
  /// @errors one line that says what is wrong.
  std::function<expected<void>(const words& given, Request& to)> read;
  /// What must be given for it: "HOST:PORT". Empty: it may be left out.
  std::string_view needed = {};
  /// It is of this process alone: lines for the user that repeat the command leave it out.
  bool is_of_process = false;

  [[nodiscard]] bool is_in(const read_result& x) const { return x.options.contains(doc.name); }
};

template <class Request>
using bound_options = std::vector<bound_option<Request>>;

/// A switch, which sets the field to `value`.
template <class Request>
bound_option<Request> bound(option_doc doc, bool Request::*field, bool value = true) {
  return {doc, [field, value](const words&, Request& to) -> expected<void> {
            to.*field = value;
            return {};
          }};
}

/// An option whose text is taken as it is.
template <class Request, class Text>
requires std::is_same_v<Text, std::string> || std::is_same_v<Text, std::optional<std::string>>
    bound_option<Request> bound(option_doc doc, Text Request::*field) {
  return {doc, [field](const words& given, Request& to) -> expected<void> {
            to.*field = given.back();
            return {};
          }};
}

/// An option whose text is read by `parse`, which returns `expected` of what the field takes.
template <class Request, class Field, class Parse>
bound_option<Request> bound(option_doc doc, Field Request::*field, Parse parse) {
  return {
      doc, [doc, field, parse](const words& given, Request& to) -> expected<void> {
        auto value = parse(given.back());
        if (!value)
          return error{ec::bad_syntax, "--" + std::string{doc.name} + ": " + value.error().detail};
        to.*field = std::move(*value);
        return {};
      }};
}

/// An option that is read by a function of its own, whose errors are told as they are.
template <class Request>
bound_option<Request> bound_with(option_doc doc,
                                 expected<void> (*read)(const std::string& text, Request& to)) {
  return {doc, [read](const words& given, Request& to) { return read(given.back(), to); }};
}

/// An option that may be given several times. @param check Checks each text.
template <class Request>
bound_option<Request> bound_all(option_doc doc, words Request::*field,
                                expected<void> (*check)(std::string_view) = nullptr) {
  doc.repeats = true;
  return {
      doc, [doc, field, check](const words& given, Request& to) -> expected<void> {
        for (const auto& text : given) {
          if (check == nullptr)
            break;
          if (auto fits = check(text); !fits)
            return error{ec::bad_syntax, "--" + std::string{doc.name} + ": " + fits.error().detail};
        }
        to.*field = given;
        return {};
      }};
}

/// An option with choices, which are the enumerators of the field in their order.
/// @param first The enumerator of the first choice.
template <class Request, class Field>
bound_option<Request> bound_choice(option_doc doc, Field Request::*field, int first = 0) {
  return {doc, [doc, field, first](const words& given, Request& to) -> expected<void> {
            using bare = std::remove_cvref_t<decltype(*std::optional{to.*field})>;
            const auto position = static_cast<int>(chosen<bare>(doc.choices, given.back()));
            to.*field = static_cast<bare>(first + position);
            return {};
          }};
}

/// An option that is a whole number. [least to most]
/// @param beyond What is wrong with a greater one, after the option's name: "is at most 5".
template <class Request, class Field>
bound_option<Request> bound_count(option_doc doc, Field Request::*field, std::int64_t least,
                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max(),
                                  std::string beyond = {}) {
  return {doc, [=](const words& given, Request& to) -> expected<void> {
            const auto name = "--" + std::string{doc.name};
            auto number = whole_number(given.back(), name, least);
            if (!number)
              return number.error();
            if (*number > most)
              return error{ec::bad_syntax, name + " " + beyond};
            using bare = std::remove_cvref_t<decltype(*std::optional{to.*field})>;
            to.*field = static_cast<bare>(*number);
            return {};
          }};
}

/// The option must be given. @param what Its value in the text that asks for it.
template <class Request>
bound_option<Request> needed(bound_option<Request> x, std::string_view what) {
  x.needed = what;
  return x;
}

/// See `bound_option::is_of_process`.
template <class Request>
bound_option<Request> of_process(bound_option<Request> x) {
  x.is_of_process = true;
  return x;
}

/// Options of a part of the request.
template <class Request, class Part>
bound_options<Request> within(Part Request::*part, const bound_options<Part>& all) {
  bound_options<Request> result;
  for (const auto& x : all)
    result.push_back(
        {x.doc,
         [part, read = x.read](const words& given, Request& to) { return read(given, to.*part); },
         x.needed, x.is_of_process});
  return result;
}

/// The rows of one table, then those of the next.
template <class Request>
bound_options<Request> joined(std::initializer_list<bound_options<Request>> parts) {
  bound_options<Request> result;
  for (const auto& x : parts)
    result.insert(result.end(), x.begin(), x.end());
  return result;
}

/// The rows as people read them.
template <class Request>
std::vector<option_doc> docs_of(const bound_options<Request>& all) {
  std::vector<option_doc> result;
  for (const auto& x : all)
    result.push_back(x.doc);
  return result;
}

/// Reads what was given for the options of a command, in the order of its table.
/// @errors a wrong command line.
template <class Request>
expected<void> read_options(const read_result& from, const bound_options<Request>& all, Request& to,
                            const command_doc& where) {
  for (const auto& x : all) {
    if (!x.needed.empty() && !x.is_in(from))
      return wrong(std::string{where.name} + " needs --" + std::string{x.doc.name} + " "
                       + std::string{x.needed},
                   &where);
  }
  for (const auto& x : all) {
    const auto given = from.options.find(x.doc.name);
    if (given == from.options.end())
      continue;
    if (auto done = x.read(given->second, to); !done)
      return wrong(done.error().detail, &where);
  }
  return {};
}

/// The options as they were given, in the order of their table, without those that are of this
/// process. A value that begins with a dash is joined to its option.
template <class Request>
words own_words(const read_result& from, const bound_options<Request>& all) {
  words result;
  for (const auto& x : all) {
    const auto given = from.options.find(x.doc.name);
    if (given != from.options.end() && !x.is_of_process)
      append_as_given(result, x.doc, given->second);
  }
  return result;
}

} // namespace tune::cli
