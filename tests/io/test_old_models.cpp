#include <filesystem>

#include <doctest/doctest.h>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"
#include "gaussianize/io/model_file.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;

/// What version 0.1.0 printed for its own model.
struct Recorded {
  const char* file;
  arma::vec log_density;
  arma::mat z, drawn;
};

const arma::mat rows{{0.3, -1.2}, {2.5, 0.75}, {-40.0, 3.0}, {1e4, -1e4}};
const arma::mat gaussian{{0.5, -1.25}, {3.5, -4.0}};

/// pinwheel, 400 rows of seed 3; RBIG of 4 layers, GF of 3 layers with 6 and 4 anchors after 5 epochs.
const Recorded recorded[] = {{"rbig.model",
                              {-4.679370538087246, -3.7714800490701563, -81.97483005662038, -181562.2788851635},
                              {{-0.32905996142002875, -0.5081595883154282},
                               {-1.9033165905350578, 0.758461349761128},
                               {11.806318569113913, -3.990284058844237},
                               {-274.59706553534716, -536.3790691519969}},
                              {{-1.3948991051733473, -1.9041226714870096}, {-4.118398898948226, -2.8099771957315247}}},
                             {"gf.model",
                              {-5.104838737059283, -4.113522628416648, -28.059262623566397, -73.1449822518015},
                              {{-0.5316171863774442, 0.21689652437122117},
                               {-0.9555231374317164, -1.8562719586122949},
                               {4.937195427261877, 4.200978084730795},
                               {-9.340088520689212, -4.210134028211404}},
                              {{1.4903793082003398, 1.655296588377306}, {2.518286583690788, 17.563484433456093}}}};

double largest_error(const arma::mat& value, const arma::mat& expected) {
  return arma::abs((value - expected) / (1 + arma::abs(expected))).max();
}

}  // namespace

TEST_CASE("models of format version 1 are read and give the numbers that they gave") {
  const std::filesystem::path folder = std::filesystem::path(GAUSSIANIZE_SOURCE_DIR) / "tests/io/version_1";
  for (const Recorded& old : recorded) {
    CAPTURE(old.file);
    const Model model = load_model(folder / old.file);
    CHECK(largest_error(log_density(model.flow, rows), old.log_density) < 1e-10);
    CHECK(largest_error(forward(model.flow, rows).z, old.z) < 1e-10);
    CHECK(largest_error(inverse(model.flow, gaussian), old.drawn) < 1e-10);
    // Saved again, they are files of today's version with the same content.
    const Model again = decode_model(encode_model(model), "again");
    CHECK(arma::approx_equal(log_density(again.flow, rows), log_density(model.flow, rows), "absdiff", 0.0));
  }
}
