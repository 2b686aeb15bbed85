#include "gaussianize/data/toys.hpp"

#include <array>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/model_file.hpp"

#include "paper/run.hpp"
#include "report/row_pictures.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

constexpr std::array toys{Toy::checkerboard, Toy::eight_gaussians, Toy::pinwheel, Toy::two_spirals};
constexpr std::size_t full_epochs = 100;
constexpr std::size_t max_test_rows = 20000;

std::string key_of(Toy toy, const char* model) {
  return concat(name(toy), ' ', model);
}

struct ToyRows {
  arma::mat training, validation, test;
};

/// Three samples of their own.
ToyRows draw_rows(const Run& run, Toy toy) {
  const std::size_t n = run.rows(10000, full_epochs);
  return {draw(toy, n, run.seed()), draw(toy, n / 5, Seed{run.seed().value + 1}),
          draw(toy, std::min(10 * n, max_test_rows), Seed{run.seed().value + 2})};
}

Cell test_cell(const Run& run, Toy toy, const std::string& model, const Flow& flow, const arma::mat& test) {
  const arma::vec log_p = log_density(flow, test, {.threads = run.threads()});
  const arma::vec truth = log_density(toy, test, run.threads());
  save_model({.flow = flow, .kind = model == "GF" ? "gf" : "rbig"}, run.file(key_of(toy, model.c_str()), ".model"));
  Cell cell;
  const std::string set(name(toy));
  cell.records = {{set, model, "", "test NLL", mean_estimate(-log_p)},
                  {set, model, "", "above the truth", mean_estimate(truth - log_p)}};
  return cell;
}

void run_toys(Run& run) {
  for (const Toy toy : toys) {
    run.cell(key_of(toy, "RBIG"), [&] {
      const ToyRows rows = draw_rows(run, toy);
      return test_cell(run, toy, "RBIG", run.fit(key_of(toy, "RBIG"), rows.training, rows.validation, {}).flow,
                       rows.test);
    });
    run.cell(key_of(toy, "GF"), [&] {
      const ToyRows rows = draw_rows(run, toy);
      const GfOptions options{.layer = LayerMap::paper,
                              .layers = 40,
                              .anchors = 20,
                              .marginal_layer = false,
                              .batch = std::min<std::size_t>(500, rows.training.n_rows),
                              .epochs = run.epochs(full_epochs),
                              .schedule = {.learning_rate = 0.01}};
      const Trained trained = run.train(key_of(toy, "GF"), rows.training, rows.validation, options);
      Cell cell = test_cell(run, toy, "GF", trained.fit.flow, rows.test);
      cell.curves = training_curves(trained.fit);
      cell.complete = trained.complete;
      return cell;
    });
  }
}

/// The density of a saved model over some rows, and a sample of it.
void add_model(const Run& run, Toy toy, const char* model, const report::PointsPanel& panel, report::Figure& figure) {
  const std::filesystem::path path = run.file(key_of(toy, model), ".model");
  if (!std::filesystem::exists(path)) return;
  const Flow flow = load_model(path).flow;
  const report::DensityGrid grid = report::density_grid(flow, panel.x, panel.y, 120, {.threads = run.threads()});
  report::PointsPanel over = panel;
  over.title = concat(model, ", density");
  over.points.set_size(0, 2);
  figure.pictures.push_back(report::density_picture(grid, grid.density.max(), over, run.seed()));
  report::PointsPanel samples = panel;
  samples.title = concat(model, ", samples");
  samples.points = sample(flow, 3000, run.seed(), {.threads = run.threads()});
  figure.pictures.push_back(report::points_picture(samples, run.seed()));
}

std::vector<report::Section> present_toys(const Run& run) {
  report::Section section{.heading = "Densities and samples"};
  for (const Toy toy : toys) {
    report::PointsPanel panel{.title = "data", .points = draw(toy, 3000, run.seed()), .x_label = "x0", .y_label = "x1"};
    panel.x = report::central_range(panel.points.col(0), 1.0);
    panel.y = report::central_range(panel.points.col(1), 1.0);
    report::Figure figure{.caption = std::string(name(toy))};
    figure.pictures.push_back(report::points_picture(panel, run.seed()));
    add_model(run, toy, "RBIG", panel, figure);
    add_model(run, toy, "GF", panel, figure);
    section.figures.push_back(std::move(figure));
  }
  return {section};
}

}  // namespace

Experiment toys_experiment() {
  return {"toys", "densities and samples of RBIG and GF on four two-dimensional distributions (figure 2)", run_toys,
          present_toys};
}

}  // namespace gaussianize::paper
