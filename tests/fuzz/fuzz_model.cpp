// Model files: what is not refused is a model that is saved and loaded again without loss, and that can be used. The
// checksum is set right first, since no mutation would get past it.

#include <numeric>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"

#include "fuzz/target.hpp"
#include "fuzz/with_checksum.hpp"
#include "io/small_model.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

/// Scores, inverts and draws: a result that is finite, or NumericalError.
void use(const Flow& flow) {
  constexpr std::size_t max_columns = 64;
  if (flow.dimension > max_columns) return;
  arma::mat x(3, flow.dimension, arma::fill::zeros);
  x.row(1).fill(1.5);
  x.row(2).fill(-1e3);
  try {
    if (!log_density(flow, x, {.threads = 1}).is_finite()) broken("log densities are finite");
    if (!inverse(flow, x.head_rows(2), {.threads = 1}).is_finite()) broken("inverses are finite");
    if (!sample(flow, 2, Seed{1}, {.threads = 1}).is_finite()) broken("draws are finite");
  } catch (const NumericalError&) {
    return;
  }
}

}  // namespace

std::vector<Bytes> gaussianize::testing::seeds() {
  return {encode_model(small_model(1)), encode_model(small_model(2)), encode_model(trained_model()),
          encode_model(straight_model())};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file = with_checksum(data, size);
  Model model;
  if (!refusal("name", [&] { model = decode_model(file, "name"); }).empty()) return 0;
  // Using a model takes longer than reading it: a run in eight does, so that runs are many, and a run in eight saves
  // it. The sum of the bytes, which nearly every mutation changes, chooses.
  const unsigned choice = std::accumulate(data, data + size, 0u) % 8;
  if (choice == 0) use(model.flow);
  if (choice != 1) return 0;
  const Bytes saved = encode_model(model);
  if (encode_model(decode_model(saved, "name")) != saved) broken("a model is saved without loss");
  return 0;
}
