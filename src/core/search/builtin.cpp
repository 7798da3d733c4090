/// The list of the searchers that are shipped.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/automatic/automatic.hpp"
#include "tune/core/search/bohb/bohb.hpp"
#include "tune/core/search/cma_es/cma_es.hpp"
#include "tune/core/search/dehb/dehb.hpp"
#include "tune/core/search/evolution/evolution.hpp"
#include "tune/core/search/external/external.hpp"
#include "tune/core/search/gp/gp.hpp"
#include "tune/core/search/none/none.hpp"
#include "tune/core/search/nsga2/nsga2.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/search/sobol/sobol.hpp"
#include "tune/core/search/tpe/tpe.hpp"
#include "tune/core/search/variant/variant.hpp"

namespace tune {

searcher_catalogue builtin_searchers() {
  return searcher_catalogue{{
      variant_search::make_entry(),
      variant_search::make_grid_entry(),
      sobol::make_entry(),
      automatic::make_entry(),
      gp::make_entry(),
      tpe::make_entry(),
      cma_es::make_entry(),
      bohb::make_entry(),
      dehb::make_entry(),
      nsga2::make_entry(),
      evolution::make_entry(),
      external::make_entry(),
      no_search::make_entry(),
  }};
}

} // namespace tune
