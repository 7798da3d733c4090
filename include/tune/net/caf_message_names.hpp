/// Names of messages on the wire, beside tune/net/caf_io.hpp: they tell what peers send before it
/// is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"

#include <set>
#include <string>
#include <type_traits>

namespace tune {

/// The names of an interface's messages on the wire.
struct wire_words {
  /// Messages that it takes: the names of their types, and the first atom.
  std::set<std::string> said;
  /// Answers that it gives.
  std::set<std::string> answered;

  void add(const wire_words& more) {
    said.insert(more.said.begin(), more.said.end());
    answered.insert(more.answered.begin(), more.answered.end());
  }
};

namespace detail {

/// Prefix of the names of a message's types.
inline constexpr const char* wire_prefix = "@<>";

#if TUNE_CAF_1

template <class Handle>
struct words_on_wire {
  static wire_words of(caf::actor_system&) { return {}; }
};

#else

/// Form of an atom's value, which follows the names of the types.
inline std::string wire_atom(std::uint64_t value) {
  return "=" + std::to_string(value);
}

template <class T>
void append_wire_name(std::string& to, caf::actor_system& system) {
  using type = std::conditional_t<caf::is_atom_constant<T>::value, caf::atom_value, T>;
  to += "+" + system.types().portable_name(caf::make_rtti_pair<type>());
}

template <class... Ts>
std::string wire_name(caf::actor_system& system, caf::detail::type_list<Ts...>) {
  std::string result = wire_prefix;
  if constexpr (!(std::is_void_v<Ts> || ...))
    (append_wire_name<Ts>(result, system), ...);
  return result;
}

template <class... Ts>
std::string wire_atom_of(caf::detail::type_list<Ts...>) {
  std::string result;
  [[maybe_unused]] auto note = [&, first = true]<class T>(std::type_identity<T>) mutable {
    if constexpr (caf::is_atom_constant<T>::value) {
      if (first)
        result = wire_atom(T::uint_value());
    }
    first = false;
  };
  (note(std::type_identity<Ts>{}), ...);
  return result;
}

template <class Handle>
struct words_on_wire;

template <class... In, class... Out>
struct words_on_wire<caf::typed_mpi<caf::detail::type_list<In...>, caf::output_tuple<Out...>>> {
  static wire_words of(caf::actor_system& system) {
    caf::detail::type_list<In...> in;
    return {{wire_name(system, in) + wire_atom_of(in)},
            {wire_name(system, caf::detail::type_list<Out...>{})}};
  }
};

template <class... Signatures>
struct words_on_wire<caf::typed_actor<Signatures...>> {
  static wire_words of(caf::actor_system& system) {
    wire_words result;
    (result.add(words_on_wire<Signatures>::of(system)), ...);
    return result;
  }
};

#endif

} // namespace detail

/// Names of an interface's messages. CAF 1.x: none.
template <class Handle>
[[nodiscard]] wire_words words_of(caf::actor_system& system) {
  return detail::words_on_wire<Handle>::of(system);
}

} // namespace tune
