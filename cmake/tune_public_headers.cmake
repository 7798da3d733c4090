# Which headers `cmake --install` gives to other programs: those named here, and what they include.
# All others are for the libraries alone, and may change with any version.
set(TUNE_PUBLIC_HEADERS
  # Trainables, in the program or in a plugin.
  tune/trainable/drive.hpp
  tune/trainable/plugin.hpp
  tune/trainable/trainable.hpp
  tune/io/process/host.hpp
  # Experiments from C++, and the command line as a function.
  tune/app/app.hpp
  tune/tuner/choices.hpp
  tune/tuner/own_actors.hpp
  tune/tuner/result_grid.hpp
  tune/tuner/run_options.hpp
  tune/tuner/steering.hpp
  tune/tuner/tuner.hpp
  # Schedulers, searchers, stop conditions and sinks of one's own.
  tune/core/error.hpp
  tune/core/rng.hpp
  tune/core/schedule/asha/asha.hpp
  tune/core/schedule/fifo_queue.hpp
  tune/core/schedule/hyperband/hyperband.hpp
  tune/core/schedule/pbt/pbt.hpp
  tune/core/schedule/resource_changing/allocation.hpp
  tune/core/schedule/scheduler.hpp
  tune/core/search/learner/rule.hpp
  tune/core/search/searcher.hpp
  tune/core/seam/result_sink.hpp
  tune/core/seam/trial_sink.hpp
  tune/core/stop/stopper.hpp
  # The actors.
  tune/actors/actors.hpp
  tune/actors/cluster.hpp
  tune/actors/node.hpp
  tune/actors/own_searcher.hpp
  tune/actors/own_trainable.hpp
  tune/actors/recorder.hpp
  tune/actors/rules.hpp
  tune/actors/runner.hpp
  tune/actors/sink.hpp
  tune/actors/system.hpp
  tune/actors/trial.hpp)

# Sets `out` to the given headers of `include/` and all that they include of it.
function(tune_headers_behind out)
  set(open ${ARGN})
  set(found)
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST found)
      continue()
    endif()
    set(file "${PROJECT_SOURCE_DIR}/include/${header}")
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "cmake/tune_public_headers.cmake: there is no ${file}")
    endif()
    list(APPEND found "${header}")
    file(STRINGS "${file}" lines REGEX "^#include \"tune/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"(tune/[^\"]+)\".*$" "\\1" next "${line}")
      list(APPEND open "${next}")
    endforeach()
  endwhile()
  list(SORT found)
  set(${out} ${found} PARENT_SCOPE)
endfunction()
