/// Writes each type of field as JSON and reads it back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scalar_codec.hpp"

#include "event_fields.hpp"
#include "exact_json.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune::store {

template <has_fields T>
void put(std::string& to, const T& x);
template <has_fields T>
bool get(const value& from, T& to, complaint& why);
void put(std::string& to, const action_body& x);
bool get(const value& from, action_body& to, complaint& why);
void put(std::string& to, const proposal& x);
bool get(const value& from, proposal& to, complaint& why);
void put(std::string& to, const decision& x);
bool get(const value& from, decision& to, complaint& why);

// --- containers ----------------------------------------------------------------------------

template <class T>
void put(std::string& to, const std::optional<T>& x) {
  if (x)
    put(to, *x);
  else
    to += "null";
}
template <class T>
bool get(const value& from, std::optional<T>& to, complaint& why) {
  if (from.is_null()) {
    to.reset();
    return true;
  }
  return get(from, to.emplace(), why);
}

template <class T>
void put(std::string& to, const std::vector<T>& xs) {
  to += '[';
  for (const auto& x : xs) {
    if (&x != xs.data())
      to += ',';
    put(to, x);
  }
  to += ']';
}
template <class T>
bool get(const value& from, std::vector<T>& to, complaint& why) {
  const auto* list = from.as_list();
  if (list == nullptr)
    return fail(why, "wants a list");
  to.resize(list->size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!get((*list)[i], to[i], why)) {
      why = "[" + std::to_string(i) + "] " + why;
      return false;
    }
  }
  return true;
}

inline void put(std::string& to, const std::map<std::string, amount>& xs) {
  char before = '{';
  for (const auto& [name, x] : xs) {
    to += std::exchange(before, ',');
    append_json_string(to, name);
    to += ':';
    put(to, x);
  }
  to += xs.empty() ? "{}" : "}";
}
inline bool get(const value& from, std::map<std::string, amount>& to, complaint& why) {
  const auto* entries = from.as_object();
  if (entries == nullptr)
    return fail(why, "wants an object");
  to.clear();
  for (const auto& [name, x] : *entries) {
    if (!get(x, to[name], why))
      return false;
  }
  return true;
}

// --- structures ----------------------------------------------------------------------------

inline const object* object_of(const object& x) {
  return &x;
}
inline const object* object_of(const config_ptr& x) {
  return x.get();
}

template <class M>
concept holds_object = std::is_same_v<M, object> || std::is_same_v<M, config_ptr>;

/// Whether an empty field is omitted, to keep the log small.
template <class M>
bool is_left_out(const M& x) {
  if constexpr (std::is_same_v<M, amount>)
    return x.units == 0;
  else if constexpr (std::is_same_v<M, object>)
    return x.empty();
  else if constexpr (std::is_same_v<M, placement_policy>)
    return x == placement_policy::pack;
  else if constexpr (std::is_same_v<M, opening>)
    return x == opening::at_once;
  else if constexpr (std::is_same_v<M, drafting>)
    return x == drafting::none;
  else
    return false;
}
template <class T>
bool is_left_out(const std::optional<T>& x) {
  return !x;
}
template <class T>
bool is_left_out(const std::vector<T>& x) {
  return x.empty();
}
inline bool is_left_out(const std::map<std::string, amount>& x) {
  return x.empty();
}

/// Whether the value is 0, false or null, which a missing field means, too.
template <class M>
bool is_zero(const M& x) {
  if constexpr (std::is_arithmetic_v<M> || std::is_same_v<M, config_ptr>)
    return x == M{};
  else
    return false;
}

template <class M>
void put_member(std::string& to, std::string_view name, const M& x, json_position where) {
  to += '"';
  to += name;
  to += "\":";
  if constexpr (holds_object<M>) {
    const auto* inner = object_of(x);
    if (inner == nullptr) {
      to += "null";
      return;
    }
    append_json(to, *inner);
    const auto end = to.size();
    to += ",\"";
    to += name;
    to += "#\":";
    const auto begin = to.size();
    append_exceptions(to, *inner, where);
    if (to.size() == begin)
      to.resize(end);
  } else {
    put(to, x);
  }
}

template <class M>
bool get_member(const object& from, std::string_view name, M& to, json_position where,
                complaint& why) {
  const auto* found = from.find(name);
  if (found == nullptr)
    return is_left_out(M{}) || fail(why, "is missing");
  if constexpr (holds_object<M>) {
    if (found->is_null() && std::is_same_v<M, config_ptr>)
      return true;
    if (found->as_object() == nullptr)
      return fail(why, "wants an object");
    const auto* exceptions = from.find(std::string{name} + '#');
    auto inner
        = restored(*found->as_object(), where, exceptions != nullptr ? *exceptions : value{});
    if constexpr (std::is_same_v<M, object>)
      to = std::move(inner);
    else
      to = std::make_shared<const object>(std::move(inner));
    return true;
  } else {
    return get(*found, to, why);
  }
}

template <has_fields T>
void put(std::string& to, const T& x) {
  char before = '{';
  auto one = [&](const auto& f) {
    const auto& member = x.*f.member;
    if (is_left_out(member) || (f.may_lack && is_zero(member)))
      return;
    to += std::exchange(before, ',');
    put_member(to, f.name, member, f.where);
  };
  std::apply([&](const auto&... f) { (one(f), ...); }, all_fields<T>());
  to += before == '{' ? "{}" : "}";
}

template <has_fields T>
bool get(const value& from, T& to, complaint& why) {
  const auto* entries = from.as_object();
  if (entries == nullptr)
    return fail(why, "wants an object");
  auto one = [&](const auto& f) {
    if (f.may_lack && entries->find(f.name) == nullptr)
      return true;
    if (get_member(*entries, f.name, to.*f.member, f.where, why))
      return true;
    why = std::string{f.name} + " " + why;
    return false;
  };
  return std::apply([&](const auto&... f) { return (true && ... && one(f)); }, all_fields<T>());
}

/// Reads `{"name": fields}`, where the name selects the alternative.
template <class Variant, class Name>
bool get_alternative(const value& from, Variant& to, Name name_at, complaint& why) {
  const auto* entries = from.as_object();
  if (entries == nullptr || entries->size() != 1)
    return fail(why, "wants an object of one key");
  const auto& entry = *entries->begin();
  const auto& name = entry.first;
  const auto& inner = entry.second;
  auto one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    return name_at(I) == name && get(inner, to.template emplace<I>(), why);
  };
  why = "has the unknown name \"" + name + "\"";
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (false || ... || one(std::integral_constant<std::size_t, I>{}));
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>{});
}

} // namespace tune::store
