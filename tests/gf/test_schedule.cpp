#include <doctest/doctest.h>

#include "gaussianize/gf/detail/optimizer.hpp"

#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

TEST_CASE("constant and warm-up") {
  const ScheduleOptions options{.kind = Schedule::constant, .learning_rate = 0.2, .warm_up_steps = 4};
  const ScheduleState state;
  CHECK(testing::relative_error(learning_rate(options, state, 0, 100), 0.05) < 1e-14);
  CHECK(testing::relative_error(learning_rate(options, state, 3, 100), 0.2) < 1e-14);
  CHECK(testing::relative_error(learning_rate(options, state, 99, 100), 0.2) < 1e-14);
}

TEST_CASE("cosine falls from the full rate to nothing, through half at the middle") {
  const ScheduleOptions options{.kind = Schedule::cosine, .learning_rate = 1.0};
  const ScheduleState state;
  CHECK(learning_rate(options, state, 0, 1000) == 1.0);
  CHECK(testing::relative_error(learning_rate(options, state, 500, 1000), 0.5) < 1e-14);
  CHECK(testing::relative_error(learning_rate(options, state, 1000, 1000), 0.0) < 1e-15);
  for (std::uint64_t step = 1; step < 1000; ++step)
    CHECK(learning_rate(options, state, step, 1000) < learning_rate(options, state, step - 1, 1000));
}

TEST_CASE("plateau halves after so many epochs without a better loss, and only then") {
  const ScheduleOptions options{.kind = Schedule::plateau, .learning_rate = 1.0, .plateau_patience = 2};
  ScheduleState state;
  const auto rate = [&] { return learning_rate(options, state, 0, 1); };
  end_epoch(options, state, 5.0);
  end_epoch(options, state, 5.0);
  CHECK(rate() == 1.0);
  end_epoch(options, state, 6.0);
  CHECK(rate() == 0.5);
  end_epoch(options, state, 4.0);
  end_epoch(options, state, 4.5);
  CHECK(rate() == 0.5);
  end_epoch(options, state, 4.5);
  CHECK(rate() == 0.25);
}
