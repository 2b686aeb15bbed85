#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/marginal/affine.hpp"
#include "gaussianize/math/estimate.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Maps of data that are applied before a model is fitted, each invertible and acting on every number alone. A model of
/// y = f(x) is a model of x: log p(x) = log p(y) + log |det ∂y/∂x|, and log_det is that last term, row by row. N×D to
/// N×D throughout.

/// y = (x + u)/levels, for integers 0 ≤ x < levels: u is uniform on (0, 1), so that data with ties get a density, and E
/// log p(y) + log_det bounds the log probability of the integers from below. Row i's noise depends on the seed and on i
/// alone. The inverse rounds down: it gives the integers back exactly.
struct Dequantise {
  std::size_t levels = 256;  ///< from 2 to 65536
  Seed seed = {};
};

/// y = logit(λ + (1 − 2λ) x) for x in [0, 1], or in (0, 1) if λ = 0. The inverse takes any y; beyond logit λ and
/// logit(1 − λ) it leaves [0, 1], by at most λ/(1 − 2λ).
struct Logit {
  double lambda = 1e-6;  ///< in [0, ½)
};

/// y = x³. Its slope at 0 is 0, so that a density of y does not determine that of x there: a value whose cube is 0 or
/// subnormal, |x| below 2.8e-103, is refused by name rather than given a log_det of −∞; likewise one whose cube
/// overflows.
struct Cube {};

/// y = scale·x + shift, the same for every column. The defaults are the paper's.
struct Affine {
  double scale = 1000;  ///< finite, not 0
  double shift = 51;
};

/// The last one standardises, y = (x − shift)/scale column by column; fit_affine fits it.
using Transform = std::variant<Dequantise, Logit, Cube, Affine, AffineMarginal>;

struct Transformed {
  arma::mat values;
  arma::vec log_det;  ///< of the forward map, log |det ∂y/∂x|, whichever way was gone
};

/// y and its log_det. Throws DataError, naming row, column and value, where x is outside the domain, and
/// std::invalid_argument for values that are not finite, and for parameters or a number of columns that the transform
/// does not have.
Transformed forward(const Transform& transform, const arma::mat& x);

/// x and the forward map's log_det there.
Transformed inverse(const Transform& transform, const arma::mat& y);

/// The transforms one after the other, the first first; log_det is the sum. The inverse goes back from the last.
Transformed forward(std::span<const Transform> transforms, const arma::mat& x);
Transformed inverse(std::span<const Transform> transforms, const arma::mat& y);

/// The paper's way from pixels 0 … 255 to the numbers that its image models see: dequantised, then Logit.
std::vector<Transform> image_transforms(double lambda, Seed seed);

/// The mean of −log p/(D log 2) and its standard error, from log densities in nats of integer-valued data: of pixels,
/// not of what they were mapped to, so add log_det first. With image_transforms that is
///   (NLL_logit − Σ log-derivative of the logit map)/(D log 2) + 8.
Estimate bits_per_dimension(const arma::vec& log_density, std::size_t dimension);

}  // namespace gaussianize
#pragma GCC visibility pop
