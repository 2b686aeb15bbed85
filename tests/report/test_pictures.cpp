#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

#include "io/temporary_folder.hpp"
#include "report/charts.hpp"
#include "report/row_pictures.hpp"
#include "support/closeness.hpp"
#include "support/draws.hpp"
#include "support/skip.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::normals;
using namespace gaussianize::report;
using gaussianize::testing::contains;
using gaussianize::testing::skipped;

namespace {

/// gnuplot draws it without a warning, and it takes less than 800 kB in a page.
void check_drawn(const Picture& picture) {
  CHECK_FALSE(picture.description.empty());
  const Drawing drawing = draw(picture, PictureFormat::svg);
  CHECK(drawing.problem == "");
  CHECK(data_url(drawing.bytes).size() < 800000);
  CHECK_FALSE(contains(drawing.bytes, "NaN"));
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
  CHECK(testing::relative_error(grid.density(2, 1), std::exp(log_density(flow, point)(0))) < 1e-12);
  CHECK_THROWS_AS(density_grid(fit_gaussian(normals(50, 3, 5)), {}, {}, 4), std::invalid_argument);
}

TEST_CASE("that share of the values lies below a tail level") {
  const arma::vec values = arma::regspace(1, 1000);
  CHECK(testing::relative_error(tail_level(values, 0.01), 10.5) < 1e-12);
  CHECK(arma::accu(values < tail_level(values, 0.01)) == 10);
  CHECK_THROWS_AS(tail_level(values, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(tail_level(arma::vec{}, 0.1), std::invalid_argument);
}

TEST_CASE("pictures of large data are small, have the same bytes every time, and take any name") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
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

TEST_CASE("pictures of few, constant or missing values are drawn") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  check_drawn(quantile_picture(normals(2, 1, 5), {"z"}, "two rows"));
  check_drawn(score_picture({"two", arma::vec{1, 1}}, {}));
  check_drawn(points_picture({.title = "none", .points = arma::mat(0, 2)}, Seed{1}));
  check_drawn(scatter_matrix_picture(
      {.first = arma::mat(5, 3, arma::fill::ones), .first_name = "constant", .columns = {"a", "b", "c"}}, Seed{1}));
  check_drawn(scatter_matrix_picture(
      {.first = 1e200 * normals(50, 3, 5), .first_name = "large", .columns = {"a", "b", "c"}}, Seed{1}));
  check_drawn(curve_picture({.training = {1.0}}, "one step", ink::blue));
  check_drawn(curve_picture({.validation = {unknown, 3.0, 2.0}, .kept = 3}, "no training", ink::blue));
}

TEST_CASE("negative and missing values of a trace are drawn, up to J and its error bar") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  const LayerTrace trace{.total_correlation = {{1.0, 0.1}, {0.2, 0.1}, {unknown, unknown}},
                         .marginal_negentropy = {{0.5, 0.05}, {-0.01, 0.02}, {0.0, 0.01}}};
  CHECK(testing::relative_error(trace_top(trace), 1.7) < 1e-12);
  check_drawn(trace_picture(trace, "trace", trace_top(trace)));
  check_drawn(trace_picture({{{0.0, 0.0}}, {{0.0, 0.0}}}, "nothing left", 0.0));
}

TEST_CASE("pairs are drawn for few and many columns") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  arma::mat nats(8, 8, arma::fill::value(0.25));
  nats(1, 2) = nats(2, 1) = unknown;
  nats(3, 4) = nats(4, 3) = -0.01;
  check_drawn(pairs_picture(nats, nasty));
  check_drawn(pairs_picture(arma::mat(2, 2, arma::fill::value(unknown)), {"a", "b"}));
  check_drawn(pairs_picture(arma::mat(90, 90, arma::fill::value(0.1)), std::vector<std::string>(90, "column")));
}

TEST_CASE("charts refuse curves without values, uneven traces and names of other columns") {
  CHECK_THROWS_AS(curve_picture({}, "", ink::blue), std::invalid_argument);
  CHECK_THROWS_AS(curve_picture({.training = {unknown}}, "", ink::blue), std::invalid_argument);
  CHECK_THROWS_AS(trace_top({{{0.0, 0.0}}, {}}), std::invalid_argument);
  CHECK_THROWS_AS(pairs_picture(arma::mat(8, 8), {"a"}), std::invalid_argument);
}

TEST_CASE("images stand in a grid, row by row, with a black line between") {
  // Three 2×2 images in two columns: a 5×5 picture.
  const arma::mat images{{0.0, 0.2, 0.4, 1.0}, {1.0, 1.0, 1.0, 1.0}, {0.0, 0.5, 0.7, 0.0}};
  const Picture picture = image_grid_picture(images, 2, 2);
  CHECK(picture.width == 5);
  CHECK(picture.height == 5);
  CHECK(contains(picture.script, "0 0.2 0 1 1\n0.4 1 0 1 1\n0 0 0 0 0\n0 0.5 0 0 0\n0.7 0 0 0 0\n"));
}

TEST_CASE("a grid refuses images of another size, none at all, and values that are not numbers") {
  CHECK_THROWS_AS(image_grid_picture(arma::mat(1, 5), 2, 2), std::invalid_argument);
  CHECK_THROWS_AS(image_grid_picture(arma::mat(0, 4), 2, 2), std::invalid_argument);
  CHECK_THROWS_AS(image_grid_picture(arma::mat(1, 4), 2, 0), std::invalid_argument);
  CHECK_THROWS_AS(image_grid_picture(arma::mat(1, 4, arma::fill::value(arma::datum::nan)), 2, 1),
                  std::invalid_argument);
}

TEST_CASE("a grid of images is drawn") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  arma::mat images(3, 28 * 28, arma::fill::value(0.5));
  images(0) = -3;
  images(1) = 7;
  check_drawn(image_grid_picture(images, 28, 2));
  const Drawing png = draw(image_grid_picture(images, 28, 2), PictureFormat::png);
  CHECK(png.problem == "");
  CHECK(png.bytes.starts_with("\x89PNG"));
}
