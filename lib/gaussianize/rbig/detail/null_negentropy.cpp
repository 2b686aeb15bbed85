#include "gaussianize/rbig/detail/null_negentropy.hpp"

#include "gaussianize/marginal/detail/negentropy.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

namespace gaussianize::detail {

Estimate null_negentropy(std::size_t rows, std::size_t dimension, RotationKind kind, std::size_t report_rows, Seed seed,
                         int threads) {
  constexpr std::size_t replicates = 12;
  arma::vec j_m(replicates);
  for (std::size_t r = 0; r < replicates; ++r) {
    RandomStream stream(seed, Purpose::null_distribution, r);
    const arma::mat x = random_normal(rows, dimension, stream);
    // Any index above 0: the contrasts change with it, the law of the result hardly does.
    const RotationChoice choice = choose_rotation(x, kind, r + 1, seed, threads);
    j_m[r] = kernel_negentropy(x * choice.q, report_rows, threads).value;
  }
  return {arma::mean(j_m), arma::stddev(j_m)};
}

}  // namespace gaussianize::detail
