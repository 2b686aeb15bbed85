#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)
namespace gaussianize {

/// The configuration of a Gaussianization flow in the paper [Meng et al. 2020, appendix, table of architectures].
struct PaperArchitecture {
  std::size_t layers = 0;
  std::size_t anchors = 0;
  std::size_t reflections = 0;
  std::size_t patch = 0;  ///< side of a patch in pixels, 0 for none
  double learning_rate = 0;
  std::size_t epochs = 0;
  std::size_t batch = 0;
};

/// One entry of the paper's table 1: the test loss of a method, nothing where the paper has none.
struct PaperResult {
  std::string_view method;
  std::optional<double> loss;
};

enum class LossUnit { nats, bits_per_dimension };

/// What is published about one of the paper's data sets.
struct PaperSet {
  std::string_view name;  ///< as on the command line
  std::size_t train_rows = 0;
  std::size_t validation_rows = 0;
  std::size_t test_rows = 0;
  std::size_t columns = 0;
  std::optional<double> gaussian_nll = {};  ///< on test, of a normal law fitted to train, in nats
  LossUnit unit = LossUnit::nats;
  PaperArchitecture architecture = {};
  std::array<PaperResult, 9> results = {};  ///< in the order of the paper's rows
};

/// power, gas, hepmass, miniboone, bsds300, mnist and fashion-mnist.
std::span<const PaperSet> paper_sets();

/// Throws std::invalid_argument, listing the names, if there is none of that name.
const PaperSet& find_paper_set(std::string_view name);

/// λ of the logit that the image sets pass through: 1e-5 for MNIST, 1e-6 for Fashion-MNIST.
double logit_lambda(const PaperSet& set);

/// One entry of the paper's table 2: a method on a stretched data set.
struct StretchedResult {
  std::string_view method;
  std::string_view set;
  std::string_view transform;                ///< "cube" or "affine"
  std::optional<double> loss = {};           ///< in nats, of the stretched data
  std::optional<double> original_loss = {};  ///< the same, taken back to the data as they were
  std::string_view note = {};                ///< why there is no number, in the paper's words
};

std::span<const StretchedResult> stretched_results();

}  // namespace gaussianize
#pragma GCC visibility pop
