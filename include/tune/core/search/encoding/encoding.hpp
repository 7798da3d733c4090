/// Configurations as points of the unit cube, for searchers that learn.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/axis.hpp"
#include "tune/core/space/space.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tune {

/// One coordinate per axis: in [0, 1], or the index of a category.
///
/// A *canonical* point stands for one configuration: its coordinates are those of values, and NaN
/// where the parameter is inactive. A *latent* point has a coordinate for every axis, whether
/// active or not and whether there is a value just there: what searching moves about, so that a
/// change of branch finds coordinates for its children.
using cube_point = std::vector<double>;

/// The coordinate of inactive parameters.
inline constexpr double inactive = std::numeric_limits<double>::quiet_NaN();

/// A search space laid out as a cube: one axis for each parameter that can vary, several for
/// permutations and subsets (`axis::make_all`).
///
/// Every point of the cube has a configuration, also where ranges depend on other parameters. One
/// bound of which is a number is laid out as all that it may be, and what lies outside of the range
/// that holds for the configuration is folded into it: drawn evenly it stays even. Where both
/// bounds depend, or most ranges are small parts of the whole, the coordinate is *relative*: the
/// place in the range that holds, and the middle where that has one value.
class encoding {
public:
  /// @param who The searcher's name, for messages.
  /// @errors `ec::bad_option` for grids, which mean "every value": what no searcher that learns
  ///         promises.
  [[nodiscard]] static expected<encoding> make(std::shared_ptr<const search_space> space,
                                               std::string_view who);

  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  [[nodiscard]] const axis& at(std::size_t i) const { return axes_[i]; }
  [[nodiscard]] bool is_relative(std::size_t i) const { return is_relative_[parameters_[i]]; }
  /// The axis that holds at a point: `at(i)`, but instead of a relative one that of the range
  /// there. Nothing where that has no or one value.
  [[nodiscard]] std::optional<axis> axis_at(std::size_t i, const cube_point& latent) const;
  /// The parameter that axis `i` stands for. Those of one parameter are neighbours.
  [[nodiscard]] const parameter& parameter_of(std::size_t i) const {
    return space_->parameters()[parameters_[i]];
  }
  /// Its number in the space.
  [[nodiscard]] std::size_t number_of(std::size_t i) const { return parameters_[i]; }
  [[nodiscard]] const search_space& space() const { return *space_; }
  [[nodiscard]] bool is_conditional() const { return conditional_; }
  /// Mean number of active axes of random configurations; 1 at least.
  [[nodiscard]] double mean_active() const { return mean_active_; }
  /// Of how many others axis `i` decides whether they are active; 0 where it is conditional itself.
  [[nodiscard]] std::size_t root_children(std::size_t i) const { return children_[i]; }
  /// An upper bound of the number of configurations; infinite where they are not countable.
  [[nodiscard]] double size() const { return size_; }

  /// Whether the configuration keeps the constraint of the space, and has ranges.
  [[nodiscard]] bool allows(const cube_point& point) const;
  /// A random coordinate of axis `i`.
  [[nodiscard]] double draw(std::size_t i, rng& from) const;
  /// A random latent point.
  [[nodiscard]] cube_point random(rng& from) const;
  /// The canonical point of a latent one.
  [[nodiscard]] cube_point canonical(const cube_point& latent) const;
  /// A latent point of a canonical one: what is inactive is drawn.
  [[nodiscard]] cube_point filled(const cube_point& canonical, rng& from) const;
  /// Moves a few coordinates of a latent point, active ones if it finds any: numbers by a normally
  /// distributed step, by one cell at least where they are discrete; categories to another one.
  /// @param step  Standard deviation. [> 0]
  /// @param count How many times.
  void mutate(cube_point& latent, double step, std::size_t count, rng& from) const;
  /// Moves all coordinates that are numbers by normally distributed steps.
  void shift(cube_point& latent, double step, rng& from) const;

  /// Equal for canonical points of the same configuration; floats count to seven digits.
  [[nodiscard]] std::uint64_t key(const cube_point& canonical) const;
  /// The first configuration, in the order of counting, that keeps the constraint and whose key is
  /// not `taken`. Nothing where all are. To be asked of small finite spaces: it takes `size()`
  /// steps at worst, n^n / n! times as many where there is a permutation of n items.
  [[nodiscard]] std::optional<cube_point>
  first_free(const std::function<bool(std::uint64_t)>& taken) const;

  /// One value per parameter of the space, as `search_space::assemble` takes them.
  [[nodiscard]] std::vector<value> values(const cube_point& point) const;
  /// The same with some values fixed: ranges that depend on these follow.
  /// @param fixed One per parameter, null where the point decides.
  [[nodiscard]] std::vector<value> values(const cube_point& point,
                                          const std::vector<const value*>& fixed) const;
  [[nodiscard]] object decoded(const cube_point& point) const;
  /// The canonical point of a configuration; numbers outside of their domain count as its ends.
  /// Nothing where it has a value of another kind, or lacks an active parameter.
  [[nodiscard]] std::optional<cube_point> encoded(const object& config) const;

  /// The point of a configuration of another space, as far as its parameters are in this one:
  /// those that it lacks are NaN, numbers stand at the nearest value of their domain. A value that
  /// is there counts as active where what decides about it is not.
  /// Nothing where a value lies outside of its domain.
  [[nodiscard]] std::optional<cube_point> placed(const object& config) const;

private:
  std::shared_ptr<const search_space> space_;
  std::vector<axis> axes_;
  /// Axes of one parameter.
  struct section {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  /// Of each axis its parameter, and of each parameter its axes.
  std::vector<std::size_t> parameters_;
  std::vector<section> sections_;
  /// Whether the coordinate is the place in a range that depends on others.
  std::vector<bool> is_relative_;
  /// Whether some condition or range reads the parameter.
  std::vector<bool> is_read_;
  std::vector<std::size_t> children_;
  bool conditional_ = false;
  double mean_active_ = 1;
  double size_ = 1;

  void lay_out();
  void count_children();
  void measure();
  [[nodiscard]] std::vector<bool> active(const cube_point& latent) const;
  [[nodiscard]] bool is_order(std::size_t p) const;
  [[nodiscard]] value value_of(std::size_t p, const cube_point& point) const;
  [[nodiscard]] bool locate(std::size_t p, const value& what, cube_point& to) const;
  [[nodiscard]] bool locate_in(std::size_t p, const value& what, const domain& range,
                               cube_point& to) const;
  [[nodiscard]] std::optional<domain>
  range_given(std::size_t p, const std::vector<std::optional<value>>& known) const;
  void rank(cube_point& latent, const section& of) const;
  [[nodiscard]] bool is_counted_twice(const cube_point& digits) const;
  void change(cube_point& latent, std::size_t i, double step, rng& from) const;
  void snap(cube_point& latent) const;

  struct tour;
  [[nodiscard]] std::vector<bool> relative_ones() const;
  [[nodiscard]] double placed(std::size_t p, double u, const std::optional<domain>& range) const;
  [[nodiscard]] std::optional<double> coordinate_in(std::size_t p, const value& x,
                                                    const domain& range) const;
  [[nodiscard]] value value_in(std::size_t p, const cube_point& point,
                               const std::optional<domain>& range) const;
  [[nodiscard]] std::vector<bool> of_axes(const std::vector<bool>& parameters) const;
  [[nodiscard]] cube_point with_inactive(cube_point point, const std::vector<bool>& alive) const;
  [[nodiscard]] std::vector<bool> active_in_ranges(const cube_point& latent) const;
  [[nodiscard]] cube_point canonical_in_ranges(cube_point snapped) const;
  [[nodiscard]] std::optional<cube_point>
  encoded_in_ranges(cube_point located, const std::vector<const value*>& given) const;
  [[nodiscard]] std::optional<cube_point> counted(const cube_point& digits) const;
};

} // namespace tune
