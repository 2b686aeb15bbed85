// A real checkpoint, damaged in every way that one byte can be: by accident it is noticed, and under a right checksum,
// as a forger would set it, the resumed fit ends in a result or in an exception of a documented type.

#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"
#include "gaussianize/io/detail/tensor_storage.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bytes;

namespace {

using Bytes = std::vector<std::byte>;

const arma::mat& rows() {
  static const arma::mat x = draw(KnownDistribution::sine_chain, 60, 2, Seed{1}).x;
  return x;
}

/// Without the fixed marginal layer, which a checkpoint does not hold and which would take most of the time.
GfOptions options() {
  GfOptions small{.layers = 1, .anchors = 2, .first_anchors = 2, .batch = 30, .epochs = 3, .threads = 1};
  small.marginal_layer = false;
  return small;
}

arma::vec result(const GfFit& fit) {
  return log_density(fit.flow, rows(), {.threads = 1});
}

/// Of the same fit, in the middle of its second epoch.
Checkpoint checkpoint() {
  GfOptions cut = options();
  Checkpoint saved;
  cut.checkpoint = [&](const Checkpoint& checkpoint) { saved = checkpoint; };
  cut.progress = [](const Progress& progress) { return progress.done < 3; };
  fit_gf(rows(), cut);
  return saved;
}

enum class Outcome { refused, same, different };

/// What comes of resuming from a file; an exception of any other type escapes.
Outcome resume(const Bytes& file) {
  static const arma::vec expected = result(fit_gf(rows(), options()));
  try {
    const arma::vec resumed = result(resume_gf(rows(), options(), decode_checkpoint(file, "file")));
    return same_bytes(resumed, expected) ? Outcome::same : Outcome::different;
  } catch (const FileError&) {
  } catch (const std::invalid_argument&) {
  } catch (const NumericalError&) {
  }
  return Outcome::refused;
}

/// A checkpoint changed on purpose.
template <class Change>
std::string complaint(Change change) {
  Checkpoint changed = checkpoint();
  change(changed);
  try {
    resume_gf(rows(), options(), changed);
    return "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the untouched checkpoint resumes to the same bytes") {
  CHECK(resume(encode_checkpoint(checkpoint())) == Outcome::same);
  CHECK(complaint([](Checkpoint&) {}) == "nothing was thrown");
}

TEST_CASE("every changed bit, and every truncation, of a checkpoint is refused") {
  const auto refused = [](const Bytes& bytes) {
    try {
      decode_checkpoint(bytes, "file");
      return false;
    } catch (const FileError&) {
      return true;
    }
  };
  const Bytes file = encode_checkpoint(checkpoint());
  Bytes changed = file;
  std::size_t tried = 0, accepted = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const unsigned mask : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      changed[i] = file[i] ^ static_cast<std::byte>(mask);
      if (!refused(changed)) ++accepted;
      ++tried;
    }
    changed[i] = file[i];
    if (!refused({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(i)})) ++accepted;
  }
  MESSAGE(tried << " changes and " << file.size() << " truncations refused");
  CHECK(accepted == 0);
}

TEST_CASE("a forged checkpoint ends in a result or in a documented exception") {
  const Bytes file = encode_checkpoint(checkpoint());
  std::size_t outcomes[3] = {0, 0, 0}, unsealable = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    Bytes changed = file;
    changed[i] ^= static_cast<std::byte>(i % 3 == 0 ? 0xFF : 0x80 >> i % 8);
    try {
      add_checksum(changed);
    } catch (const std::invalid_argument&) {
      ++unsealable;
      continue;
    }
    ++outcomes[static_cast<int>(resume(changed))];
  }
  MESSAGE(outcomes[0] << " refused, " << outcomes[1] << " the same, " << outcomes[2] << " another model, " << unsealable
                      << " without a place for the checksum");
  CHECK(outcomes[0] > 100);
  CHECK(outcomes[2] > 100);  // numbers: only a signature could tell
}

TEST_CASE("counters that no fit writes are refused") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, inf, -inf, -1.0, 0.5, 1e300, 1.8446744073709552e19})
    for (const arma::uword counter : {0, 1, 4, 5, 6, 8, 9, 12})
      CHECK(contains(complaint([&](Checkpoint& b) { b.tensors["numbers"][counter] = bad; }), "a counter"));
  CHECK(contains(complaint([](Checkpoint& b) { b.tensors["reports"](0, 4) = -1; }), "a counter"));
  CHECK(contains(complaint([](Checkpoint& b) { b.tensors["numbers"][5] = 2; }), "contradicts itself"));
  CHECK(contains(complaint([](Checkpoint& b) { b.tensors["numbers"][12] = 9; }), "contradicts itself"));
  CHECK(contains(complaint([](Checkpoint& b) { b.tensors["reports"].set_size(0, 5); }), "contradicts itself"));
}

TEST_CASE("missing and misshapen parts are refused by name") {
  const Checkpoint whole = checkpoint();
  for (const auto& [name, matrix] : whole.tensors) {
    CHECK(contains(complaint([&, n = name](Checkpoint& b) { b.tensors.erase(n); }), "lacks '" + name + "'"));
    CHECK(contains(complaint([&, n = name](Checkpoint& b) { b.tensors[n].set_size(3, 77); }), "'" + name + "' is"));
  }
  CHECK(contains(complaint([](Checkpoint& b) { b.metadata.erase("kind"); }), "not a checkpoint of a GF fit"));
  CHECK(contains(complaint([](Checkpoint& b) { b.metadata.erase("fingerprint"); }), "another fit"));
}
