#include "gaussianize/gf/detail/fingerprint.hpp"

#include <cstdint>
#include <cstring>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::detail {
namespace {

/// A number for the bits of a matrix: tells one data set from another.
std::uint64_t digest(const arma::mat& x) {
  std::uint64_t hash = 0xCBF29CE484222325ULL ^ x.n_rows;
  for (const double value : x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x100000001B3ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

std::string fingerprint(const arma::mat& x, const arma::mat& validation, const GfOptions& o) {
  return concat(x.n_rows, "x", x.n_cols, " rows ", std::hex, digest(x), " validation ", digest(validation), std::dec,
                " seed ", o.seed.value, " layer ", static_cast<int>(o.layer), " layers ", o.layers, " anchors ",
                o.first_anchors, " ", o.anchors, " reflections ", o.reflections, " rotations ",
                static_cast<int>(o.rotations), " patch ", o.patch, " rotate_first ", o.rotate_first, " weights ",
                o.train_weights, " marginals ", o.marginals_per_rotation, " init ", static_cast<int>(o.init), " ",
                o.init_rows, " kde_front ", o.marginal_layer, " batch ", o.batch, " epochs ", o.epochs, std::hexfloat,
                " rate ", o.schedule.learning_rate, " schedule ", static_cast<int>(o.schedule.kind), " ",
                o.schedule.warm_up_steps, " ", o.schedule.plateau_patience, " adam ", o.adam.beta1, " ", o.adam.beta2,
                " ", o.adam.epsilon, " ", o.adam.amsgrad, " clip ", o.clip_norm, " average ", o.average_decay,
                " patience ", o.patience, o.whitening_layer ? " whitened" : "");
}

}  // namespace gaussianize::detail
