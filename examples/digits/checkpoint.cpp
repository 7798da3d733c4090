// SPDX-License-Identifier: BSD-3-Clause
#include "digits/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace tune::examples {

namespace {

constexpr std::array<char, 8> magic{'d', 'i', 'g', 'i', 't', 's', ' ', '1'};

std::filesystem::path file_in(const std::filesystem::path& directory) {
  return directory / "network.bin";
}

template <class T>
void put(std::ostream& to, const T* from, std::size_t count) {
  to.write(reinterpret_cast<const char*>(from), static_cast<std::streamsize>(count * sizeof(T)));
}

void put(std::ostream& to, std::uint64_t x) {
  put(to, &x, 1);
}

template <class T>
void get(std::istream& from, T* to, std::size_t count) {
  from.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T)));
}

/// The next number; 0 at the end of the file.
std::uint64_t get(std::istream& from) {
  std::uint64_t result = 0;
  get(from, &result, 1);
  return from ? result : 0;
}

/// The numbers that describe a network's shape; a checkpoint's must match.
std::vector<std::uint64_t> shape(const perceptron& network) {
  std::vector<std::uint64_t> result{network.widths().size()};
  result.insert(result.end(), network.widths().begin(), network.widths().end());
  result.push_back(network.parameters().size());
  return result;
}

} // namespace

expected<void> write_checkpoint(const std::filesystem::path& directory, std::uint64_t epoch,
                                const perceptron& network, const optimizer& how) {
  auto path = file_in(directory);
  auto out = std::ofstream{path, std::ios::binary};
  put(out, magic.data(), magic.size());
  put(out, epoch);
  put(out, how.steps);
  for (auto x : shape(network))
    put(out, x);
  put(out, network.parameters().data(), network.parameters().size());
  put(out, how.first.data(), how.first.size());
  put(out, how.second.data(), how.second.size());
  out.close();
  if (!out)
    return error{ec::storage, "cannot write " + path.string()};
  return {};
}

expected<std::uint64_t> read_checkpoint(const std::filesystem::path& directory, perceptron& network,
                                        optimizer& how) {
  auto path = file_in(directory);
  auto in = std::ifstream{path, std::ios::binary};
  if (!in)
    return error{ec::unreadable, "cannot read " + path.string()};
  std::array<char, magic.size()> start{};
  get(in, start.data(), start.size());
  if (!in || start != magic)
    return error{ec::bad_syntax, path.string() + " is not a checkpoint of digits_mlp"};
  auto epoch = get(in);
  auto steps = get(in);
  for (auto x : shape(network))
    if (get(in) != x)
      return error{ec::bad_option,
                   path.string() + " is of a network of another shape than the configuration's"};
  auto count = network.parameters().size();
  std::vector<float> parameters(count), first(count), second(count);
  for (auto* list : {&parameters, &first, &second})
    get(in, list->data(), count);
  if (!in || in.peek() != std::ifstream::traits_type::eof())
    return error{ec::bad_syntax, path.string() + " is torn: its length is wrong"};
  std::copy(parameters.begin(), parameters.end(), network.parameters().begin());
  how.steps = steps;
  how.first = std::move(first);
  how.second = std::move(second);
  return epoch;
}

} // namespace tune::examples
