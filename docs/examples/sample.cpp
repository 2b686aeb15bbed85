// Draws from a model, goes to Gaussian space and back, and gets the same bits from any number of threads.
#include <future>
#include <iostream>

#include "gaussianize/data/generate.hpp"
#include "gaussianize/info/normality.hpp"
#include "gaussianize/rbig/rbig.hpp"

using namespace gaussianize;

bool same_bits(const arma::mat& a, const arma::mat& b) {
  return arma::size(a) == arma::size(b) && arma::all(arma::vectorise(a == b));
}

int main() {
  const arma::mat x = generate("pinwheel", 2000, 2, Seed{1}).x;
  const Flow flow = fit_rbig(x, {.seed = Seed{7}}).flow;

  const arma::mat drawn = sample(flow, 1000, Seed{2});
  const FlowPass pass = forward(flow, drawn);  // z, and log |det ∂z/∂x| of every row
  const double error = arma::abs(inverse(flow, pass.z) - drawn).max();
  std::cout << "round trip " << error << '\n';

  // New rows of the distribution are N(0, I) in the model's Gaussian space, if the model is right.
  const arma::mat fresh = generate("pinwheel", 1000, 2, Seed{3}).x;
  std::cout << "p-value of N(0, I): " << test_normality(forward(flow, fresh).z).p_value << '\n';

  const bool prefix = same_bits(sample(flow, 300, Seed{2}), drawn.head_rows(300));
  const bool threads = same_bits(sample(flow, 1000, Seed{2}, {.threads = 3}), drawn);
  std::cout << "a shorter sample is the beginning of a longer one: " << prefix
            << "\nthree threads, the same bits: " << threads << '\n';

  std::future<arma::vec> first = std::async(std::launch::async, [&] { return log_density(flow, x, {.threads = 1}); });
  const arma::vec second = log_density(flow, x, {.threads = 1});
  const bool concurrent = same_bits(first.get(), second);

  // A straight line in Gaussian space from one row to another is a path through likely data.
  const arma::mat ends = forward(flow, x.head_rows(2)).z;
  const arma::vec t = arma::linspace(0, 1, 5);
  const arma::mat path = inverse(flow, (1 - t) * ends.row(0) + t * ends.row(1));
  std::cout << "path:\n" << path;

  return error < 1e-9 && prefix && threads && concurrent && arma::abs(path.row(4) - x.row(1)).max() < 1e-9 ? 0 : 1;
}
