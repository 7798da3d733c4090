// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/choices.hpp"

namespace tune {

choices builtin_choices(trainable_registry trainables) {
  return {builtin_searchers(), builtin_schedulers(), std::move(trainables), {}, {}};
}

} // namespace tune
