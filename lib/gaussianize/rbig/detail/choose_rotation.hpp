#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/estimate.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {

struct RotationChoice {
  arma::mat q;
  RotationKind kind = RotationKind::identity;
  bool converged = true;
};

/// The rotation for rotating layer number `index` (0 for the first that mixes columns) of data x. Depends only on
/// the seed, the index and the data.
RotationChoice choose_rotation(const arma::mat& x, RotationKind kind, std::size_t index, Seed seed, int threads);

/// Mean and standard deviation (not error) of the J_m that one layer sees in N(0, I) data of `rows` × `dimension`, the
/// search for the rotation included: directions chosen as the least normal are partly so by chance. From 12
/// seeded replicates.
Estimate null_negentropy(std::size_t rows, std::size_t dimension, RotationKind kind, std::size_t report_rows, Seed seed,
                         int threads);

}  // namespace gaussianize::detail
