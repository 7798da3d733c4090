// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/error_line.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tune {
namespace {

using lines = std::vector<std::string_view>;

TEST(names_error, knows_dotted_names_that_end_in_error_or_exception) {
  for (const auto* line : {"ValueError: bad", "  torch.AcceleratorError: CUDA error: x",
                           "MemoryError", "java.lang.RuntimeException: boom", "Error: no"})
    EXPECT_TRUE(names_error(line)) << line;
  for (const auto* line : {"", "Error in f(2) : boom", "an Error: no", "queue.Empty", "Errors: 3",
                           "Execution halted", "train.py: error: no"})
    EXPECT_FALSE(names_error(line)) << line;
}

TEST(error_line_in, goes_before_advice_that_follows_it) {
  EXPECT_EQ(error_line_in(lines{"Traceback (most recent call last):", "File \"a.py\", line 7",
                                "torch.AcceleratorError: CUDA error: an illegal memory access",
                                "Search for `cudaErrorX' in https://docs.nvidia.com",
                                "Compile with `TORCH_USE_CUDA_DSA`"}),
            2u);
  EXPECT_EQ(error_line_in(lines{"KeyError: 'a'", "ValueError: b", "said later"}), 1u);
  EXPECT_EQ(error_line_in(lines{"no data"}), std::nullopt);
  EXPECT_EQ(error_line_in({}), std::nullopt);
}

TEST(error_line_in, is_none_of_an_exception_before_the_last) {
  EXPECT_EQ(error_line_in(lines{"KeyError: 'a'", "During handling of the above exception",
                                "Traceback (most recent call last):", "File \"a.py\", line 7",
                                "queue.Empty"}),
            std::nullopt);
}

TEST(telling_line_in, is_an_error_of_a_log_that_only_lesser_lines_follow) {
  EXPECT_EQ(telling_line_in(lines{"ERROR: bad thing", "INFO cleaning up"}), 0u);
  EXPECT_EQ(telling_line_in(lines{"x", "2026-01-02 10:00:00,123 - train - CRITICAL - bad",
                                  "2026-01-02 10:00:01,001 - train - WARNING - left it",
                                  "[INFO] 10:00 bye"}),
            1u);
  EXPECT_EQ(telling_line_in(lines{"ERROR: first", "[ERROR] second", "DEBUG:root:x"}), 1u);
  EXPECT_EQ(telling_line_in(lines{"ERROR: bad", "  at f", "… (4 lines between)", "INFO bye"}), 0u);
}

TEST(telling_line_in, is_the_last_line_where_no_error_of_a_log_stands_right_before) {
  EXPECT_EQ(telling_line_in(lines{"ERROR: tried again", "no such file: x"}), 1u);
  EXPECT_EQ(telling_line_in(lines{"ERROR: tried again", "no such file: x", "INFO bye"}), 2u);
  EXPECT_EQ(telling_line_in(lines{"it is an ERROR", "INFO bye"}), 1u);
  EXPECT_EQ(telling_line_in(lines{"no data"}), 0u);
}

TEST(names_want_of_memory, knows_what_programs_say) {
  for (const auto* line :
       {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB.",
        "torch.cuda.OutOfMemoryError: CUDA out of memory.",
        "RuntimeError: CUDA out of memory. Tried to allocate 2.00 MiB",
        "torch.AcceleratorError: CUDA error: out of memory",
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to",
        "MemoryError", "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 8 GiB",
        "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8 bytes",
        "java.lang.OutOfMemoryError: Java heap space"})
    EXPECT_TRUE(names_want_of_memory(lines{"said before", line})) << line;
  EXPECT_TRUE(
      names_want_of_memory(lines{"terminate called after throwing an instance of 'std::bad_alloc'",
                                 "  what():  std::bad_alloc"}));
}

TEST(names_want_of_memory, knows_that_another_error_ended_the_program) {
  EXPECT_FALSE(names_want_of_memory(
      lines{"torch.OutOfMemoryError: CUDA out of memory.", "ValueError: no smaller batch"}));
  EXPECT_FALSE(names_want_of_memory(lines{"RuntimeError: shared memory is too small"}));
  EXPECT_FALSE(names_want_of_memory(lines{"a model of 3 GB ran out of memory"}));
  EXPECT_FALSE(names_want_of_memory({}));
}

} // namespace
} // namespace tune
