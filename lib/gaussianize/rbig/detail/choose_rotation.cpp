#include "gaussianize/rbig/detail/choose_rotation.hpp"

#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/detail/negentropy.hpp"
#include "gaussianize/marginal/detail/round_to_grid.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/ica.hpp"
#include "gaussianize/rotation/pca.hpp"
#include "gaussianize/rotation/random.hpp"
#include "gaussianize/rotation/sliced.hpp"

namespace gaussianize::detail {
namespace {

// A search only has to find good directions, not the best: the next layer searches again.
constexpr int search_iterations = 10;
constexpr std::size_t search_rows = 20000;
constexpr std::size_t negentropy_rows = 10000;

RotationChoice search_ica(const arma::mat& x, std::size_t index, Seed seed, int threads) {
  RandomStream stream(seed, Purpose::rotation, index);
  const IcaOptions options{.contrast = static_cast<Contrast>(index % 4),
                           .max_iterations = 4 * search_iterations,
                           .max_rows = search_rows,
                           .threads = threads};
  IcaResult found = ica(x, stream, options);
  return {std::move(found.q), RotationKind::ica, found.converged};
}

RotationChoice search_sliced(const arma::mat& x, std::size_t index, Seed seed, int threads) {
  RandomStream stream(seed, Purpose::slices, index);
  SlicedResult found =
      sliced_rotation(x, stream, {.max_iterations = search_iterations, .max_rows = search_rows, .threads = threads});
  return {std::move(found.q), RotationKind::sliced, found.converged};
}

RotationChoice search(const arma::mat& x, RotationKind kind, std::size_t index, Seed seed, int threads);

/// The candidate with the largest J_m of its projections: the layer's marginal maps can remove that much.
RotationChoice best_of_all(const arma::mat& x, std::size_t index, Seed seed, int threads) {
  RotationChoice best;
  double best_j_m = 0;
  for (const RotationKind kind : {RotationKind::pca, RotationKind::ica, RotationKind::sliced}) {
    // Correlation hides everything else, so principal axes come first.
    if (index == 0 && kind != RotationKind::pca) continue;
    RotationChoice candidate = search(x, kind, index, seed, threads);
    const double j_m = kernel_negentropy(x * candidate.q, negentropy_rows, threads).value;
    if (best.q.is_empty() || j_m > best_j_m) {
      best = std::move(candidate);
      best_j_m = j_m;
    }
  }
  return best;
}

RotationChoice search(const arma::mat& x, RotationKind kind, std::size_t index, Seed seed, int threads) {
  switch (kind) {
    case RotationKind::identity:
      return {arma::mat(x.n_cols, x.n_cols, arma::fill::eye), kind, true};
    case RotationKind::random: {
      RandomStream stream(seed, Purpose::rotation, index);
      return {random_rotation(x.n_cols, stream), kind, true};
    }
    case RotationKind::pca:
      return {pca_rotation(x, threads), kind, true};
    case RotationKind::ica:
      return index == 0 ? RotationChoice{pca_rotation(x, threads), RotationKind::pca, true}
                        : search_ica(x, index, seed, threads);
    case RotationKind::sliced:
      return index == 0 ? RotationChoice{pca_rotation(x, threads), RotationKind::pca, true}
                        : search_sliced(x, index, seed, threads);
    case RotationKind::automatic:
      return best_of_all(x, index, seed, threads);
  }
  throw std::invalid_argument("choose_rotation: unknown kind");
}

}  // namespace

RotationChoice choose_rotation(const arma::mat& x, RotationKind kind, std::size_t index, Seed seed, int threads) {
  const bool searches = kind != RotationKind::identity && kind != RotationKind::random;
  return search(searches ? round_to_grid(x, threads) : x, kind, index, seed, threads);
}

Estimate null_negentropy(std::size_t rows, std::size_t dimension, RotationKind kind, std::size_t report_rows, Seed seed,
                         int threads) {
  constexpr std::size_t replicates = 12;
  arma::vec j_m(replicates);
  for (std::size_t r = 0; r < replicates; ++r) {
    RandomStream stream(seed, Purpose::null_distribution, r);
    const arma::mat x = random_normal(rows, dimension, stream);
    // Any index above 0: the contrasts change with it, the distribution of the result hardly does.
    const RotationChoice choice = choose_rotation(x, kind, r + 1, seed, threads);
    j_m[r] = kernel_negentropy(x * choice.q, report_rows, threads).value;
  }
  return {arma::mean(j_m), arma::stddev(j_m)};
}

}  // namespace gaussianize::detail
