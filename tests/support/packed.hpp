/// Messages as the bytes that cross the wire, whatever CAF's version.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

namespace tune::support {

#if TUNE_CAF_1

using packed_bytes = caf::byte_buffer;

/// @returns whether `x` could be written.
template <class T>
bool pack(caf::actor_system& system, T& x, packed_bytes& into) {
  caf::binary_serializer out{system, into};
  return out.apply(x);
}

/// @returns whether `x` could be read and used up all bytes.
template <class T>
bool unpack(caf::actor_system& system, const packed_bytes& from, T& into) {
  caf::binary_deserializer in{system, from};
  return in.apply(into) && in.remaining() == 0;
}

#else

using packed_bytes = std::vector<char>;

/// @returns whether `x` could be written.
template <class T>
bool pack(caf::actor_system& system, T& x, packed_bytes& into) {
  caf::binary_serializer out{system, into};
  return !out(x);
}

/// @returns whether `x` could be read and used up all bytes.
template <class T>
bool unpack(caf::actor_system& system, const packed_bytes& from, T& into) {
  caf::binary_deserializer in{system, from};
  return !in(into) && in.remaining() == 0;
}

#endif

} // namespace tune::support
