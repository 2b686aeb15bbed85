// Times reading a CSV file of 64 MB: megabytes per second of read_table by the number of threads, beside a loop of
// getline and strtod, which checks nothing, and beside a copy of the bytes in memory, with the ratios in the same run.
// Processor time stands beside the clock's, since other programs take part of a busy machine.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "gaussianize/core/random.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/table.hpp"

#include "io/temporary_folder.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;

volatile double sink = 0.0;

struct Time {
  double clock = 1e300, processor = 1e300;
};

/// The best of five runs, in seconds.
Time seconds(const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  Time best;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = Clock::now();
    const std::clock_t processor = std::clock();
    body();
    best.clock = std::min(best.clock, std::chrono::duration<double>(Clock::now() - start).count());
    best.processor = std::min(best.processor, static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC);
  }
  return best;
}

/// Ten columns of uniform numbers with `digits` significant digits, or with as many as it takes if 0.
std::string make_csv(int digits) {
  RandomStream random(Seed{1}, Purpose::test);
  std::string text = "a,b,c,d,e,f,g,h,i,j\n";
  char buffer[32];
  while (text.size() < (std::size_t{64} << 20))
    for (int c = 0; c < 10; ++c) {
      const double value = 20.0 * random.uniform() - 10.0;
      const auto end = digits > 0 ? std::to_chars(buffer, buffer + 32, value, std::chars_format::general, digits)
                                  : std::to_chars(buffer, buffer + 32, value);
      text.append(buffer, end.ptr) += c < 9 ? ',' : '\n';
    }
  return text;
}

/// What one writes in five minutes.
double read_plainly(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<double> values;
  while (std::getline(file, line))
    for (const char* p = line.c_str(); *p != '\0';) {
      char* end = nullptr;
      values.push_back(std::strtod(p, &end));
      p = *end == ',' ? end + 1 : end;
    }
  return values.back();
}

}  // namespace

int main() {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path / "table.csv";
  for (const int digits : {4, 8, 0}) {
    const std::string text = make_csv(digits);
    std::ofstream(path, std::ios::binary) << text;
    const double megabytes = static_cast<double>(text.size()) / 1e6;
    const Time plain = seconds([&] { sink = read_plainly(path); });
    const auto report = [&](const std::string& name, const Time& time) {
      std::printf("  %-24s %7.0f MB/s by the clock, %7.0f by the processor, %6.1f × getline and strtod\n", name.c_str(),
                  megabytes / time.clock, megabytes / time.processor, plain.processor / time.processor);
    };
    std::printf("%s significant digits, %.0f MB\n", digits > 0 ? std::to_string(digits).c_str() : "all", megabytes);
    report("getline and strtod", plain);
    for (const int threads : {1, 2})
      report("read_table, threads " + std::to_string(threads),
             seconds([&] { sink = read_table(path, {.threads = threads}).values(0, 0); }));
    report("read_file alone", seconds([&] { sink = static_cast<double>(read_file(path).size()); }));
    std::string copy(text.size(), '\0');
    report("copy in memory", seconds([&] {
             std::memcpy(copy.data(), text.data(), text.size());
             sink = copy[copy.size() / 2];
           }));
  }
  return 0;
}
