#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

#include "io/temporary_folder.hpp"
#include "report/page.hpp"
#include "report/pictures.hpp"
#include "report/svg.hpp"
#include "support/draws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::normals;
using namespace gaussianize::report;
using gaussianize::testing::contains;

namespace {

/// Draws it where gnuplot is installed: without a word from gnuplot, and smaller than 300 kB in a page.
void check_drawn(const Picture& picture) {
  CHECK_FALSE(picture.description.empty());
  if (!find_gnuplot()) {
    MESSAGE("gnuplot is not installed: not drawn");
    return;
  }
  const Drawing drawing = draw_svg(picture);
  CHECK(drawing.problem == "");
  if (drawing.bytes.empty()) return;
  const std::string svg = inline_svg(drawing.bytes, "p-", picture.description);
  CHECK(svg.size() < 300000);
  CHECK_FALSE(contains(svg, "NaN"));
}

const std::vector<std::string> nasty{"`id`", "50 %d", "a'b", "$x @y", "{/Bold z}_1^2", "\xFF\n", "<b>&", "\\"};

}  // namespace

TEST_CASE("thinning keeps small data, and draws distinct rows of large ones by the seed") {
  const arma::mat x = arma::reshape(arma::regspace(0, 1999), 1000, 2);
  CHECK(arma::approx_equal(thinned(x, 1000, Seed{1}), x, "absdiff", 0.0));
  const arma::mat some = thinned(x, 100, Seed{1});
  REQUIRE(some.n_rows == 100);
  CHECK(arma::all(some.col(1) - some.col(0) == 1000));
  CHECK(std::set<double>(some.begin_col(0), some.end_col(0)).size() == 100);
  CHECK(arma::approx_equal(thinned(x, 100, Seed{1}), some, "absdiff", 0.0));
  CHECK_FALSE(arma::approx_equal(thinned(x, 100, Seed{2}), some, "absdiff", 0.0));
}

TEST_CASE("a density on a grid is the flow's density there") {
  const arma::mat x = normals(500, 2, 5);
  const Flow flow = fit_gaussian(x);
  const DensityGrid grid = density_grid(flow, {-1, 2}, {-3, 1}, 4);
  REQUIRE(grid.density.n_rows == 4);
  REQUIRE(grid.density.n_cols == 4);
  const arma::mat point{{1.0, -3.0 + 4.0 / 3.0}};  // the third x and the second y
  CHECK(grid.density(2, 1) == doctest::Approx(std::exp(log_density(flow, point)(0))).epsilon(1e-12));
  CHECK_THROWS_AS(density_grid(fit_gaussian(normals(50, 3, 5)), {}, {}, 4), std::invalid_argument);
}

TEST_CASE("tail levels cut off their share") {
  const arma::vec values = arma::regspace(1, 1000);
  CHECK(tail_level(values, 0.01) == doctest::Approx(10.5));
  CHECK(arma::accu(values < tail_level(values, 0.01)) == 10);
  CHECK_THROWS_AS(tail_level(values, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(tail_level(arma::vec{}, 0.1), std::invalid_argument);
}

TEST_CASE("pictures of large data are small, of the same bytes every time, and survive any name") {
  const arma::mat x = normals(20000, 8, 5);
  const ScatterMatrix matrix{.first = x, .second = -x, .first_name = "a'b", .second_name = "`x`", .columns = nasty};
  const Picture picture = scatter_matrix_picture(matrix, Seed{1});
  CHECK(picture.script == scatter_matrix_picture(matrix, Seed{1}).script);
  check_drawn(picture);
  check_drawn(scatter_matrix_picture(
      {.first = x.head_cols(2), .first_name = "x", .columns = {"a", "b"}, .order = {1, 0}}, Seed{1}));
  check_drawn(scatter_matrix_picture({.first = x.head_cols(1), .first_name = "x", .columns = {"a"}}, Seed{1}));
  const PointsPanel panel{.title = nasty[4],
                          .points = x.head_cols(2),
                          .x_label = nasty[0],
                          .y_label = nasty[2],
                          .x = {-3, 3},
                          .y = {-3, 3}};
  check_drawn(points_picture(panel, Seed{1}));
  const Flow flow = fit_gaussian(x.head_cols(2));
  check_drawn(density_picture(density_grid(flow, panel.x, panel.y, 140), 0.16, panel, Seed{1}));
  check_drawn(quantile_picture(x, nasty, nasty[5]));
  check_drawn(score_picture({nasty[1], x.col(0)}, {nasty[2], x.col(1)}));
}

TEST_CASE("pictures of little or odd data are drawn") {
  check_drawn(quantile_picture(normals(2, 1, 5), {"z"}, "two rows"));
  check_drawn(score_picture({"two", arma::vec{1, 1}}, {}));
  check_drawn(points_picture({.title = "none", .points = arma::mat(0, 2)}, Seed{1}));
  check_drawn(scatter_matrix_picture(
      {.first = arma::mat(5, 3, arma::fill::ones), .first_name = "constant", .columns = {"a", "b", "c"}}, Seed{1}));
  check_drawn(scatter_matrix_picture(
      {.first = 1e200 * normals(50, 3, 5), .first_name = "large", .columns = {"a", "b", "c"}}, Seed{1}));
  check_drawn(curve_picture({.training = {1.0}}, "one step", ink::blue));
  check_drawn(curve_picture({.validation = {unknown, 3.0, 2.0}, .kept = 3}, "no training", ink::blue));
  CHECK_THROWS_AS(curve_picture({}, "", ink::blue), std::invalid_argument);
  CHECK_THROWS_AS(curve_picture({.training = {unknown}}, "", ink::blue), std::invalid_argument);
}

TEST_CASE("the top of a trace is J and its error bar; negative and missing values are drawn") {
  const LayerTrace trace{.total_correlation = {{1.0, 0.1}, {0.2, 0.1}, {unknown, unknown}},
                         .marginal_negentropy = {{0.5, 0.05}, {-0.01, 0.02}, {0.0, 0.01}}};
  CHECK(trace_top(trace) == doctest::Approx(1.7));
  check_drawn(trace_picture(trace, "trace", trace_top(trace)));
  check_drawn(trace_picture({{{0.0, 0.0}}, {{0.0, 0.0}}}, "nothing left", 0.0));
  CHECK_THROWS_AS(trace_top({{{0.0, 0.0}}, {}}), std::invalid_argument);
}

TEST_CASE("pairs are drawn for few and many columns") {
  arma::mat nats(8, 8, arma::fill::value(0.25));
  nats(1, 2) = nats(2, 1) = unknown;
  nats(3, 4) = nats(4, 3) = -0.01;
  check_drawn(pairs_picture(nats, nasty));
  check_drawn(pairs_picture(arma::mat(2, 2, arma::fill::value(unknown)), {"a", "b"}));
  check_drawn(pairs_picture(arma::mat(90, 90, arma::fill::value(0.1)), std::vector<std::string>(90, "column")));
  CHECK_THROWS_AS(pairs_picture(nats, {"a"}), std::invalid_argument);
}
