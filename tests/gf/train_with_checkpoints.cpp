// train_with_checkpoints CHECKPOINT MODEL: trains a small flow, saving a checkpoint after every few milliseconds, and
// going on from the checkpoint if there is one; writes the model at the end. To be killed at any moment.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/io/checkpoint_file.hpp"
#include "gaussianize/io/model_file.hpp"

using namespace gaussianize;

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  const std::filesystem::path file = argv[1];
  const arma::mat x = draw(KnownDistribution::sine_chain, 2000, 3, Seed{1}).x;
  GfOptions options{.layers = 5, .anchors = 16, .batch = 200, .epochs = 60, .checkpoint_seconds = 0.003};
  options.checkpoint = [&](const Checkpoint& checkpoint) { save_checkpoint(checkpoint, file); };
  const GfFit fit = std::filesystem::exists(file) ? resume_gf(x, options, load_checkpoint(file)) : fit_gf(x, options);
  save_model({.flow = fit.flow, .kind = "gf"}, argv[2]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "train_with_checkpoints: %s\n", error.what());
  return 1;
}
