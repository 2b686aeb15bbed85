#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

namespace gaussianize::detail {

// Tensors are in C order, Armadillo goes column by column. No bit of a number changes on the way, NaNs included.

/// The entries of a matrix row by row; of a cube slice by slice, each row by row.
std::vector<double> row_major(const arma::mat& matrix);
std::vector<double> row_major(const arma::cube& cube);

/// The reverse. Requires as many values as the extents give.
arma::mat from_row_major(const std::vector<double>& values, std::size_t rows, std::size_t columns);
arma::cube from_row_major(const std::vector<double>& values, std::size_t slices, std::size_t rows, std::size_t columns);

}  // namespace gaussianize::detail
