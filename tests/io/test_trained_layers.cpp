#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"

#include "io/forgery.hpp"
#include "io/small_model.hpp"
#include "io/temporary_folder.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

std::string forged_trained(const std::function<void(Forgery&)>& change) {
  return forged(change, trained_model());
}

/// A forgery of one whole number of the patch rotation.
std::string with_size(const std::string& member, std::uint64_t value) {
  return forged_trained([&](Forgery& f) { f.set("layer.0001.rotation." + member, 0, value); });
}

std::string with_shape(const std::string& tensor, std::vector<std::uint64_t> shape) {
  return forged_trained([&](Forgery& f) { f.content.tensors.at(tensor).shape = std::move(shape); });
}

/// A tensor without numbers of any shape.
std::string emptied(const std::string& tensor, std::vector<std::uint64_t> shape) {
  return forged_trained([&](Forgery& f) { f.content.tensors.at(tensor) = {TensorType::f64, std::move(shape), {}}; });
}

}  // namespace

TEST_CASE("trained layers come back from their file to the last bit, and save to the same bytes again") {
  const TemporaryFolder folder;
  const Model model = trained_model();
  save_model(model, folder.path / "one");
  const Model loaded = load_model(folder.path / "one");
  CHECK(same_bits(model, loaded));
  CHECK(std::get<LogisticMixture>(loaded.flow.layers[1].marginal).logit.n_cols == 0);
  CHECK(encode_model(loaded) == encode_model(model));
  arma::mat x = sines(arma::mat(20, 16), 1);
  CHECK(same_bits(log_density(loaded.flow, x), log_density(model.flow, x)));
}

TEST_CASE("the comparison of models covers every member of a trained layer") {
  const auto differs = [](auto change) {
    Model model = trained_model();
    change(model.flow.layers);
    return !same_bits(model, trained_model()) && same_bits(model, decode_model(encode_model(model), "x"));
  };
  using Layers = std::vector<Layer>;
  CHECK(!differs([](Layers&) {}));
  CHECK(differs([](Layers& l) { std::get<Householder>(l[0].rotation).v(0, 1) = -0.0; }));
  CHECK(differs([](Layers& l) { std::get<PatchRotation>(l[1].rotation).shift = 0; }));
  CHECK(differs([](Layers& l) { std::get<PatchRotation>(l[1].rotation).vertical = false; }));
  CHECK(differs([](Layers& l) { std::get<PatchRotation>(l[1].rotation).v(3, 2, 3) = 5e-324; }));
  CHECK(differs([](Layers& l) { std::get<LogisticMixture>(l[0].marginal).mu(2, 15) = 1e308; }));
  CHECK(differs([](Layers& l) { std::get<LogisticMixture>(l[0].marginal).log_scale(1, 7) = -300; }));
  CHECK(differs([](Layers& l) { std::get<LogisticMixture>(l[0].marginal).logit(0, 3) = -0.0; }));
  CHECK(differs([](Layers& l) { std::get<LogisticMixture>(l[0].marginal).logit.reset(); }));
  CHECK(differs([](Layers& l) { l[2].rotation = Identity{}; }));
  CHECK(differs([](Layers& l) { std::swap(l[0].rotation, l[1].rotation); }));
}

TEST_CASE("every size of a patch, a number of reflections and one column round trip") {
  for (const std::size_t patch : {1, 2, 3, 6})
    for (const std::size_t reflections : {0, 1, 40}) {
      CAPTURE(patch);
      CAPTURE(reflections);
      const std::size_t across = 6 / patch;
      const PatchRotation rotation{6, patch, 5, false,
                                   sines(arma::cube(patch * patch, reflections, across * across), 1)};
      Model model;
      model.flow = {36, {{rotation, affine(36)}, {Householder{sines(arma::mat(36, reflections), 1)}, affine(36)}}};
      CHECK(same_bits(model, decode_model(encode_model(model), "x")));
    }
  Model model;
  const LogisticMixture mixture{arma::mat(1, 1, arma::fill::value(0.5)), arma::mat(1, 1, arma::fill::value(-0.25)), {}};
  model.flow = {1,
                {{Householder{arma::mat(1, 1, arma::fill::ones)}, mixture},
                 {PatchRotation{1, 1, 0, false, arma::cube(1, 0, 1)}, mixture}}};
  CHECK(same_bits(model, decode_model(encode_model(model), "x")));
}

TEST_CASE("the sizes of a patch rotation are checked before anything is computed from them") {
  CHECK(with_size("shift", 0) == "nothing was thrown");
  CHECK(contains(with_size("shift", 4), "layer 1: PatchRotation: shift is 4; it must be less"));
  CHECK(contains(with_size("shift", UINT64_MAX), "layer 1: PatchRotation: shift"));
  CHECK(contains(with_size("side", 0), "layer.0001.rotation.side is 0; its square"));
  CHECK(contains(with_size("side", 5), "layer.0001.rotation.side is 5"));
  CHECK(contains(with_size("side", (std::uint64_t{1} << 63) + 4),
                 "layer.0001.rotation.side"));  // its square is 16 modulo 2⁶⁴
  CHECK(contains(with_size("patch", 0), "layer 1: PatchRotation: patch is 0"));
  CHECK(contains(with_size("patch", 3), "layer 1: PatchRotation: patch is 3"));
  CHECK(contains(with_size("patch", 8), "layer 1: PatchRotation: patch is 8"));
  CHECK(contains(with_size("patch", 4), "is F64 4×4×3; the model needs F64 1×16×any"));
  const std::string vertical = "layer.0001.rotation.vertical";
  CHECK(forged_trained([&](Forgery& f) { f.set(vertical, 0, std::uint8_t{0}); }) == "nothing was thrown");
  CHECK(contains(forged_trained([&](Forgery& f) { f.set(vertical, 0, std::uint8_t{2}); }), "must be 0 or 1"));
}

TEST_CASE("misshapen tensors of trained layers are named") {
  CHECK(contains(with_shape("layer.0000.rotation.v", {2, 16}), "is F64 2×16; the model needs F64 16×any"));
  CHECK(contains(with_shape("layer.0000.rotation.v", {32}), "layer.0000.rotation.v"));
  CHECK(with_shape("layer.0000.mixture.mu", {3, 16}) == "nothing was thrown");
  CHECK(contains(with_shape("layer.0000.mixture.mu", {16, 3}), "is F64 16×3; the model needs F64 any×16"));
  CHECK(contains(with_shape("layer.0000.mixture.logit", {16, 3}), "needs F64 3×16"));
  CHECK(contains(with_shape("layer.0001.rotation.v", {4, 3, 4}), "needs F64 4×4×any"));
  CHECK(contains(with_shape("layer.0001.rotation.side", {1}), "is U64 1; the model needs U64 scalar"));
  CHECK(contains(emptied("layer.0000.mixture.mu", {0, 16}), "layer.0000.mixture.mu has no kernels"));
  CHECK(contains(emptied("layer.0000.mixture.log_scale", {0, 16}), "needs F64 3×16"));
  CHECK(contains(emptied("layer.0001.rotation.v", {std::uint64_t{1} << 50, 4, 0}), "needs F64 4×4×any"));
  CHECK(emptied("layer.0001.rotation.v", {4, 4, 0}) == "nothing was thrown");
  const auto structure = [](const std::string& first) {
    return with_metadata("structure", "[\"" + first + "\",\"patch mixture\",\"householder affine\"]", trained_model());
  };
  CHECK(structure("householder weighted_mixture") == "nothing was thrown");
  CHECK(contains(structure("householder mixture"), "holds tensor 'layer.0000.mixture.logit'"));
  CHECK(contains(structure("patch weighted_mixture"), "lacks tensor layer.0000.rotation.side"));
  CHECK(contains(structure("orthogonal weighted_mixture"), "lacks tensor layer.0000.rotation.q"));
}

TEST_CASE("a dimension without numbers takes no memory") {
  // 65535² columns, as many patches of one pixel, and not one number.
  const std::uint64_t side = 65535;
  Model model = trained_model();
  model.flow.layers = {model.flow.layers[1]};
  const std::string message = forged(
      [&](Forgery& f) {
        f.content.metadata["dimension"] = std::to_string(side * side);
        f.content.tensors.at("layer.0000.mixture.mu") = {TensorType::f64, {0, side * side}, {}};
        f.content.tensors.at("layer.0000.mixture.log_scale") = {TensorType::f64, {0, side * side}, {}};
        f.content.tensors.at("layer.0000.rotation.v") = {TensorType::f64, {side * side, 1, 0}, {}};
        f.set("layer.0000.rotation.side", 0, side);
        f.set("layer.0000.rotation.patch", 0, std::uint64_t{1});
      },
      model);
  CHECK(contains(message, "layer.0000.mixture.mu has no kernels"));
}

TEST_CASE("numbers that no trained layer can hold are refused") {
  const auto problem = [](auto change) {
    Model model = trained_model();
    change(model.flow.layers);
    try {
      encode_model(model);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using Layers = std::vector<Layer>;
  const auto mixture = [](Layers& l) -> LogisticMixture& { return std::get<LogisticMixture>(l[0].marginal); };
  const auto patches = [](Layers& l) -> PatchRotation& { return std::get<PatchRotation>(l[1].rotation); };
  const auto reflections = [](Layers& l) -> arma::mat& { return std::get<Householder>(l[0].rotation).v; };
  CHECK(problem([](Layers&) {}) == "");
  CHECK(contains(problem([&](Layers& l) { reflections(l).col(1).zeros(); }), "layer 0: Householder: vector 1 is zero"));
  CHECK(contains(problem([&](Layers& l) { reflections(l).col(0).fill(-0.0); }), "vector 0 is zero"));
  CHECK(contains(problem([&](Layers& l) { reflections(l)(3, 1) = arma::datum::inf; }),
                 "layer 0: Householder: entry 3 of vector 1 is inf"));
  CHECK(contains(problem([&](Layers& l) { reflections(l).resize(15, 2); }), "layer 0: it has a rotation of 15 "));
  CHECK(contains(problem([&](Layers& l) { patches(l).v.slice(2).col(1).zeros(); }),
                 "layer 1: patch 2: Householder: vector 1 is zero"));
  CHECK(contains(problem([&](Layers& l) { patches(l).v(3, 2, 3) = arma::datum::nan; }),
                 "layer 1: patch 3: Householder: entry 3 of vector 2 is nan"));
  CHECK(contains(problem([&](Layers& l) { patches(l).v.resize(4, 3, 3); }), "layer 1: PatchRotation: v is 4×3×3"));
  CHECK(contains(problem([&](Layers& l) { patches(l).patch = 4; }), "it needs 16 rows"));
  CHECK(contains(problem([&](Layers& l) { patches(l).patch = 0; }), "PatchRotation: patch is 0"));
  CHECK(contains(problem([&](Layers& l) { patches(l).side = 2; }), "shift is 3; it must be less than the side, 2"));
  CHECK(contains(problem([&](Layers& l) { patches(l).shift = 4; }), "PatchRotation: shift is 4"));
  CHECK(contains(problem([&](Layers& l) { mixture(l).mu(1, 1) = arma::datum::nan; }), "logistic mixture: mu holds"));
  CHECK(contains(problem([&](Layers& l) { mixture(l).mu.resize(3, 15); }), "log_scale is 3×16; it must be 3×15"));
  CHECK(contains(problem([&](Layers& l) { mixture(l).mu.set_size(0, 16); }), "logistic mixture: mu is 0×16"));
  CHECK(
      contains(problem([&](Layers& l) { mixture(l).log_scale.resize(2, 16); }), "logistic mixture: log_scale is 2×16"));
  CHECK(contains(problem([&](Layers& l) { mixture(l).log_scale(0, 0) = 300.5; }),
                 "±300.5; it must lie between −300 and 300"));
  CHECK(contains(problem([&](Layers& l) { mixture(l).log_scale(2, 15) = -300.5; }),
                 "±300.5; it must lie between −300 and 300"));
  CHECK(contains(problem([&](Layers& l) { mixture(l).logit.resize(2, 16); }), "logit, unless it is 0×0, is 2×16"));
  CHECK(contains(problem([&](Layers& l) { mixture(l).logit.set_size(0, 16); }), "logit, unless it is 0×0, is 0×16"));
  CHECK(contains(problem([&](Layers& l) { mixture(l).logit(0, 0) = -arma::datum::inf; }), "logit holds"));
}
