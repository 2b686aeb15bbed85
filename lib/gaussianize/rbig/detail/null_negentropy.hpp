#pragma once

#include <cstddef>

#include "gaussianize/math/estimate.hpp"
#include "gaussianize/rbig/detail/choose_rotation.hpp"

namespace gaussianize::detail {

/// Mean and standard deviation (not error) of the J_m that one layer sees in N(0, I) data of `rows` × `dimension`, the
/// search for the rotation included: directions chosen because they look least normal do so by chance as well. From 12
/// seeded replicates.
Estimate null_negentropy(std::size_t rows, std::size_t dimension, RotationKind kind, std::size_t report_rows, Seed seed,
                         int threads);

}  // namespace gaussianize::detail
