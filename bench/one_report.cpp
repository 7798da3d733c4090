/// The smallest program that speaks the command protocol: it sends one report and ends.
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cstdlib>
#include <string>

int main() {
  const char* to = std::getenv("TUNE_TRIAL_REPORT_FD");
  const char* from = std::getenv("TUNE_TRIAL_ANSWER_FD");
  if (to == nullptr || from == nullptr)
    return 1;
  const std::string text = "{\"tune\":1}\n{\"metrics\":{\"loss\":0.5}}\n";
  if (::write(std::atoi(to), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return 1;
  char answer[256];
  return ::read(std::atoi(from), answer, sizeof answer) > 0 ? 0 : 1;
}
