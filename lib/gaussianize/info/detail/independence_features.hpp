#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"

/// What the tests of independence look at: functions of single columns, and products of them.
///
/// With u = Φ(z) of a normal score z, the cosines c_j(u) = √2 cos(πju), j = 1, 2, …, and the constant are an
/// orthonormal basis of the functions of u. Columns are independent exactly if the mean of every product of cosines of
/// two or more different columns is zero, so all such products together see every dependence.
namespace gaussianize::detail {

/// How many of the rows are looked at, for so many columns in all: at most 10,000 rows and 200,000 values.
std::size_t rows_used(std::size_t rows, std::size_t columns);

/// n evenly spaced rows.
arma::mat spaced_rows(const arma::mat& z, std::size_t n);

/// Columns centred and of unit length; a constant one becomes zeros.
arma::mat standardised(arma::mat f);

/// An orthonormal basis of the columns' span.
arma::mat whitened(const arma::mat& f);

/// z and z² of every column, side by side: column d has features 2d and 2d + 1, standardised.
arma::mat location_and_scale(const arma::mat& z);

/// The cosines j = 1 … count of Φ(z) of every column, side by side: column d has features d·count + j − 1,
/// standardised.
arma::mat cosines(const arma::mat& z, std::size_t count);

/// The product of columns of cosines(z, count), each of another column of z.
struct Product {
  std::vector<arma::uword> factors;  ///< increasing
  double weight = 1.0;               ///< Π 1/j
};

/// Up to `max_count` products of `min_size` or more of `columns` columns' cosines, for so many rows. Those of the first
/// cosine alone come first, small ones before large ones and that of all columns in any case; the rest are drawn at
/// random, low j more often. The fourth moment of a product of k is (3/2)^k, so that more than log(rows)/log(3/2) of
/// them would leave the sum to single rows: there are none.
std::vector<Product> products(std::size_t columns, std::size_t count, std::size_t min_size, std::size_t max_count,
                              std::size_t rows, RandomStream& stream);

/// Σ_i Π f(i, k) over the factors k of each product. f has unit columns; √N^(size − 1) makes the sums' variance 1
/// under independence, and is applied.
arma::vec standardised_sums(const std::vector<Product>& products, const arma::mat& f);

/// About `max_count` standardised functions of the rows of z as a whole: cosines, and products of cosines.
arma::mat group_features(const arma::mat& z, std::size_t max_count, RandomStream& stream);

/// A group's functions as the tests of two groups compare them: scores and squares, each whitened, and group_features.
struct GroupFeatures {
  arma::mat location, scale, further;

  arma::mat side_by_side() const { return arma::join_rows(location, scale, further); }
};

/// Squared products of x's functions with y's, which stand side by side in `of_y`, rows in any order: sums for location
/// with location, scale with scale, and one with the other; for further functions their sum and the largest.
arma::vec group_statistics(const GroupFeatures& x, const arma::mat& of_y, const GroupFeatures& y);

/// What the last two of these are handicapped by, as are their likes in other tests.
constexpr double further_handicap = 1.0;

}  // namespace gaussianize::detail
