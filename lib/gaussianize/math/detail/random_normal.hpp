#pragma once

#include <armadillo>

#include "gaussianize/core/random.hpp"

namespace gaussianize::detail {

/// Fills with independent standard normals, Φ⁻¹(u) of the stream's uniforms in order: the same bits on every machine,
/// since SimdLoops::quantile is the same with every instruction set.
void fill_normal(RandomStream& stream, double* values, std::size_t count);

/// A rows × columns matrix of independent standard normals, in column-major order of the stream.
arma::mat random_normal(std::size_t rows, std::size_t columns, RandomStream& stream);

}  // namespace gaussianize::detail
