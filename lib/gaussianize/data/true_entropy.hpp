#pragma once

#include <cstddef>
#include <optional>

#include "gaussianize/data/known_distribution.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// The distribution's differential entropy, in nats: closed forms, with at most one quickly converging series or
/// one-dimensional integral; exact to 1e-9. Throws std::invalid_argument if dimension is 0.
double true_entropy(KnownDistribution kind, std::size_t dimension);

/// The distribution's total correlation, Σ_d h(x_d) − h(x), in nats: exact to 1e-9, and for the rotated distributions,
/// whose marginals come from their characteristic functions, to 1e-6. Nothing for the sine chain, whose marginals have
/// no simple form. Throws std::invalid_argument if dimension is 0.
std::optional<double> true_total_correlation(KnownDistribution kind, std::size_t dimension);

}  // namespace gaussianize
#pragma GCC visibility pop
