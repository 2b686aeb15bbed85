#pragma once

#include <armadillo>

/// What the finders of a rotation share; not part of the library's interface.
namespace gaussianize::detail {

/// Makes the entry of largest modulus of every column positive; of equal ones, the first.
void fix_signs(arma::mat& q);

/// The orthogonal matrix nearest to a square `a`, U·Vᵀ of its singular value decomposition; defined, if not unique,
/// for singular ones too. O(D³). Throws NumericalError if `a` is not finite or the decomposition fails.
arma::mat nearest_orthogonal(const arma::mat& a);

/// The same for an `a` already within about 1e-3 of orthogonal, by Newton–Schulz: rounding is all that is left of
/// max |QᵀQ − I|, a few ε whatever D.
arma::mat reorthogonalise(arma::mat q);

/// The rotation (I − A/2)⁻¹(I + A/2) of a skew-symmetric A: Cayley's map, exp(A) to second order.
arma::mat cayley(const arma::mat& a);

}  // namespace gaussianize::detail
