/// What a benchmark was called with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace tune::bench {

/// Words in order and options with a value, `--name value` or `--name=value`, each read once; then
/// `finish` refuses what nobody read.
///
/// Ends the program: with 0 after the usage for `--help` and `-h`, with 2 and the usage on stderr
/// where the line does not fit it.
class arguments {
public:
  /// @param count Words that are looked at, the program's own name included. [>= 1]
  /// @param usage Forms of the line, without the program's name, one per line.
  arguments(int count, char** words, std::string usage);

  /// Whether this option without a value is there.
  [[nodiscard]] bool flag(const std::string& name);

  /// Each changes `to` only where the option is there. Lists are separated by commas.
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

  /// The next word.
  [[nodiscard]] std::string word(std::string otherwise);
  [[nodiscard]] std::uint64_t number(std::uint64_t otherwise, std::uint64_t least = 0);
  /// All that are left.
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
