#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>

#include <armadillo>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/detail/householder_evaluator.hpp"
#include "gaussianize/rotation/detail/patch_evaluator.hpp"

/// What trainable rotations cost on one thread: nanoseconds a row, in blocks, of forward and of backward (x̄ and the
/// gathered sums), and microseconds a step of make_evaluator and add_gradient, in either form.
namespace {

using namespace gaussianize;
using namespace gaussianize::detail;

/// The least of several runs of about 20 ms, in nanoseconds a call.
double nanoseconds(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const auto time = [&](int calls) {
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) run();
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / calls;
  };
  const int calls = std::clamp(static_cast<int>(2e7 / time(1)), 1, 100000);
  double least = 1e300;
  for (int repeat = 0; repeat < 7; ++repeat) least = std::min(least, time(calls));
  return least;
}

template <class Rotation>
void bench(const char* name, const Rotation& rotation, std::size_t reflections) {
  RandomStream stream(Seed{2}, Purpose::test);
  const std::size_t d = dimension(rotation), rows = rows_per_block;
  const arma::mat x = random_normal(rows, d, stream), y_bar = random_normal(rows, d, stream);
  const BlasGuard blas;
  for (const HouseholderForm form : {HouseholderForm::dense, HouseholderForm::factored}) {
    const auto evaluator = make_evaluator(rotation, form);
    arma::mat y, x_bar, sums;
    reset_gradient_sums(evaluator, sums);
    RotationScratch scratch;
    Rotation grad = rotation;
    const double there = nanoseconds([&] { forward(evaluator, x, y, scratch); });
    const double back = nanoseconds([&] { backward(evaluator, y, y_bar, x_bar, sums, scratch); });
    std::printf("%-12s %4zu %4zu  %-8s %10.1f %10.1f %12.1f %10.1f\n", name, d, reflections,
                form == HouseholderForm::dense ? "dense" : "factored", there / static_cast<double>(rows),
                back / static_cast<double>(rows), nanoseconds([&] { make_evaluator(rotation, form); }) / 1e3,
                nanoseconds([&] { add_gradient(evaluator, sums, grad); }) / 1e3);
  }
}

}  // namespace

int main() {
  std::printf("%-12s %4s %4s  %-8s %10s %10s %12s %10s\n", "rotation", "D", "M", "form", "forward", "backward",
              "evaluator", "gradient");
  std::printf("%-33s %10s %10s %12s %10s\n", "", "ns/row", "ns/row", "us/step", "us/step");
  RandomStream stream(Seed{1}, Purpose::test);
  const std::size_t shapes[][2] = {{6, 6},   {8, 8},   {21, 21},  {43, 43}, {63, 63},
                                   {64, 16}, {64, 21}, {128, 42}, {784, 50}};
  for (const auto& [d, m] : shapes) bench("householder", random_householder(d, m, stream), m);
  bench("patch 4", random_patch_rotation(28, 4, 16, stream), 16);
}
