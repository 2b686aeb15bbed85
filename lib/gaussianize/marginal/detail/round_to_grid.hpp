#pragma once

#include <armadillo>

namespace gaussianize::detail {

/// x with each column rounded to a millionth of its spread (a power of two). Searches, whose branches can turn on the
/// last bit, work on this copy: data in other units, which differ from x by rounding alone, give the same copy and with
/// it the same result. Values more than 2⁵¹ such units from 0 stay as they are.
arma::mat round_to_grid(const arma::mat& x, int threads);

}  // namespace gaussianize::detail
