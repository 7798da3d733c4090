// Scripts beside the INI file that a command names: whether they exist, and whether they read
// parameters.
#include "io/scratch_directory.hpp"
#include "io/spec/spec_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class scripts : public samples::scratch_directory {
protected:
  /// Loads a command, with `se.py` and `helper.py` beside the INI file.
  [[nodiscard]] load_result loaded(const std::string& command,
                                   const std::string& script = "x = 1\n") const {
    fill(root / "se.py", script);
    fill(root / "helper.py", "import tune_node\n");
    return load_spec_text("[experiment]\nmetric = loss\n[trainable]\ncommand = " + command
                              + "\n[space]\nx = uniform(0, 1)\n",
                          (root / "x.ini").string(), support::request());
  }
};

TEST_F(scripts, warn_where_no_parameter_reaches_the_script) {
  EXPECT_THAT(
      loaded("python3 ./se.py").warnings,
      ElementsAre(HasSubstr("[space] x: in no command, env. or template, and se.py does not "
                            "seem to read parameters; unless the program reads it by "
                            "itself (TUNE_TRIAL_PARAM_<name>), all trials run alike")));
  EXPECT_THAT(loaded("python3 ./se.py {x}").warnings, ElementsAre());
  EXPECT_THAT(loaded("python3 ./se.py", "import os\nos.environ['TUNE_TRIAL_PARAMS']").warnings,
              ElementsAre());
  EXPECT_THAT(loaded("python3 ./se.py", "import helper\n").warnings, ElementsAre())
      << "a module of its own reads them";
  EXPECT_THAT(loaded("true").warnings, ElementsAre()) << "nothing is known of it";
}

TEST_F(scripts, refuse_a_script_that_is_not_there) {
  for (const std::string command :
       {"python3 ./gone.py {x}", "python3.12 -u -W ignore ./gone.py {x}", "sh -eu ./gone.sh {x}",
        "bash -o pipefail ./gone {x}", "node ./gone.js --x={x}", "perl -w -T ./gone.pl {x}",
        "Rscript ./gone.R {x}", "julia -t 4 ./gone.jl {x}", "python3 {ini_dir}/gone.py {x}"}) {
    const auto result = loaded(command);
    EXPECT_FALSE(result) << command;
    EXPECT_THAT(to_text(result.faults), HasSubstr("[trainable] command: \"")) << command;
    EXPECT_THAT(to_text(result.faults), HasSubstr("/gone")) << command;
    EXPECT_THAT(to_text(result.faults), HasSubstr("\" does not exist")) << command;
  }
}

TEST_F(scripts, look_for_no_script_where_none_can_be_known) {
  for (const std::string command :
       {"python3 ./se.py {x}", "python3 -c 'import os' ./gone.py {x}",
        "python3 -m here ./gone.py {x}", "python3 ./{x}.py", "python3 gone.py {x}",
        "sh -c './gone.sh {x}'", "perl -ne 1 ./gone {x}", "node --what ./gone.js {x}",
        "python3 - ./gone {x}", "/bin/cat ./gone.py {x}", "julia -L ./gone.jl ./se.py {x}"}) {
    const auto result = loaded(command);
    EXPECT_TRUE(result) << command << ": " << to_text(result.faults);
  }
}

} // namespace
} // namespace tune
