/// A list of interchangeable parts by name: the choices of the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/plugin/options.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// One choice: its name, its description, its options, and its factory.
///
/// @tparam Part    The interface, e.g. `scheduler`.
/// @tparam Context Given to every factory of this part in addition to its options.
template <class Part, class Context>
struct catalogue_entry {
  std::string name;
  /// One line for people.
  std::string summary;
  /// Paper or reference of the rules.
  std::string source;
  std::vector<option_spec> known;
  std::function<expected<std::unique_ptr<Part>>(const options&, const Context&)> make;
};

/// Entries in the order of listing. A value: build it, extend it, pass it on.
template <class Part, class Context>
class catalogue {
public:
  using entry = catalogue_entry<Part, Context>;

  catalogue() = default;
  explicit catalogue(std::vector<entry> entries) : entries_{std::move(entries)} {}

  /// Adds an entry; replaces an entry of the same name.
  void add(entry what) {
    for (auto& known : entries_) {
      if (known.name == what.name) {
        known = std::move(what);
        return;
      }
    }
    entries_.push_back(std::move(what));
  }

  [[nodiscard]] const entry* find(std::string_view name) const {
    auto i = std::find_if(entries_.begin(), entries_.end(),
                          [&](const entry& x) { return x.name == name; });
    return i == entries_.end() ? nullptr : &*i;
  }

  [[nodiscard]] const std::vector<entry>& entries() const { return entries_; }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& x : entries_)
      result.push_back(x.name);
    return result;
  }

private:
  std::vector<entry> entries_;
};

} // namespace tune
