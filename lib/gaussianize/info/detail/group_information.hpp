#pragma once

#include <armadillo>

#include "gaussianize/info/detail/copula_model.hpp"

namespace gaussianize::detail {

/// I(X; Y) between two groups of columns, as terms of the rows. A bijection of a group by itself leaves I as it is: a
/// group that no elliptical copula fits is Gaussianized first, by RBIG on all its rows, so that hardly anything but
/// the dependence between the groups is left for the models of both together. Then I = I(X, Y) − I(X) − I(Y), row by
/// row. With few columns, nearest neighbours in both groups (N2) replace that where they find more.
CopulaFit fit_groups(const Scores& scores, const arma::uvec& in_x, const arma::uvec& in_y,
                     const MeasureOptions& options);

}  // namespace gaussianize::detail
