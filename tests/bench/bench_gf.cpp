// GF: rows per second of training, scoring and inverting (the work of sampling) for the paper's shapes, with straight
// layers and with the paper's, as rates and as shares of what the bare mixture kernels would allow on the same number
// of threads, measured in the same run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <sys/resource.h>
#include <thread>

#include "gaussianize/gf/detail/engine.hpp"
#include "gaussianize/gf/detail/initialise.hpp"
#include "gaussianize/gf/detail/optimizer.hpp"
#include "gaussianize/marginal/detail/mixture_evaluator.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

#include "bench/timing.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

struct Shape {
  std::size_t dimension, layers, anchors, batch;
};

/// Best time of `repeats`.
double best(int repeats, const std::function<void()>& work) {
  double least = HUGE_VAL;
  for (int i = 0; i < repeats; ++i) least = std::min(least, seconds(work));
  return least;
}

/// Seconds per (row, dimension, kernel) of the bare loops on one thread.
struct Bare {
  double forward = 0.0, backward = 0.0;
};

Bare measure_bare(std::size_t anchors, Link link) {
  constexpr std::size_t n = 256;
  constexpr std::size_t dimension = 8;
  RandomStream stream(Seed{1}, Purpose::test);
  const arma::mat x = random_normal(n, dimension, stream);
  const MixtureEvaluator mixture = make_evaluator(LogisticMixture{
      random_normal(anchors, dimension, stream), arma::mat(anchors, dimension, arma::fill::value(-1.3)), {}, link});
  arma::mat z(n, dimension), log_dzdx(n, dimension), x_bar(n, dimension), mu(anchors, dimension),
      scale(anchors, dimension);
  const arma::mat bar = random_normal(n, dimension, stream);
  std::vector<double> scratch(backward_scratch(mixture));
  const double work = static_cast<double>(n * dimension * anchors);
  const ConstBlock from{x.memptr(), n};
  Bare bare;
  bare.forward = best(200, [&] { forward_block(mixture, from, {z.memptr(), n}, {log_dzdx.memptr(), n}, n); }) / work;
  bare.backward =
      best(200,
           [&] {
             backward_block(mixture,
                            {from, {z.memptr(), n}, {log_dzdx.memptr(), n}, {bar.memptr(), n}, {bar.memptr(), n}},
                            {x_bar.memptr(), n}, {mu.memptr(), scale.memptr(), nullptr}, scratch.data(), n);
           }) /
      work;
  return bare;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void measure(const Shape& s, LayerMap layer) {
  const double threads = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t rows = 4 * s.batch;
  RandomStream stream(Seed{2}, Purpose::test);
  const arma::mat x = random_normal(rows, s.dimension, stream);
  GfOptions options{.layer = layer,
                    .layers = s.layers,
                    .anchors = s.anchors,
                    .first_anchors = s.anchors,
                    .reflections = s.dimension,
                    .train_weights = false,
                    .init_rows = 2000};
  GfParameters parameters = initialise(x, options);
  GfParameters gradient;
  AdamState adam = start_adam(parameters, {});
  GfEngine engine(s.batch, 0);
  std::vector<std::size_t> batch(s.batch);
  std::iota(batch.begin(), batch.end(), std::size_t{0});
  const double training = best(5,
                               [&] {
                                 engine.loss_and_gradient(parameters, x, batch, gradient);
                                 adam_step(parameters, gradient, adam, 1e-4, {});
                               }) /
                          static_cast<double>(s.batch);
  const Flow flow{s.dimension, to_layers(parameters)};
  const double scoring = best(3, [&] { log_density(flow, x); }) / static_cast<double>(rows);
  // The work of sampling, on Gaussian values as they occur: an untrained deep flow throws some of its own draws far
  // out.
  const arma::mat z = forward(flow, x).z;
  const double sampling = best(2, [&] { inverse(flow, z); }) / static_cast<double>(rows);
  const Bare bare = measure_bare(s.anchors, layer == LayerMap::paper ? Link::probit : Link::logit);
  const double kernels = static_cast<double>(s.dimension * s.layers * s.anchors) / threads;
  std::printf(
      "%-8s D %3zu  L %3zu  K %3zu  batch %4zu | training %9.0f rows/s (%2.0f %% of bare) | log density %9.0f (%2.0f "
      "%%) | "
      "inverse %8.0f | %4.0f MB | bare kernels %.2f + %.2f ns\n",
      layer == LayerMap::paper ? "paper" : "straight", s.dimension, s.layers, s.anchors, s.batch, 1 / training,
      100 * kernels * (bare.forward + bare.backward) / training, 1 / scoring, 100 * kernels * bare.forward / scoring,
      1 / sampling, peak_megabytes(), 1e9 * bare.forward, 1e9 * bare.backward);
  std::fflush(stdout);
}

}  // namespace

int main() {
  for (const Shape& shape : {Shape{6, 50, 50, 2000}, Shape{43, 90, 50, 500}, Shape{63, 30, 60, 1000}})
    for (const LayerMap layer : {LayerMap::paper, LayerMap::straight}) measure(shape, layer);
}
