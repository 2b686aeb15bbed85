#include <clocale>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;
using gaussianize::testing::same_bytes;

namespace {

arma::mat rows(std::size_t n, Seed seed) {
  return draw(KnownDistribution::sine_chain, n, 3, seed).x;
}

/// The log density of one fit: RBIG for even jobs, GF for odd ones, each with data and a seed of its own.
arma::vec job(std::size_t index, int threads) {
  const arma::mat x = rows(400 + 10 * index, Seed{index});
  if (index % 2 == 0) {
    const RbigFit fit = fit_rbig(x, {.max_layers = 6, .seed = Seed{index}, .threads = threads});
    return log_density(fit.flow, x, {.threads = threads});
  }
  const GfOptions options{
      .layers = 3, .anchors = 8, .batch = 100, .epochs = 4, .seed = Seed{index}, .threads = threads};
  return log_density(fit_gf(x, options).flow, x, {.threads = threads});
}

/// Sends a descriptor to a file of its own while it lives, and says how much was written there.
class Capture {
 public:
  explicit Capture(int descriptor) : descriptor_(descriptor), saved_(::dup(descriptor)), file_(std::tmpfile()) {
    std::fflush(nullptr);  // what was written before goes where it was meant to
    ::dup2(::fileno(file_), descriptor_);
  }
  ~Capture() {
    ::dup2(saved_, descriptor_);
    ::close(saved_);
    std::fclose(file_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  long bytes() const { return static_cast<long>(::lseek(::fileno(file_), 0, SEEK_END)); }

 private:
  int descriptor_, saved_;
  std::FILE* file_;
};

}  // namespace

TEST_CASE("fits that run at the same time give the bytes they give alone") {
  constexpr std::size_t jobs = 8;
  std::vector<arma::vec> alone(jobs), together(jobs);
  for (std::size_t i = 0; i < jobs; ++i) alone[i] = job(i, 1);
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < jobs; ++i)
      callers.emplace_back([&, i] { together[i] = job(i, static_cast<int>(i % 3) + 1); });
  }
  for (std::size_t i = 0; i < jobs; ++i) CHECK(same_bytes(alone[i], together[i]));
}

TEST_CASE("the library writes nothing, in success and in failure") {
  std::fflush(nullptr);
  long output = -1;
  long errors = -1;
  int refused = 0;
  {
    const Capture out(STDOUT_FILENO), err(STDERR_FILENO);
    job(0, 2);
    job(1, 2);
    arma::mat constant = rows(50, Seed{1});
    constant.col(1).fill(3);
    try {
      fit_rbig(constant);
    } catch (const DataError&) {
      ++refused;
    }
    try {
      fit_gf(constant);
    } catch (const DataError&) {
      ++refused;
    }
    std::fflush(nullptr);
    output = out.bytes();
    errors = err.bytes();
  }
  CHECK(refused == 2);
  CHECK(output == 0);
  CHECK(errors == 0);
}

TEST_CASE("the capture sees what is written") {
  long output = 0;
  {
    const Capture out(STDOUT_FILENO);
    std::fputs("words", stdout);
    std::fflush(stdout);
    output = out.bytes();
  }
  CHECK(output == 5);
}

TEST_CASE("a program's locale neither changes nor matters") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const arma::vec expected = job(0, 1);
  // Commas in numbers, where the system has such a locale; the test holds with or without.
  const char* german = std::setlocale(LC_ALL, "de_DE.UTF-8");
  MESSAGE("the locale is " << std::string(german ? german : "unchanged: there is no German one here"));
  const std::string during = std::setlocale(LC_ALL, nullptr);
  CHECK(same_bytes(job(0, 1), expected));
  CHECK(std::setlocale(LC_ALL, nullptr) == during);
  std::setlocale(LC_ALL, before.c_str());
}
