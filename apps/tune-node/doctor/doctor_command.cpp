// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/doctor_command.hpp"

#include <iostream>

namespace tune::cli {

exit_code run_doctor(const command_line& line, const doctor_request& what, const table_look& look) {
  const auto steps = what.join ? check_way_to_head(what) : check_machine(what);
  write_checkup(steps, line.output.value_or(output_format::table), look, std::cout);
  return code_of(steps);
}

} // namespace tune::cli
