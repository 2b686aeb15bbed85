#pragma once

#include <armadillo>

#include "gaussianize/math/link.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// The trainable marginal Gaussianizer [Meng et al. 2020, §3.1]. Each dimension maps through its own mixture of K
/// logistic distributions; with h_k = e^{λ_k} and t_k = (x − μ_k)/h_k,
///
///   F(x) = Σ_k w_k σ(t_k),   z = Φ⁻¹(F(x)),   log dz/dx = log F′(x) − log φ(z),                       (M1), (M2)
///
/// or, with S = 1 − F and c = √3/π,
///
///   z = c log(F/S),   log dz/dx = log c + log F′ − log F − log S,                                          (M14)
///
/// which is straight in both tails, with slope c/h of the widest kernel.
///
/// Every block is K×D: column d is the mixture of dimension d. All entries are unconstrained; what follows holds for
/// |λ| ≤ 300.
struct LogisticMixture {
  arma::mat mu;         ///< anchors μ
  arma::mat log_scale;  ///< λ, log bandwidths
  arma::mat logit;      ///< w is the softmax of each column; 0×0: equal weights, w = 1/K, that are not trained
  Link link = Link::probit;
};

/// One pass, both N×D. Its cotangent is again a MarginalPass: (∂L/∂z, ∂L/∂log_dzdx).
struct MarginalPass {
  arma::mat z, log_dzdx;
};

/// Throws std::invalid_argument, naming the block, unless all have one shape with K, D ≥ 1, every entry is finite and
/// |λ| ≤ 300.
void check(const LogisticMixture& mixture);

/// A mixture of the same shape with every entry 0: where gradients are added up.
LogisticMixture zeros_like(const LogisticMixture& mixture);

/// Maps the columns of x in place and adds each row's Σ log dz/dx to log_det. O(N·D·K). Exact however far x is from the
/// kernels: given the rounded t_k, z is within 1e-14·max(1, |z|) and log dz/dx within 1e-14·(1 + z²).
void forward(const LogisticMixture& mixture, arma::mat& x, arma::vec& log_det);

/// The inverse of forward, in place, for any z. z → x → z returns within 4e-15·(1 + |z|) plus what two units of x's
/// last place move z by, and x → z → x within 1e-12·(1 + |x|) where no gap between kernels makes x(z) steep. A row's
/// result does not depend on the other rows. About 3 evaluations of (M1) a row, and 90 to begin with.
void inverse(const LogisticMixture& mixture, arma::mat& z);

/// (M1) and (M2) for every entry of x. Errors as above.
MarginalPass forward(const LogisticMixture& mixture, const arma::mat& x);

/// Returns ∂L/∂x and adds ∂L/∂θ to `grad`, given the pass at x and its cotangent: (M5)–(M8) of docs/gradients.md. Right
/// to 1e-10 of the largest term however far out a row is. O(N·D·K); σ is computed again, not stored.
arma::mat backward(const LogisticMixture& mixture, const arma::mat& x, const MarginalPass& pass,
                   const MarginalPass& pass_bar, LogisticMixture& grad);

}  // namespace gaussianize
#pragma GCC visibility pop
