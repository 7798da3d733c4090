/// Data that rules derive from results, kept from one suggestion to the next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/gp/kernel_book.hpp"
#include "tune/core/search/transfer/memory.hpp"

namespace tune::learning {

/// Saves work; changes no answer. Used by one thread at a time: a searcher has one for proposals
/// made at once, and another for those of `searcher::propose_later`.
struct workbook {
  gp::kernel_book kernels;
  transfer::model_book sources;
};

} // namespace tune::learning
