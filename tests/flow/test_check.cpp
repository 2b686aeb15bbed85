#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/flow/flow.hpp"

#include "io/small_model.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// What `call` throws as std::invalid_argument; "nothing" if nothing.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What check reports of a flow, which every function that maps rows must refuse too if `out_of_bounds`.
std::string problem_of(const Flow& flow, bool out_of_bounds) {
  const std::string problem = refusal([&] { check(flow); });
  if (out_of_bounds) {
    const arma::mat x(3, flow.dimension, arma::fill::ones);
    CHECK(problem.ends_with(refusal([&] { forward(flow, x); })));
    CHECK(problem.ends_with(refusal([&] { inverse(flow, x); })));
    CHECK(problem.ends_with(refusal([&] { log_density(flow, x); })));
    CHECK(problem.ends_with(refusal([&] { sample(flow, 3, Seed{1}); })));
  }
  return problem;
}

/// A good affine layer, then one with this rotation and marginal.
Flow behind_affine(Rotation rotation, Marginal marginal, std::size_t dimension = 2) {
  return {dimension, {{Identity{}, affine(dimension)}, {std::move(rotation), std::move(marginal)}}};
}

template <class Change>
std::string spline_problem(Change change, bool out_of_bounds) {
  SplineMarginal marginal = splines(2);
  change(marginal.columns[1]);
  return problem_of(behind_affine(Identity{}, marginal), out_of_bounds);
}

}  // namespace

TEST_CASE("good flows pass") {
  CHECK_NOTHROW(check(small_model().flow));
  CHECK_NOTHROW(check(trained_model().flow));
  CHECK_NOTHROW(check(straight_model().flow));
  CHECK(problem_of(behind_affine(Orthogonal{orthogonal(2)}, splines(2)), false) == "nothing");
}

TEST_CASE("a spline whose sizes or indices lead out of its arrays is refused before it is read") {
  const auto refused = [](const char* member, auto change) {
    CAPTURE(member);
    CHECK(contains(spline_problem(change, true), concat("layer 1: column 1: spline: ", member)));
  };
  refused("position has 0 knots", [](MonotoneSpline& s) { s = {}; });
  refused("position has 1 knots", [](MonotoneSpline& s) { s.position.resize(1); });
  refused("value has 6", [](MonotoneSpline& s) { s.value.pop_back(); });
  refused("slope has 8", [](MonotoneSpline& s) { s.slope.push_back(1); });
  refused("slope has 0", [](MonotoneSpline& s) { s.slope.clear(); });
  refused("cell_level has 3", [](MonotoneSpline& s) { s.cell_level.pop_back(); });
  refused("cell_level has 4 entries for 5", [](MonotoneSpline& s) { s.cell_knot.push_back(0); });
  refused("segments is empty", [](MonotoneSpline& s) { s.segments.clear(); });
  refused("main_segment is 2", [](MonotoneSpline& s) { s.main_segment = 2; });
  refused("main_segment is 18446744073709551615", [](MonotoneSpline& s) { s.main_segment = UINT64_MAX; });
  refused("segments[1] has 3 cells from cell 2 of 4", [](MonotoneSpline& s) { s.segments[1].cells = 3; });
  refused("segments[1] has 0 cells", [](MonotoneSpline& s) { s.segments[1].cells = 0; });
  refused("segments[1] has 18446744073709551615 cells", [](MonotoneSpline& s) { s.segments[1].cells = UINT64_MAX; });
  refused("segments[1] has 2 cells from cell 4", [](MonotoneSpline& s) { s.segments[1].first_cell = 4; });
  refused("segments[1] has 2 cells from cell 3", [](MonotoneSpline& s) { s.segments[1].first_cell = 3; });
  refused("segments[1] has 2 cells from cell 18446744073709551615",
          [](MonotoneSpline& s) { s.segments[1].first_cell = UINT64_MAX; });
}

TEST_CASE("a cell that leads out of a spline's knots is refused by check, and by forward where a row falls into it") {
  const auto refused = [](const char* member, auto change) {
    CAPTURE(member);
    SplineMarginal marginal = splines(2);
    change(marginal.columns[1]);
    const Flow flow = behind_affine(Identity{}, marginal);
    CHECK(contains(refusal([&] { check(flow); }), concat("layer 1: column 1: spline: ", member)));
    const arma::mat rows = arma::repmat(arma::linspace(-9, 9, 1000), 1, 2);
    CHECK(contains(refusal([&] { forward(flow, rows); }), member));
    CHECK(contains(refusal([&] { log_density(flow, rows); }), member));
    CHECK_NOTHROW(inverse(flow, rows));  // which looks up values alone
  };
  refused("cell_level[3] is 5", [](MonotoneSpline& s) { s.cell_level[3] = 5; });
  refused("cell_level[2] is 255", [](MonotoneSpline& s) { s.cell_level[2] = 255; });
  refused("position has 7 knots; the cells need", [](MonotoneSpline& s) { s.cell_level[3] = 1; });
  refused("cell_knot[3] is 6, not 5", [](MonotoneSpline& s) { s.cell_knot[3] = 6; });
  refused("cell_knot[2] is 4294967295, not 4", [](MonotoneSpline& s) { s.cell_knot[2] = UINT32_MAX; });
}

TEST_CASE("a spline that stays within its arrays and yet is no increasing function is refused by check alone") {
  const auto refused = [](const char* member, auto change) {
    CAPTURE(member);
    CHECK(contains(spline_problem(change, false), concat("layer 1: column 1: spline: ", member)));
  };
  refused("lower.log_mass is 0;", [](MonotoneSpline& s) { s.lower.log_mass = 0; });
  refused("upper.log_mass does not meet", [](MonotoneSpline& s) { s.upper.log_mass = -9; });
  refused("upper.rate is -1;", [](MonotoneSpline& s) { s.upper.rate = -1; });
  refused("lower.shape is 1.5;", [](MonotoneSpline& s) { s.lower.shape = 1.5; });
  refused("lower.straight is 2;", [](MonotoneSpline& s) { s.lower.straight = 2; });
  refused("bandwidth is -1;", [](MonotoneSpline& s) { s.bandwidth = -1; });
  refused("shrinkage is 2;", [](MonotoneSpline& s) { s.shrinkage = 2; });
  refused("shift is nan;", [](MonotoneSpline& s) { s.shift = not_a_number; });
  refused("scale is 0;", [](MonotoneSpline& s) { s.scale = 0; });
  refused("position[3] is nan;", [](MonotoneSpline& s) { s.position[3] = not_a_number; });
  refused("position[3] is not above", [](MonotoneSpline& s) { s.position[3] = s.position[2]; });
  refused("value[2] is below", [](MonotoneSpline& s) { s.value[2] = -3; });
  refused("slope[4] is 0;", [](MonotoneSpline& s) { s.slope[4] = 0; });
  refused("slope[4] lets the curve fall", [](MonotoneSpline& s) { s.slope[4] = 9; });
  refused("segments[0] has cells of 0", [](MonotoneSpline& s) { s.segments[0].cell_width = 0; });
  refused("segments[0]: its 1 cells", [](MonotoneSpline& s) { s.segments[0].first_cell = 1, s.segments[0].cells = 1; });
  refused("cell_level[0] is 9", [](MonotoneSpline& s) { s.cell_level[0] = 9; });
  refused("cell_knot[1] is 2, not 1", [](MonotoneSpline& s) { s.cell_knot[1] = 2; });
  refused("position does not match", [](MonotoneSpline& s) { s.segments[0].begin += 0.1; });
  refused("cell_knot has 4 cells", [](MonotoneSpline& s) { s.main_segment = 0, s.segments.pop_back(); });
}

TEST_CASE("every other part of a layer whose size or dimension is wrong is refused before it is read") {
  const auto refused = [](const char* problem, Rotation rotation, Marginal marginal) {
    CAPTURE(problem);
    CHECK(contains(problem_of(behind_affine(std::move(rotation), std::move(marginal)), true),
                   concat("layer 1: ", problem)));
  };
  const arma::mat two(3, 2, arma::fill::zeros), three(3, 3, arma::fill::zeros);
  refused("affine: shift has 1 numbers and scale 2", Identity{}, AffineMarginal{{0}, {1, 1}});
  refused("affine: shift has 0 numbers", Identity{}, AffineMarginal{});
  refused("it has a rotation of 2 and a marginal of 3 dimensions", Identity{}, affine(3));
  refused("it has a rotation of 2 and a marginal of 1 dimensions", Identity{}, splines(1));
  refused("spline: there is no column", Identity{}, SplineMarginal{});
  refused("logistic mixture: mu is 0×0", Identity{}, LogisticMixture{});
  refused("logistic mixture: log_scale is 3×3", Identity{}, LogisticMixture{two, three, {}});
  refused("logistic mixture: log_scale is 0×0", Identity{}, LogisticMixture{two, {}, {}});
  refused("logistic mixture: logit, unless it is 0×0, is 3×3", Identity{}, LogisticMixture{two, two, three});
  refused("it has a rotation of 2 and a marginal of 3", Identity{}, LogisticMixture{three, three, {}});
  refused("logistic to normal: the dimension is 0", Identity{}, LogisticToNormal{});
  refused("it has a rotation of 2 and a marginal of 5", Identity{}, LogisticToNormal{5});
  refused("Orthogonal: q is 2×5", Orthogonal{arma::mat(2, 5, arma::fill::zeros)}, affine(2));
  refused("Orthogonal: q is 0×0", Orthogonal{}, affine(2));
  refused("it has a rotation of 3 ", Orthogonal{arma::eye(3, 3)}, affine(2));
  refused("Householder: v is 0×0", Householder{}, affine(2));
  refused("it has a rotation of 3 ", Householder{arma::mat(3, 1, arma::fill::ones)}, affine(2));
  refused("Householder: vector 0 is zero", Householder{arma::mat(2, 1, arma::fill::zeros)}, affine(2));
  CHECK(contains(problem_of(Flow{}, false), "no dimension"));
}

TEST_CASE("a patch rotation whose sizes do not agree is refused before it is read") {
  const auto refused = [](const char* problem, auto change) {
    CAPTURE(problem);
    PatchRotation rotation{4, 2, 1, false, arma::cube(4, 1, 4, arma::fill::ones)};
    change(rotation);
    CHECK(contains(problem_of(behind_affine(rotation, affine(16), 16), true), concat("layer 1: ", problem)));
  };
  refused("PatchRotation: side is 0", [](PatchRotation& r) { r.side = 0; });
  refused("PatchRotation: side is 4294967300", [](PatchRotation& r) { r.side = 4294967300; });
  refused("PatchRotation: patch is 0", [](PatchRotation& r) { r.patch = 0; });
  refused("PatchRotation: patch is 3", [](PatchRotation& r) { r.patch = 3; });
  refused("PatchRotation: shift is 4", [](PatchRotation& r) { r.shift = 4; });
  refused("PatchRotation: v is 4×1×3", [](PatchRotation& r) { r.v.set_size(4, 1, 3); });
  refused("PatchRotation: v is 3×1×4", [](PatchRotation& r) { r.v.set_size(3, 1, 4); });
  refused("it has a rotation of 4 ", [](PatchRotation& r) {
    r = {2, 2, 0, true, arma::cube(4, 1, 1, arma::fill::ones)};
  });
  refused("patch 3: Householder: vector 0 is zero", [](PatchRotation& r) { r.v.slice(3).zeros(); });
}

TEST_CASE("numbers that no layer can hold are refused by check") {
  const auto problem = [](Rotation rotation, Marginal marginal) {
    return problem_of(behind_affine(std::move(rotation), std::move(marginal)), false);
  };
  const arma::mat zero(3, 2, arma::fill::zeros);
  CHECK(contains(problem(Orthogonal{2 * arma::eye(2, 2)}, affine(2)), "layer 1: Orthogonal: q is not orthogonal"));
  CHECK(contains(problem(Orthogonal{arma::mat(2, 2).fill(not_a_number)}, affine(2)), "not finite"));
  CHECK(contains(problem(Identity{}, AffineMarginal{{0, 0}, {1, 0}}), "layer 1: affine: scale[1] is 0"));
  CHECK(contains(problem(Identity{}, AffineMarginal{{0, not_a_number}, {1, 1}}), "layer 1: affine: shift[1] is nan"));
  CHECK(contains(problem(Identity{}, LogisticMixture{zero, zero + 301, {}}), "log_scale holds ±301"));
  CHECK(contains(problem(Identity{}, LogisticMixture{zero, zero, zero / 0}), "logit holds a number"));
}
