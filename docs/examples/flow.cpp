// Trains a Gaussianization flow, is interrupted, goes on from the checkpoint, and keeps the model in a file.
#include <iostream>

#include "gaussianize/data/generate.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/io/checkpoint_file.hpp"
#include "gaussianize/io/model_file.hpp"

using namespace gaussianize;

bool same_bits(const arma::vec& a, const arma::vec& b) {
  return a.n_elem == b.n_elem && arma::all(a == b);
}

int main() {
  const arma::mat train = generate("two-spirals", 1500, 2, Seed{1}).x;
  const arma::mat validation = generate("two-spirals", 500, 2, Seed{2}).x;

  GfOptions options{.layers = 4, .anchors = 12, .batch = 250, .epochs = 8, .seed = Seed{7}};
  const GfFit whole = fit_gf(train, validation, options);
  std::cout << "validation NLL " << whole.initial_nll << " before and " << whole.validation_nll << " after "
            << whole.epochs.size() << " epochs; best was " << whole.best_epoch << '\n';

  options.checkpoint = [](const Checkpoint& state) { save_checkpoint(state, "training.safetensors"); };
  options.progress = [](const Progress& progress) {
    if (progress.done % 10 == 0) std::cout << progress.stage << ", training NLL " << *progress.loss << '\n';
    return progress.done < 20;  // false: stop here, after a last checkpoint
  };
  const GfFit part = fit_gf(train, validation, options);
  std::cout << "stopped: " << name(part.stop_reason) << " after " << part.epochs.size() << " epochs\n";

  options.progress = {};
  const GfFit fit = resume_gf(train, validation, options, load_checkpoint("training.safetensors"));

  save_model({.flow = fit.flow,
              .kind = "gf",
              .columns = {"x", "y"},
              .options = {{"epochs", "8"}},
              .summary = {},
              .calibration = {}},
             "spirals.safetensors");
  const Model model = load_model("spirals.safetensors");

  const bool same = same_bits(log_density(model.flow, validation), log_density(whole.flow, validation));
  std::cout << "resumed, saved and loaded: " << (same ? "the same bits" : "different") << '\n';
  const bool learned = whole.validation_nll < whole.initial_nll;
  return same && learned && part.stop_reason == GfStop::cancelled ? 0 : 1;
}
