/// The command line of a benchmark.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace tune::bench {

/// A command line: words in order, and options with a value, `--name value` or `--name=value`. Each
/// is read once; then `finish` refuses everything that was not read.
///
/// Ends the program: with 0 after the usage for `--help` and `-h`; with 2 and the usage on stderr
/// if the command line does not fit the usage.
class arguments {
public:
  /// @param count Number of words to use, including the program's own name. [>= 1]
  /// @param usage Forms of the command line, without the program's name, one per line.
  arguments(int count, char** words, std::string usage);

  /// Whether this option without a value is present.
  [[nodiscard]] bool flag(const std::string& name);

  /// Reads an option into `to`, which keeps its value if the option is absent. Lists are separated
  /// by commas.
  void read(const std::string& name, std::string& to);
  void read(const std::string& name, std::vector<std::string>& to);
  void read(const std::string& name, std::vector<std::size_t>& to);
  void read(const std::string& name, double& to);
  void read(const std::string& name, std::unsigned_integral auto& to, std::uint64_t least = 0) {
    std::string text;
    read(name, text);
    if (!text.empty())
      to = static_cast<std::remove_reference_t<decltype(to)>>(whole(text, name, least));
  }

  /// The next word; `otherwise` if none is left.
  [[nodiscard]] std::string word(std::string otherwise);
  [[nodiscard]] std::uint64_t number(std::uint64_t otherwise, std::uint64_t least = 0);
  /// All remaining words.
  [[nodiscard]] std::vector<std::string> words();
  [[nodiscard]] bool has_word() const;

  void finish() const;
  [[noreturn]] void refuse(const std::string& why) const;

private:
  std::string program_;
  std::string usage_;
  std::vector<std::string> left_;

  [[nodiscard]] std::uint64_t whole(const std::string& text, const std::string& name,
                                    std::uint64_t least) const;
};

} // namespace tune::bench
