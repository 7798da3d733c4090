/// JSON of the plain values in the fields of events: numbers, ids, times, names of choices. Private
/// to the store.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "event_fields.hpp"
#include "exact_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tune::store {

/// Why a text could not be read: the path of the field and its fault.
using complaint = std::string;

inline constexpr std::array<std::string_view, 8> due_names{
    "time_limit", "progress_timeout", "stop_grace", "retry",
    "ask_again",  "kill_time",        "draft",      "free_place"};
inline constexpr std::array<std::string_view, 4> strategy_names{"pack", "spread", "strict_pack",
                                                                "strict_spread"};
inline constexpr std::array<std::string_view, 3> opening_names{"at_once", "gathers", "executed"};
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

} // namespace tune::store
