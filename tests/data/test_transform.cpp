#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <armadillo>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/transform.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

#include "support/bytes.hpp"
#include "support/draws.hpp"
#include "support/laws.hpp"
#include "support/messages.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;
using Wide = boost::multiprecision::cpp_bin_float_50;

namespace {

arma::mat uniforms(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  RandomStream stream(Seed{seed}, Purpose::test);
  arma::mat x(rows, columns);
  x.imbue([&] { return stream.uniform(); });
  return x;
}

arma::mat number(double value) {
  return arma::mat(1, 1).fill(value);
}

double relative_difference(const arma::mat& a, const arma::mat& b) {
  return (arma::abs(a - b) / arma::abs(b)).max();
}

/// The sum over columns of the numeric derivative's logarithm, for one row.
double numeric_log_det(const Transform& transform, const arma::rowvec& row) {
  double sum = 0;
  for (arma::uword d = 0; d < row.n_elem; ++d) {
    const double step = 1e-4 * std::abs(row[d]);
    const auto f = [&](double v) {
      arma::mat moved = row;
      moved(0, d) = v;
      return forward(transform, moved).values(0, d);
    };
    sum += std::log(std::abs(testing::numeric_derivative(f, row[d], step)));
  }
  return sum;
}

}  // namespace

TEST_CASE("log_det is the derivative's, and the inverse gives it and x back") {
  const arma::mat x = normals(50, 3, 1);
  const arma::mat p = 0.05 + 0.9 * uniforms(50, 3, 2);
  const std::vector<std::pair<Transform, const arma::mat*>> cases{
      {Cube{}, &x},      {Affine{}, &x},   {Affine{-0.25, 3}, &x}, {fit_affine(normals(30, 3, 3) * 7 + 2), &x},
      {Logit{1e-5}, &p}, {Logit{0.1}, &p}, {Logit{0}, &p}};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    CAPTURE(c);
    const auto& [transform, data] = cases[c];
    const Transformed y = forward(transform, *data);
    for (arma::uword i = 0; i < 50; ++i)
      CHECK(relative_error(y.log_det[i], numeric_log_det(transform, data->row(i))) < 1e-9);
    const Transformed back = inverse(transform, y.values);
    CHECK(arma::abs(back.values - *data).max() < 1e-13);
    CHECK(arma::abs(back.log_det - y.log_det).max() < 1e-11);
  }
}

TEST_CASE("logit against 50 digits, to the ends of its domain") {
  const double lambda = 1e-6;
  const arma::mat x = arma::vec{0.0, 1e-12, 1e-7, 0.25, 0.5, 0.75, 1 - 1e-7, 1 - 1e-12, 1.0};
  const Transformed y = forward(Logit{lambda}, x);
  for (arma::uword i = 0; i < x.n_rows; ++i) {
    CAPTURE(i);
    const Wide p = Wide(lambda) + (1 - 2 * Wide(lambda)) * Wide(x[i]);
    const Wide exact = log(p / (1 - p));
    const Wide slope = log((1 - 2 * Wide(lambda)) / (p * (1 - p)));
    CHECK(std::abs(y.values[i] - static_cast<double>(exact)) < 1e-14);
    CHECK(std::abs(y.log_det[i] - static_cast<double>(slope)) < 1e-14);
  }
  const Transformed back = inverse(Logit{lambda}, y.values);
  CHECK(arma::abs(back.values - x).max() < 2e-16);
  CHECK(arma::abs(back.log_det - y.log_det).max() < 1e-14);
  // A model's samples may lie beyond the data: the inverse leaves [0, 1] by at most λ/(1 − 2λ), and says so.
  const arma::mat far = inverse(Logit{lambda}, arma::vec{-800.0, 800.0}).values;
  CHECK(relative_error(far[0], -lambda / (1 - 2 * lambda)) < 1e-14);
  CHECK(relative_error(far[1] - 1, lambda / (1 - 2 * lambda)) < 1e-9);
}

TEST_CASE("dequantise: integers with uniform noise, given back exactly, by seed and row") {
  arma::mat x(300, 40);
  RandomStream stream(Seed{5}, Purpose::test);
  x.imbue([&] { return static_cast<double>(stream.below(256)); });
  const Dequantise transform{256, Seed{9}};
  const Transformed y = forward(transform, x);
  CHECK(same_bytes(inverse(transform, y.values).values, x));
  CHECK(arma::abs(y.log_det + 40 * std::log(256.0)).max() < 1e-12);
  const arma::vec noise = arma::vectorise(y.values * 256 - x);
  CHECK(testing::kolmogorov_statistic({noise.begin(), noise.end()}, [](double u) { return u; }) < 1.95);
  CHECK(same_bytes(arma::mat(y.values.head_rows(7)), forward(transform, x.head_rows(7)).values));
  CHECK_FALSE(same_bytes(forward(Dequantise{256, Seed{8}}, x).values, y.values));
  // A number of levels that is no power of two, at its largest.
  const Dequantise odd{65535, Seed{1}};
  const arma::mat large = arma::floor(65535 * uniforms(500, 20, 6));
  CHECK(same_bytes(inverse(odd, forward(odd, large).values).values, large));
}

TEST_CASE("cube: exact to rounding over the whole range, refused where there is no density") {
  const arma::mat x{{1e-102, -3e-60, 1e-7, -0.5, 1.0, -17.0, 1e50, -5e102}};
  const Transformed y = forward(Cube{}, x);
  CHECK(relative_difference(inverse(Cube{}, y.values).values, x) < 4e-16);
  CHECK(relative_error(y.log_det[0], arma::accu(arma::log(3 * arma::square(x.cols(2, 6)))) + std::log(3.0) * 3 +
                                         2 * (std::log(1e-102) + std::log(3e-60) + std::log(5e102))) < 1e-14);
  arma::mat zero = normals(5, 3, 7);
  zero(3, 1) = -0.0;
  const std::string message = data_error([&] { forward(Cube{}, zero); });
  CHECK(contains(message, "row 3, column 1"));
  CHECK(contains(data_error([] { forward(Cube{}, number(1e-110)); }), "row 0, column 0"));
  CHECK(contains(data_error([] { forward(Cube{}, arma::mat{{1.0, 1e110}}); }), "row 0, column 1"));
  CHECK(contains(data_error([] { inverse(Cube{}, number(0.0)); }), "row 0, column 0"));
}

TEST_CASE("a normal distribution stretched and brought back keeps its likelihood") {
  // x ~ N(0, 1), y = x³: log p(y) = log φ(x) − log 3x², so that adding log_det must give log φ(x).
  const arma::mat x = normals(200, 1, 8);
  const Transformed y = forward(Cube{}, x);
  for (arma::uword i = 0; i < 200; ++i) {
    const double root = std::cbrt(y.values[i]);
    const double density_of_y = -root * root / 2 - std::log(std::sqrt(2 * std::numbers::pi) * 3 * root * root);
    CHECK(relative_error(density_of_y + y.log_det[i], -x[i] * x[i] / 2 - std::log(2 * std::numbers::pi) / 2) < 1e-14);
  }
}

TEST_CASE("transforms compose: values in order, log-determinants added") {
  const std::vector<Transform> chain{Affine{2, -1}, Cube{}, Affine{1000, 51}};
  const arma::mat x = normals(20, 2, 9);
  const Transformed y = forward(chain, x);
  const arma::mat inner = 2 * x - 1;
  CHECK(relative_difference(y.values, 1000 * inner % inner % inner + 51) < 1e-15);
  const arma::vec expected = arma::sum(arma::log(3 * arma::square(inner)), 1) + 2 * std::log(2.0) + 2 * std::log(1000);
  CHECK(arma::abs(y.log_det - expected).max() < 1e-12);
  const Transformed back = inverse(chain, y.values);
  CHECK(arma::abs(back.values - x).max() < 1e-10);
  const Transformed same = forward(std::vector<Transform>{}, x);
  CHECK(same_bytes(same.values, x));
  CHECK(arma::abs(same.log_det).max() == 0);
}

TEST_CASE("bits per dimension: uniform pixels take 8 bits, whatever the space they are modelled in") {
  arma::mat pixels(100, 30);
  RandomStream stream(Seed{10}, Purpose::test);
  pixels.imbue([&] { return static_cast<double>(stream.below(256)); });
  for (const double lambda : {1e-6, 1e-5, 0.05}) {
    const std::vector<Transform> transforms = image_transforms(lambda, Seed{1});
    const Transformed y = forward(transforms, pixels);
    // The density of logit(λ + (1 − 2λ)U) is p(1 − p)/(1 − 2λ), p = σ(y): what a perfect model would say.
    arma::vec model(100, arma::fill::zeros);
    for (arma::uword d = 0; d < 30; ++d)
      for (arma::uword i = 0; i < 100; ++i) {
        const double p = 1 / (1 + std::exp(-y.values(i, d)));
        model[i] += std::log(p * (1 - p) / (1 - 2 * lambda));
      }
    const Estimate bits = bits_per_dimension(model + y.log_det, 30);
    CHECK(relative_error(bits.value, 8) < 1e-14);
    CHECK(bits.standard_error < 1e-9);
    // The formula of the paper's reference code.
    const arma::vec logit_part = y.log_det + 30 * std::log(256.0);
    const double published = (-arma::mean(model) - arma::mean(logit_part)) / (30 * std::numbers::ln2) + 8;
    CHECK(relative_error(bits.value, published) < 1e-14);
  }
  CHECK(relative_error(bits_per_dimension(arma::vec{-std::numbers::ln2 * 4, -std::numbers::ln2 * 8}, 2).value, 3) <
        1e-14);
}

TEST_CASE("values outside a domain are named, parameters checked") {
  CHECK(contains(data_error([] { forward(Dequantise{}, arma::mat{{0, 255}, {256, 3}}); }), "row 1, column 0 is 256"));
  CHECK(contains(data_error([] { forward(Dequantise{}, arma::mat{{0, 2.5}}); }), "row 0, column 1 is 2.5"));
  CHECK(contains(data_error([] { forward(Logit{}, arma::mat{{0.5, 1.5}}); }), "row 0, column 1 is 1.5"));
  CHECK(contains(data_error([] { forward(Logit{0}, arma::mat{{0.5, 0}}); }), "positive lambda"));
  CHECK_THROWS_AS(forward(Logit{0.5}, number(0.5)), std::invalid_argument);
  CHECK_THROWS_AS(forward(Affine{0, 1}, number(0.5)), std::invalid_argument);
  CHECK_THROWS_AS(forward(Dequantise{1}, number(0)), std::invalid_argument);
  CHECK_THROWS_AS(forward(Affine{}, number(std::nan(""))), std::invalid_argument);
  CHECK_THROWS_AS(forward(fit_affine(normals(5, 2, 1)), number(0.5)), std::invalid_argument);
}
