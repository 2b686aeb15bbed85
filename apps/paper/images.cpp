#include <array>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/data/transform.hpp"
#include "gaussianize/io/model_file.hpp"
#include "gaussianize/io/table.hpp"

#include "paper/run.hpp"
#include "paper/settings.hpp"
#include "report/row_pictures.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

namespace fs = std::filesystem;

struct Layout {
  const char* name;
  RotationLayout rotations;
};
constexpr std::array layouts{Layout{"patch", RotationLayout::patch}, Layout{"alternating", RotationLayout::alternating},
                             Layout{"householder", RotationLayout::householder}};

/// Pixels as the models see them; for the test rows also what brings likelihoods back to pixels.
struct ImageRows {
  SetRows rows;
  arma::vec test_log_det;
  std::vector<Transform> transforms;
};

/// DATA/NAME/NAME-images-idx3-ubyte, gzipped or not; empty with a message to the user if there is none.
std::optional<arma::mat> read_images(const Run& run, const PaperSet& set, const std::string& part) {
  for (const char* ending : {"-images-idx3-ubyte.gz", "-images-idx3-ubyte"}) {
    const fs::path path = run.data_folder() / set.name / (part + ending);
    if (fs::exists(path)) return read_table(path).values;
  }
  run.arguments().say(set.name, ": there is no ", part, "-images-idx3-ubyte.gz in ",
                      (run.data_folder() / set.name).string(), "; datasets/README.md says where to get it");
  return std::nullopt;
}

/// A tenth of the training images is held out.
std::optional<ImageRows> load_images(const Run& run, const PaperSet& set) {
  const std::optional<arma::mat> training = read_images(run, set, "train");
  const std::optional<arma::mat> test = training ? read_images(run, set, "t10k") : std::nullopt;
  if (!test) return std::nullopt;
  ImageRows images{.transforms = image_transforms(logit_lambda(set), run.seed())};
  const std::size_t held = training->n_rows / 10;
  const std::size_t wanted = run.rows(training->n_rows - held, set.architecture.epochs);
  const arma::mat seen = forward(images.transforms, *training).values;
  const Transformed tested = forward(images.transforms, *test);
  images.rows = {
      std::string(set.name), head_rows(seen, wanted), seen.tail_rows(std::min(held, wanted)), tested.values, {}};
  images.test_log_det = tested.log_det;
  if (wanted < training->n_rows - held)
    images.rows.notes.push_back(concat("trained on ", wanted, " of ", training->n_rows - held, " images"));
  return images;
}

/// Bits per dimension and a sheet of samples.
Cell test_cell(const Run& run, const ImageRows& images, const std::string& key, const char* model,
               const std::string& variant, const Flow& flow, double paper) {
  const arma::mat& test = images.rows.test;
  const arma::vec log_p = log_density(flow, test, {.threads = run.threads()}) + images.test_log_det;
  Cell cell;
  cell.records = {
      {images.rows.name, model, variant, "bits per dimension", bits_per_dimension(log_p, test.n_cols), paper}};
  cell.notes = images.rows.notes;
  const arma::mat samples = sample(flow, 100, run.seed(), {.threads = run.threads()});
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(test.n_cols))));
  if (report::find_gnuplot())
    report::write_plot(report::image_grid_picture(inverse(images.transforms, samples).values / 255.0, side, 10),
                       run.file(key, ".png"));
  else
    cell.notes.emplace_back(report::gnuplot_missing());
  save_model({.flow = flow, .kind = model[0] == 'G' ? "gf" : "rbig"}, run.file(key, ".model"));
  return cell;
}

/// The defaults, but for searches that take too long with 784 columns.
RbigOptions image_rbig() {
  return {.rotation = RotationKind::pca,
          .first_map = FirstMap::columns,
          .kde_rows = 10000,
          .step_fraction = 0.5,
          .max_layers = 10,
          .patience = 2,
          .search = false,
          .report_rows = 0};
}

void run_set(Run& run, const PaperSet& set) {
  const std::optional<ImageRows> images = load_images(run, set);
  if (!images) return;
  const SetRows& rows = images->rows;
  const auto fit_rbig_cell = [&](const char* name, const RbigOptions& options) {
    const std::string key = concat(set.name, ' ', name);
    run.cell(key, [&] {
      const RbigFit fit = run.fit(key, rows.training, rows.validation, options);
      return test_cell(run, *images, key, "RBIG", concat(fit.layers_kept, " layers, PCA"), fit.flow,
                       paper_result(set, "RBIG"));
    });
  };
  fit_rbig_cell("RBIG, the paper's", paper_rbig(set));
  fit_rbig_cell("RBIG", image_rbig());
  for (const Layout& layout : layouts) {
    const std::string key = concat(set.name, " GF ", layout.name);
    run.cell(key, [&] {
      GfOptions options = paper_gf(run, set, rows);
      options.rotations = layout.rotations;
      options.patch = set.architecture.patch;
      const Trained trained = run.train(key, rows.training, rows.validation, options);
      Cell cell = test_cell(run, *images, key, "GF", concat(layout.name, ", ", trained.fit.epochs.size(), " epochs"),
                            trained.fit.flow, paper_result(set, "GF"));
      cell.curves = training_curves(trained.fit);
      cell.complete = trained.complete;
      return cell;
    });
  }
}

void run_images(Run& run) {
  for (const PaperSet& set : paper_sets())
    if (is_image(set) && !run.stopped()) run_set(run, set);
}

std::vector<report::Section> present_images(const Run& run) {
  report::Section sheets{.heading = "Samples"};
  for (const auto& [key, cell] : run.ledger().cells())
    if (fs::exists(run.file(key, ".png")))
      sheets.paragraphs.push_back(concat(key, ": ", run.file(key, ".png").filename().string(), " beside this page"));
  return {paper_table(run, true), training_section(run), sheets};
}

}  // namespace

Experiment images_experiment() {
  return {"images", "bits per dimension of MNIST and Fashion-MNIST, and samples (table 1, appendix)", run_images,
          present_images};
}

}  // namespace gaussianize::paper
