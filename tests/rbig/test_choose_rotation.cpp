#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/marginal/detail/negentropy.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rbig/detail/choose_rotation.hpp"
#include "gaussianize/rotation/rotation.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bytes;

namespace {

/// White data with one bimodal direction, (1, 1, 1)/√3, that no column shows.
arma::mat hidden_bimodal(std::size_t rows) {
  RandomStream stream(Seed{4}, Purpose::test);
  arma::mat x = random_normal(rows, 3, stream);
  for (arma::uword i = 0; i < rows; ++i)
    x(i, 0) = (stream.uniform() < 0.5 ? -1 : 1) * std::sqrt(0.9) + std::sqrt(0.1) * x(i, 0);
  arma::mat q(3, 3, arma::fill::eye);
  q.row(0).fill(1);
  arma::mat r;
  arma::qr(q, r, q.t());
  return x * q.t();
}

}  // namespace

TEST_CASE("every kind gives an orthogonal matrix, the same for any number of threads") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 3000, 5, Seed{1}).x;
  for (const RotationKind kind : {RotationKind::identity, RotationKind::random, RotationKind::pca, RotationKind::ica,
                                  RotationKind::sliced, RotationKind::automatic}) {
    CAPTURE(name(kind));
    const RotationChoice one = choose_rotation(x, kind, 2, Seed{5}, 1);
    CHECK(orthogonality_error(one.q) <= 30 * 5 * 2.3e-16);
    for (const int threads : {2, 3, 8}) CHECK(same_bytes(choose_rotation(x, kind, 2, Seed{5}, threads).q, one.q));
  }
}

TEST_CASE("ica, sliced and automatic find structure that principal axes cannot see") {
  const arma::mat x = hidden_bimodal(4000);
  const double blind = kernel_negentropy(x, 0).value;
  for (const RotationKind kind : {RotationKind::ica, RotationKind::sliced, RotationKind::automatic}) {
    CAPTURE(name(kind));
    const arma::mat y = x * choose_rotation(x, kind, 1, Seed{2}, 0).q;
    CHECK(kernel_negentropy(y, 0).value > blind + 0.2);
  }
}

TEST_CASE("the first rotation of correlated data is along the principal axes") {
  const arma::mat x = draw(KnownDistribution::gaussian, 2000, 4, Seed{3}).x;
  for (const RotationKind kind : {RotationKind::ica, RotationKind::sliced, RotationKind::automatic})
    CHECK(choose_rotation(x, kind, 0, Seed{2}, 0).kind == RotationKind::pca);
}

TEST_CASE("the null distribution covers fresh normal data") {
  for (const RotationKind kind : {RotationKind::pca, RotationKind::sliced}) {
    CAPTURE(name(kind));
    const Estimate null = null_negentropy(2000, 3, kind, 0, Seed{6}, 0);
    CHECK(null.standard_error > 0);
    RandomStream stream(Seed{7}, Purpose::test);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const arma::mat x = random_normal(2000, 3, stream);
      const double j_m = kernel_negentropy(x * choose_rotation(x, kind, 3, Seed{8}, 0).q, 0).value;
      CHECK(std::abs(j_m - null.value) < 6 * null.standard_error);
    }
  }
}
