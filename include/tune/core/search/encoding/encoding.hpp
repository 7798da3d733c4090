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
/// A *canonical* point represents one configuration: its coordinates are those of values, and NaN
/// for inactive parameters. A *latent* point has a coordinate for every axis, whether active or not
/// and whether a value lies exactly there: searches move latent points, so that a change of branch
/// finds coordinates for its children.
using cube_point = std::vector<double>;

/// The coordinate of inactive parameters.
inline constexpr double inactive = std::numeric_limits<double>::quiet_NaN();

/// A search space laid out as a cube: one axis for each parameter that can vary, several for
/// permutations and subsets (`axis::make_all`).
/// permutations and subsets (`axis::make_all`).
///
/// Every point of the cube has a configuration, also if ranges depend on other parameters. If one
/// bound of such a range is a number, the axis covers all possible values, and a coordinate outside
/// of the range that holds for the configuration is folded into it: an even distribution stays
/// even. If both bounds depend, or most ranges are small parts of the whole, the coordinate is
/// *relative*: the place in the range that holds, and the middle if that has one value.
class encoding {
public:
  /// @param who The searcher's name, for messages.
  /// @errors `ec::bad_option` for grids, which mean "every value": no searcher that learns can
  ///         promise that.
  [[nodiscard]] static expected<encoding> make(std::shared_ptr<const search_space> space,
                                               std::string_view who);

  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  [[nodiscard]] const axis& at(std::size_t i) const { return axes_[i]; }
  [[nodiscard]] bool is_relative(std::size_t i) const { return is_relative_[parameters_[i]]; }
  /// The axis that holds at a point: `at(i)`, but for a relative axis that of the range there.
  /// Empty if that range has no value or one.
  [[nodiscard]] std::optional<axis> axis_at(std::size_t i, const cube_point& latent) const;
  /// The parameter of axis `i`. The axes of one parameter are neighbours.
  [[nodiscard]] const parameter& parameter_of(std::size_t i) const {
    return space_->parameters()[parameters_[i]];
  }
  /// The parameter's number in the space.
  [[nodiscard]] std::size_t number_of(std::size_t i) const { return parameters_[i]; }
  [[nodiscard]] const search_space& space() const { return *space_; }
  [[nodiscard]] bool is_conditional() const { return conditional_; }
  /// Mean number of active axes of random configurations. [>= 1]
  [[nodiscard]] double mean_active() const { return mean_active_; }
  /// Number of axes whose activity axis `i` decides; 0 if axis `i` itself is conditional.
  [[nodiscard]] std::size_t root_children(std::size_t i) const { return children_[i]; }
  /// An upper bound of the number of configurations; infinite if they are not countable.
  [[nodiscard]] double size() const { return size_; }

  /// Whether the configuration keeps the constraint of the space, and none of its ranges is empty.
  [[nodiscard]] bool allows(const cube_point& point) const;
  /// A random coordinate of axis `i`.
  [[nodiscard]] double draw(std::size_t i, rng& from) const;
  /// A random latent point.
  [[nodiscard]] cube_point random(rng& from) const;
  /// The canonical point of a latent one.
  [[nodiscard]] cube_point canonical(const cube_point& latent) const;
  /// A latent point of a canonical one: inactive coordinates are drawn.
  [[nodiscard]] cube_point filled(const cube_point& canonical, rng& from) const;
  /// Moves a few coordinates of a latent point, preferably active ones: numbers by a normally
  /// distributed step, discrete ones by at least one cell; categories to another choice.
  /// @param step  Standard deviation. [> 0]
  /// @param count Number of moves.
  void mutate(cube_point& latent, double step, std::size_t count, rng& from) const;
  /// Moves all coordinates that are numbers by normally distributed steps.
  void shift(cube_point& latent, double step, rng& from) const;

  /// Equal for canonical points of the same configuration; floats count to seven digits.
  [[nodiscard]] std::uint64_t key(const cube_point& canonical) const;
  /// The first configuration, in the order of counting, that keeps the constraint and whose key is
  /// not `taken`. Empty if all are taken. Only for small finite spaces: it takes `size()` steps at
  /// worst, n^n / n! times as many if there is a permutation of n items.
  [[nodiscard]] std::optional<cube_point>
  first_free(const std::function<bool(std::uint64_t)>& taken) const;

  /// One value per parameter of the space, as `search_space::assemble` takes them.
  [[nodiscard]] std::vector<value> values(const cube_point& point) const;
  /// Like `values`, but with some values fixed: ranges that depend on these follow.
  /// @param fixed One per parameter, null where the point decides.
  [[nodiscard]] std::vector<value> values(const cube_point& point,
                                          const std::vector<const value*>& fixed) const;
  [[nodiscard]] object decoded(const cube_point& point) const;
  /// The canonical point of a configuration; numbers outside of their domain count as its ends.
  /// Empty if the configuration has a value of another kind, or lacks an active parameter.
  [[nodiscard]] std::optional<cube_point> encoded(const object& config) const;

  /// The point of a configuration of another space, as far as its parameters are in this one:
  /// missing ones are NaN, numbers are placed at the nearest value of their domain. A present value
  /// counts as active even if the parameter that decides about it is missing. Empty if a value lies
  /// outside of its domain.
  [[nodiscard]] std::optional<cube_point> placed(const object& config) const;

private:
  std::shared_ptr<const search_space> space_;
  std::vector<axis> axes_;
  /// Axes of one parameter.
  struct section {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  /// The parameter of each axis, and the axes of each parameter.
  std::vector<std::size_t> parameters_;
  std::vector<section> sections_;
  /// By parameter: whether its coordinate is the place in a range that depends on others.
  std::vector<bool> is_relative_;
  /// By parameter: whether some condition or range reads it.
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
