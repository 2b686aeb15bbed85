#include "gaussianize/data/transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/flow/flow.hpp"

namespace gaussianize {
using namespace detail;
namespace {

[[noreturn]] void refuse(const char* what, arma::uword row, arma::uword column, double value, const char* reason) {
  throw DataError(concat(what, ": row ", row, ", column ", column, " is ", value, "; ", reason));
}

/// One number at a time: body(value, log_slope) replaces the value and returns whether it was in the domain.
template <class Body>
Transformed each_number(const arma::mat& x, const char* what, const char* domain, Body body) {
  Transformed result{x, arma::vec(x.n_rows, arma::fill::zeros)};
  for (arma::uword d = 0; d < x.n_cols; ++d)
    for (arma::uword i = 0; i < x.n_rows; ++i) {
      double log_slope = 0;
      if (!body(result.values(i, d), log_slope)) refuse(what, i, d, x(i, d), domain);
      result.log_det[i] += log_slope;
    }
  return result;
}

void check(const Dequantise& t) {
  require(t.levels >= 2 && t.levels <= 65536, "dequantise: ", t.levels, " levels; give 2 to 65536");
}

void check(const Logit& t) {
  require(t.lambda >= 0 && t.lambda < 0.5, "logit: lambda is ", t.lambda, "; it must be at least 0 and below 0.5");
}

void check(const Cube&) {}

void check(const Affine& t) {
  require(std::isfinite(t.scale) && t.scale != 0 && std::isfinite(t.shift), "affine: scale ", t.scale, " and shift ",
          t.shift, "; they must be finite and the scale not 0");
}

arma::vec constant_log_det(const arma::mat& x, double each_row) {
  return arma::vec(x.n_rows).fill(each_row);
}

arma::vec scaled_log_det(const arma::mat& x, double scale) {
  return constant_log_det(x, static_cast<double>(x.n_cols) * std::log(std::abs(scale)));
}

Transformed forward(const Dequantise& t, const arma::mat& x) {
  const auto levels = static_cast<double>(t.levels);
  Transformed result =
      each_number(x, "dequantise", "give integers from 0 to below the number of levels",
                  [&](double& value, double&) { return value >= 0 && value < levels && value == std::floor(value); });
  for (arma::uword i = 0; i < x.n_rows; ++i) {
    RandomStream stream(t.seed, Purpose::dequantise, i);
    for (arma::uword d = 0; d < x.n_cols; ++d) {
      // Noise of 32 bits: the sum is exact, so it can never round up to the next integer.
      const double u = (static_cast<double>(stream.bits() >> 32) + 0.5) * 0x1p-32;
      result.values(i, d) = (result.values(i, d) + u) / levels;
    }
  }
  result.log_det = scaled_log_det(x, 1 / levels);
  return result;
}

Transformed inverse(const Dequantise& t, const arma::mat& y) {
  const auto levels = static_cast<double>(t.levels);
  return {arma::floor(y * levels), scaled_log_det(y, 1 / levels)};
}

/// log((1 − 2λ)/(p q)), p + q = 1.
double logit_log_slope(const Logit& t, double log_p, double log_q) {
  return std::log1p(-2 * t.lambda) - log_p - log_q;
}

Transformed forward(const Logit& t, const arma::mat& x) {
  const char* domain = t.lambda > 0 ? "give values from 0 to 1" : "give values between 0 and 1, or a positive lambda";
  return each_number(x, "logit", domain, [&](double& value, double& log_slope) {
    const double log_p = std::log(t.lambda + (1 - 2 * t.lambda) * value);
    const double log_q = std::log(t.lambda + (1 - 2 * t.lambda) * (1 - value));
    const bool inside = value >= 0 && value <= 1;
    value = log_p - log_q;
    log_slope = logit_log_slope(t, log_p, log_q);
    return inside && std::isfinite(value);
  });
}

Transformed inverse(const Logit& t, const arma::mat& y) {
  return each_number(y, "logit, inverse", "give finite values", [&](double& value, double& log_slope) {
    const bool inside = std::isfinite(value);
    // log p = −log(1 + e^{−y}), log q = −log(1 + e^{y}), each without overflow.
    const double smaller = std::log1p(std::exp(-std::abs(value)));
    const double log_p = -smaller - std::max(0.0, -value);
    const double log_q = -smaller - std::max(0.0, value);
    log_slope = logit_log_slope(t, log_p, log_q);
    // From the nearer end, so that small values and small distances from 1 are both exact.
    const double near = (std::exp(std::min(log_p, log_q)) - t.lambda) / (1 - 2 * t.lambda);
    value = value < 0 ? near : 1 - near;
    return inside;
  });
}

bool cube_slope(double x, double& log_slope) {
  log_slope = std::log(3.0) + 2 * std::log(std::abs(x));
  return std::isnormal(x * x * x);
}

Transformed forward(const Cube&, const arma::mat& x) {
  return each_number(x, "cube", "its cube must be a normal number; at 0 the slope is 0 and there is no density",
                     [](double& value, double& log_slope) {
                       const bool inside = cube_slope(value, log_slope);
                       value = value * value * value;
                       return inside;
                     });
}

Transformed inverse(const Cube&, const arma::mat& y) {
  return each_number(y, "cube, inverse", "give finite values other than 0; there the slope is 0",
                     [](double& value, double& log_slope) {
                       const bool inside = std::isnormal(value);
                       value = std::cbrt(value);
                       log_slope = std::log(3.0) + 2 * std::log(std::abs(value));
                       return inside;
                     });
}

Transformed forward(const Affine& t, const arma::mat& x) {
  return {x * t.scale + t.shift, scaled_log_det(x, t.scale)};
}

Transformed inverse(const Affine& t, const arma::mat& y) {
  return {(y - t.shift) / t.scale, scaled_log_det(y, t.scale)};
}

void check_columns(const AffineMarginal& t, const arma::mat& x) {
  require(x.n_cols == t.shift.n_elem, "standardise: ", x.n_cols, " columns where the transform has ", t.shift.n_elem);
}

Transformed forward(const AffineMarginal& t, const arma::mat& x) {
  check_columns(t, x);
  Transformed result{x, arma::vec(x.n_rows, arma::fill::zeros)};
  forward(t, result.values, result.log_det);
  return result;
}

Transformed inverse(const AffineMarginal& t, const arma::mat& y) {
  check_columns(t, y);
  Transformed result{y, constant_log_det(y, -arma::accu(arma::log(t.scale)))};
  inverse(t, result.values);
  return result;
}

}  // namespace

Transformed forward(const Transform& transform, const arma::mat& x) {
  return std::visit(
      [&](const auto& t) {
        check(t);
        require_finite(x, "transform");
        return forward(t, x);
      },
      transform);
}

Transformed inverse(const Transform& transform, const arma::mat& y) {
  return std::visit(
      [&](const auto& t) {
        check(t);
        require_finite(y, "transform, inverse");
        return inverse(t, y);
      },
      transform);
}

Transformed forward(std::span<const Transform> transforms, const arma::mat& x) {
  Transformed result{x, arma::vec(x.n_rows, arma::fill::zeros)};
  for (const Transform& transform : transforms) {
    Transformed next = forward(transform, result.values);
    result = {std::move(next.values), result.log_det + next.log_det};
  }
  return result;
}

Transformed inverse(std::span<const Transform> transforms, const arma::mat& y) {
  Transformed result{y, arma::vec(y.n_rows, arma::fill::zeros)};
  for (auto transform = transforms.rbegin(); transform != transforms.rend(); ++transform) {
    Transformed next = inverse(*transform, result.values);
    result = {std::move(next.values), result.log_det + next.log_det};
  }
  return result;
}

std::vector<Transform> image_transforms(double lambda, Seed seed) {
  return {Dequantise{256, seed}, Logit{lambda}};
}

Estimate bits_per_dimension(const arma::vec& log_density, std::size_t dimension) {
  require(dimension > 0, "bits_per_dimension: dimension is 0");
  const Estimate mean = mean_estimate(log_density);
  const double bit = static_cast<double>(dimension) * std::numbers::ln2;
  return {-mean.value / bit, mean.standard_error / bit};
}

}  // namespace gaussianize
