#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/ica.hpp"
#include "gaussianize/rotation/pca.hpp"
#include "gaussianize/rotation/random.hpp"
#include "gaussianize/rotation/sliced.hpp"

#include "rotation/sources.hpp"

/// Times every finder of a rotation on a mixing of independent sources, and gives ICA's Amari index.
namespace {

using namespace gaussianize;
using namespace gaussianize::detail;

/// The least of five runs, in milliseconds.
double milliseconds(const std::function<void()>& run) {
  double least = 1e300;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    least =
        std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

void bench(std::size_t n, std::size_t d, int threads) {
  RandomStream stream(Seed{1}, Purpose::test);
  const arma::mat sources = testing::independent_sources(n, d, stream);
  const arma::mat mixing = random_normal(d, d, stream);
  const arma::mat x = sources * mixing;
  std::printf("\n%zu × %zu, threads = %d\n", n, d, threads);
  std::printf("  random  %9.3f ms\n", milliseconds([&] { random_rotation(d, stream); }));
  std::printf("  pca     %9.3f ms\n", milliseconds([&] { pca_rotation(x, threads); }));

  IcaResult result;
  const double ica_time = milliseconds([&] {
    RandomStream start(Seed{2}, Purpose::rotation);
    result = ica(x, start, {.threads = threads});
  });
  std::printf("  ica     %9.3f ms, %d iterations, %s, Amari index %.4f\n", ica_time, result.iterations,
              result.converged ? "converged" : "not converged",
              testing::amari_index(mixing * result.whitening * result.q));

  const arma::mat white = (x.each_row() - arma::mean(x)) * result.whitening;
  SlicedResult slices;
  const double sliced_time = milliseconds([&] {
    RandomStream start(Seed{3}, Purpose::slices);
    slices = sliced_rotation(white, start, {.threads = threads});
  });
  std::printf("  sliced  %9.3f ms, %d iterations, %s, Amari index %.4f\n", sliced_time, slices.iterations,
              slices.converged ? "converged" : "not converged",
              testing::amari_index(mixing * result.whitening * slices.q));
}

}  // namespace

int main() {
  for (const int threads : {1, 0}) {
    bench(10000, 10, threads);
    bench(100000, 10, threads);
  }
}
