// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/event_codec.hpp"

#include "field_codec.hpp"

namespace tune {

namespace store {

namespace {

/// The names of all alternatives of `Variant`, from default-constructed values.
template <class Variant, std::size_t... I>
std::array<std::string_view, sizeof...(I)> names_of(std::index_sequence<I...>) {
  return {name_of(Variant{std::in_place_index<I>})...};
}

template <class Variant>
const auto& names() {
  static const auto all
      = names_of<Variant>(std::make_index_sequence<std::variant_size_v<Variant>>{});
  return all;
}

bool is_plain(const decision& x) {
  return x.actions.size() == 1 && x.actions[0].reason.empty()
         && std::holds_alternative<go_on>(x.actions[0].what);
}

} // namespace

void put(std::string& to, const action_body& x) {
  to += "{\"";
  to += name_of(x);
  to += "\":";
  std::visit([&](const auto& body) { put(to, body); }, x);
  to += '}';
}

bool get(const value& from, action_body& to, complaint& why) {
  return get_alternative(
      from, to, [](std::size_t i) { return names<action_body>()[i]; }, why);
}

void put(std::string& to, const proposal& x) {
  to += "{\"";
  to += proposal_names[x.index()];
  to += "\":";
  std::visit([&](const auto& body) { put(to, body); }, x);
  to += '}';
}

bool get(const value& from, proposal& to, complaint& why) {
  return get_alternative(
      from, to, [](std::size_t i) { return proposal_names[i]; }, why);
}

/// Most decisions are plain `go_on`, which has a short form: `[cause, trial]` or `[cause, trial,
/// until]`.
void put(std::string& to, const decision& x) {
  if (!is_plain(x)) {
    to += "{\"cause\":";
    put(to, x.cause);
    to += ",\"actions\":";
    put(to, x.actions);
    to += '}';
    return;
  }
  to += '[';
  put(to, x.cause);
  to += ',';
  put(to, x.actions[0].trial);
  if (auto until = std::get<go_on>(x.actions[0].what).until; until != 0) {
    to += ',';
    put(to, until);
  }
  to += ']';
}

bool get(const value& from, decision& to, complaint& why) {
  const auto* parts = from.as_list();
  if (parts == nullptr) {
    const auto* entries = from.as_object();
    if (entries == nullptr)
      return fail(why, "wants a list or an object");
    return get_member(*entries, "cause", to.cause, json_position::plain, why)
           && get_member(*entries, "actions", to.actions, json_position::plain, why);
  }
  if (parts->size() < 2 || parts->size() > 3)
    return fail(why, "wants [cause, trial] or [cause, trial, until]");
  go_on what;
  action only;
  if (!get((*parts)[0], to.cause, why) || !get((*parts)[1], only.trial, why)
      || (parts->size() == 3 && !get((*parts)[2], what.until, why)))
    return false;
  only.what = what;
  to.actions.assign(1, std::move(only));
  return true;
}

namespace {

void put_event(std::string& to, const on::reported& x) {
  if (x.what == nullptr)
    to += "{}";
  else
    put(to, *x.what);
}

template <has_fields T>
void put_event(std::string& to, const T& x) {
  put(to, x);
}

bool get_event(const value& from, on::reported& to, complaint& why) {
  if (from.as_object() != nullptr && from.as_object()->empty())
    return true;
  auto what = std::make_shared<report>();
  if (!get(from, *what, why))
    return false;
  to.what = std::move(what);
  return true;
}

template <has_fields T>
bool get_event(const value& from, T& to, complaint& why) {
  return get(from, to, why);
}

} // namespace

} // namespace store

void append_event_json(std::string& to, const event_body& what) {
  std::visit([&](const auto& body) { store::put_event(to, body); }, what);
}

expected<event_body> event_from_json(std::string_view kind, std::string_view text) {
  auto read = from_json(text, json_position::plain, store::limits);
  if (!read)
    return error{read.error().code, std::string{kind} + ": " + read.error().detail};
  event_body result;
  std::string why;
  bool known = false;
  auto one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    if (store::names<event_body>()[I] != kind)
      return false;
    known = true;
    return store::get_event(*read, result.emplace<I>(), why);
  };
  const bool done = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (false || ... || one(std::integral_constant<std::size_t, I>{}));
  }
  (std::make_index_sequence<std::variant_size_v<event_body>>{});
  if (!known)
    return error{ec::unknown_name, "unknown kind of event: " + std::string{kind}};
  if (!done)
    return error{ec::bad_syntax, std::string{kind} + ": " + why};
  return result;
}

} // namespace tune
