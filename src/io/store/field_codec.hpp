/// Writes each type of field as JSON and reads it back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "event_fields.hpp"
#include "exact_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune::store {

/// Why a text could not be read: the path of the field and its fault.
using complaint = std::string;

inline constexpr std::array<std::string_view, 8> due_names{
    "time_limit", "progress_timeout", "stop_grace", "retry",
    "ask_again",  "kill_time",        "draft",      "free_place"};
inline constexpr std::array<std::string_view, 4> strategy_names{"pack", "spread", "strict_pack",
                                                                "strict_spread"};
inline constexpr std::array<std::string_view, 2> opening_names{"at_once", "gathers"};
inline constexpr std::array<std::string_view, 2> policy_names{"pack", "spread"};
inline constexpr std::array<std::string_view, 3> drafting_names{"none", "quick", "thorough"};
inline constexpr std::array<std::string_view, 3> proposal_names{"trials", "wait", "finished"};

inline bool fail(complaint& why, std::string_view text) {
  why = text;
  return false;
}

// --- scalars -------------------------------------------------------------------------------

template <class Int>
void put_int(std::string& to, Int x) {
  std::array<char, 24> buffer;
  auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  to.append(buffer.data(), end);
}

inline void put(std::string& to, std::int64_t x) {
  put_int(to, x);
}
inline void put(std::string& to, std::int32_t x) {
  put_int(to, x);
}
inline void put(std::string& to, std::uint32_t x) {
  put_int(to, x);
}
/// Writes numbers beyond int64 as a text of digits, since JSON readers would make a float of them.
inline void put(std::string& to, std::uint64_t x) {
  const bool wide = x > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (wide)
    to += '"';
  put_int(to, x);
  if (wide)
    to += '"';
}
inline void put(std::string& to, bool x) {
  to += x ? "true" : "false";
}
inline void put(std::string& to, const std::string& x) {
  append_json_string(to, x);
}
inline void put(std::string& to, std::chrono::nanoseconds x) {
  put_int(to, static_cast<std::int64_t>(x.count()));
}
inline void put(std::string& to, trial_id x) {
  put(to, x.number);
}
inline void put(std::string& to, checkpoint_id x) {
  put(to, x.number);
}
inline void put(std::string& to, lease_id x) {
  put(to, x.number);
}
inline void put(std::string& to, attempt_id x) {
  to += '"';
  put_int(to, x.epoch);
  to += '.';
  put_int(to, x.counter);
  to += '"';
}
/// Writes a whole amount as an integer, others as a float: both exact up to 9e11.
inline void put(std::string& to, amount x) {
  if (x.units % amount::scale == 0)
    put_int(to, x.units / amount::scale);
  else
    append_json(to, value{x.number()});
}
inline void put(std::string& to, end_class x) {
  append_json_string(to, to_text(x));
}
inline void put(std::string& to, on::ticked::due x) {
  append_json_string(to, due_names[static_cast<std::size_t>(x)]);
}
inline void put(std::string& to, resource_request::strategy x) {
  append_json_string(to, strategy_names[static_cast<std::size_t>(x)]);
}
inline void put(std::string& to, opening x) {
  append_json_string(to, opening_names[static_cast<std::size_t>(x)]);
}
inline void put(std::string& to, drafting x) {
  append_json_string(to, drafting_names[static_cast<std::size_t>(x)]);
}
inline void put(std::string& to, placement_policy x) {
  append_json_string(to, policy_names[static_cast<std::size_t>(x)]);
}

inline bool get(const value& from, std::int64_t& to, complaint& why) {
  const auto* x = from.as_int();
  if (x == nullptr)
    return fail(why, "wants a whole number");
  to = *x;
  return true;
}
template <class Narrow>
bool get_narrow(const value& from, Narrow& to, complaint& why) {
  const auto* x = from.as_int();
  if (x == nullptr || !std::in_range<Narrow>(*x))
    return fail(why, "wants a whole number of 32 bits");
  to = static_cast<Narrow>(*x);
  return true;
}
inline bool get(const value& from, std::int32_t& to, complaint& why) {
  return get_narrow(from, to, why);
}
inline bool get(const value& from, std::uint32_t& to, complaint& why) {
  return get_narrow(from, to, why);
}
inline bool get(const value& from, std::uint64_t& to, complaint& why) {
  if (const auto* x = from.as_int(); x != nullptr && *x >= 0) {
    to = static_cast<std::uint64_t>(*x);
    return true;
  }
  if (const auto* x = from.as_string()) {
    auto [end, status] = std::from_chars(x->data(), x->data() + x->size(), to);
    if (status == std::errc{} && end == x->data() + x->size())
      return true;
  }
  return fail(why, "wants a whole number of at least 0");
}
inline bool get(const value& from, bool& to, complaint& why) {
  const auto* x = from.as_bool();
  if (x == nullptr)
    return fail(why, "wants true or false");
  to = *x;
  return true;
}
inline bool get(const value& from, std::string& to, complaint& why) {
  const auto* x = from.as_string();
  if (x == nullptr)
    return fail(why, "wants a text");
  to = *x;
  return true;
}
inline bool get(const value& from, std::chrono::nanoseconds& to, complaint& why) {
  std::int64_t count = 0;
  if (!get(from, count, why))
    return false;
  to = std::chrono::nanoseconds{count};
  return true;
}
inline bool get(const value& from, trial_id& to, complaint& why) {
  return get(from, to.number, why);
}
inline bool get(const value& from, checkpoint_id& to, complaint& why) {
  return get(from, to.number, why);
}
inline bool get(const value& from, lease_id& to, complaint& why) {
  return get(from, to.number, why);
}
inline bool get(const value& from, attempt_id& to, complaint& why) {
  if (const auto* x = from.as_string()) {
    const auto* last = x->data() + x->size();
    auto epoch = std::from_chars(x->data(), last, to.epoch);
    if (epoch.ec == std::errc{} && epoch.ptr != last && *epoch.ptr == '.') {
      auto counter = std::from_chars(epoch.ptr + 1, last, to.counter);
      if (counter.ec == std::errc{} && counter.ptr == last)
        return true;
    }
  }
  return fail(why, "wants an attempt such as \"1.42\"");
}
inline bool get(const value& from, amount& to, complaint& why) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max() / amount::scale;
  if (const auto* x = from.as_int(); x != nullptr && *x <= most && *x >= -most) {
    to.units = *x * amount::scale;
    return true;
  }
  if (const auto* x = from.as_double(); x != nullptr && std::abs(*x) < 9e11) {
    to.units = std::llround(*x * amount::scale);
    return true;
  }
  return fail(why, "wants an amount");
}
template <class Enum, std::size_t N>
bool get_named(const value& from, Enum& to, const std::array<std::string_view, N>& names,
               complaint& why) {
  for (std::size_t i = 0; i < N; ++i) {
    if (from.as_string() != nullptr && *from.as_string() == names[i]) {
      to = static_cast<Enum>(i);
      return true;
    }
  }
  return fail(why, "has an unknown name");
}
inline bool get(const value& from, on::ticked::due& to, complaint& why) {
  return get_named(from, to, due_names, why);
}
inline bool get(const value& from, resource_request::strategy& to, complaint& why) {
  return get_named(from, to, strategy_names, why);
}
inline bool get(const value& from, opening& to, complaint& why) {
  return get_named(from, to, opening_names, why);
}
inline bool get(const value& from, drafting& to, complaint& why) {
  return get_named(from, to, drafting_names, why);
}
inline bool get(const value& from, placement_policy& to, complaint& why) {
  return get_named(from, to, policy_names, why);
}
inline bool get(const value& from, end_class& to, complaint& why) {
  auto found = from.as_string() != nullptr ? end_class_from(*from.as_string()) : std::nullopt;
  if (!found)
    return fail(why, "has an unknown name");
  to = *found;
  return true;
}

// --- declarations, as the rest is mutually recursive -----------------------------------------

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

/// Whether the value is 0 or false, which a missing field means, too.
template <class M>
bool is_zero(const M& x) {
  if constexpr (std::is_arithmetic_v<M>)
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
