#include <iostream>

#include "gaussianize/data/toys.hpp"
#include "gaussianize/math/estimate.hpp"
#include "gaussianize/rbig/rbig.hpp"
#include "gaussianize/search/gf_search.hpp"

#include "report/charts.hpp"
#include "report/row_pictures.hpp"

/// draw_readme FILE.svg: the README's picture. Data of two spirals, the densities that RBIG and GF fit to them, and
/// rows drawn from GF. Prints the held-out negative log-likelihoods.
int main(int argc, char** argv) {
  using namespace gaussianize;
  using namespace gaussianize::report;
  if (argc != 2) return 2;
  const Seed seed{1};
  const arma::mat training = draw(Toy::two_spirals, 10000, seed), test = draw(Toy::two_spirals, 10000, Seed{2});
  const RbigFit rbig = fit_rbig(training, {.seed = seed});
  const GfFit gf = search_gf(training, GfOptions{.seed = seed}).fit;

  constexpr Range ends{-4, 4};
  constexpr std::size_t rows = 1500;
  const auto points = [&](const char* title, const arma::mat& x, std::string_view colour) {
    return points_picture({.title = title, .points = x, .x = ends, .y = ends, .colour = colour}, seed);
  };
  const auto density = [&](const char* title, const Flow& flow) {
    const double top = tail_level(arma::exp(log_density(gf.flow, test)), 0.98);
    return density_picture(density_grid(flow, ends, ends, 120), top,
                           {.title = title, .points = arma::mat(0, 2), .x = ends, .y = ends}, seed);
  };
  Picture picture = side_by_side(
      {points("data", thinned(test, rows, seed), ink::grey), density("RBIG: density", rbig.flow),
       density("GF: density", gf.flow), points("GF: samples", sample(gf.flow, rows, seed), ink::vermilion)},
      4, "Two spirals: the data, the densities that RBIG and GF fit to them, and samples of GF");
  // Four in a row of the width of a README.
  picture.width = 1000;
  picture.height = 250;
  write_plot(picture, argv[1]);
  for (const auto& [name, flow] : {std::pair("RBIG", &rbig.flow), std::pair("GF", &gf.flow)}) {
    const Estimate nll = mean_estimate(-log_density(*flow, test));
    std::cout << name << ": test NLL " << nll.value << " ± " << nll.standard_error << " nats\n";
  }
}
