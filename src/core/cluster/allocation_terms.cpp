// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/allocation_terms.hpp"

#include <algorithm>

namespace tune {

const user_quota* allocation_limits::quota_of(const std::string& user) const {
  if (auto known = quotas.find(user); known != quotas.end())
    return &known->second;
  return other_quota ? &*other_quota : nullptr;
}

std::string called(const owner_standing& x) {
  return (x.name.empty() ? std::string{"an experiment"} : x.name)
         + (x.user.empty() ? std::string{} : " of " + x.user) + ", priority "
         + std::to_string(x.priority);
}

std::string to_text(const user_quota& x) {
  std::string result;
  auto append = [&](const std::string& text) { result += (result.empty() ? "" : ", ") + text; };
  if (x.cpu)
    append(to_text(*x.cpu) + " CPU");
  if (x.gpu)
    append(to_text(*x.gpu) + " GPU");
  if (x.memory)
    append(bytes_text(*x.memory) + " memory");
  if (x.trials)
    append(std::to_string(*x.trials) + " trials");
  return result.empty() ? "nothing" : result;
}

bool keeps_to(const holding& x, const user_quota* most) {
  return most == nullptr || excess_text(x, *most).empty();
}

std::string excess_text(const holding& x, const user_quota& most) {
  if (most.cpu && x.what.cpu > *most.cpu)
    return to_text(x.what.cpu) + " of " + to_text(*most.cpu) + " CPU";
  if (most.gpu && x.what.gpu > *most.gpu)
    return to_text(x.what.gpu) + " of " + to_text(*most.gpu) + " GPU";
  if (most.memory && x.what.memory > *most.memory)
    return bytes_text(x.what.memory) + " of " + bytes_text(*most.memory) + " memory";
  if (most.trials && x.leases > *most.trials)
    return std::to_string(x.leases) + " of " + std::to_string(*most.trials) + " trials";
  return {};
}

double dominant_share(const holding& x, const resources& total) {
  auto part = [](double held, double of) { return of > 0 ? held / of : 0.0; };
  return std::max({part(x.what.cpu.number(), total.cpu.number()),
                   part(x.what.gpu.number(), total.gpu.number()),
                   part(static_cast<double>(x.what.memory), static_cast<double>(total.memory))});
}

} // namespace tune
