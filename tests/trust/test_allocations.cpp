#include <functional>
#include <new>

#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "support/bytes.hpp"
#include "trust/failing_allocator.hpp"

using namespace gaussianize;
using namespace gaussianize::testing;

namespace {

struct Outcome {
  std::size_t refused = 0;  ///< runs in which an allocation was refused
  std::size_t other = 0;    ///< of them, ended by anything but std::bad_alloc or the right result
};

/// Runs `body` again and again, each time refusing the next allocation in turn, until one run needs no more of them.
Outcome refuse_in_turn(const std::function<arma::vec()>& body) {
  const arma::vec expected = body();
  Outcome outcome;
  for (std::size_t index = 0;; ++index) {
    bool clean = false;
    refuse_allocation(index);
    try {
      const arma::vec result = body();
      const bool reached = stop_refusing();
      if (!reached) return outcome;
      // What can do without the memory may: with fewer threads, say. The result is the same then.
      clean = same_bytes(result, expected);
    } catch (const std::bad_alloc&) {
      clean = stop_refusing();
    } catch (...) {
      stop_refusing();
    }
    ++outcome.refused;
    if (!clean) ++outcome.other;
  }
}

arma::mat rows() {
  return draw(KnownDistribution::sine_chain, 60, 2, Seed{1}).x;
}

}  // namespace

TEST_CASE("the allocator refuses the allocation it is told to, once") {
  refuse_allocation(1);
  const auto* first = new double(1);
  CHECK_THROWS_AS(new double(2), std::bad_alloc);
  const auto* third = new double(3);
  CHECK(stop_refusing());
  delete first;
  delete third;
  refuse_allocation(5);
  CHECK_FALSE(stop_refusing());
}

TEST_CASE("RBIG: whichever allocation fails, the fit ends in std::bad_alloc") {
  const arma::mat x = rows();
  for (const int threads : {1, 2}) {
    const Outcome outcome = refuse_in_turn([&] {
      // The search fits the same layers twice: once is enough.
      const RbigOptions options{.max_layers = 2, .search = threads == 1, .threads = threads};
      return log_density(fit_rbig(x, options).flow, x, {.threads = threads});
    });
    MESSAGE("RBIG, " << threads << " threads: " << outcome.refused << " allocations refused in turn");
    CHECK(outcome.refused > 1000);
    CHECK(outcome.other == 0);
  }
}

TEST_CASE("GF: whichever allocation fails, the fit ends in std::bad_alloc") {
  const arma::mat x = rows();
  for (const int threads : {1, 2}) {
    const Outcome outcome = refuse_in_turn([&] {
      // Without the fixed marginal layer, whose allocations are RBIG's and thousands more.
      const GfOptions options{
          .layers = 2, .anchors = 4, .marginal_layer = false, .batch = 40, .epochs = 2, .threads = threads};
      return log_density(fit_gf(x, options).flow, x, {.threads = threads});
    });
    MESSAGE("GF, " << threads << " threads: " << outcome.refused << " allocations refused in turn");
    CHECK(outcome.refused > 200);
    CHECK(outcome.other == 0);
  }
}
