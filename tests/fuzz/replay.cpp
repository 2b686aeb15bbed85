// Runs a fuzz target without a fuzzer:
//   replay_NAME [COUNT]      its seeds, every truncation of them, and COUNT mutations that are the same on every run
//   replay_NAME --seeds DIR  writes the seeds to files, for a fuzzer to start from
// The address space is capped a little above what the program starts with, so that a header that asks for more than its
// file warrants ends in std::bad_alloc, and with it the run.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>

#include "gaussianize/core/random.hpp"

#include "fuzz/target.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::testing;

void cap_memory() {
  if (sanitized) return;
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  if (!(statm >> pages)) return;
  constexpr std::size_t page = 4096, room = std::size_t{384} << 20;  // 256 MiB are gunzip's own limit
  const rlim_t limit = pages * page + room;
  const rlimit both{limit, limit};
  ::setrlimit(RLIMIT_AS, &both);
}

class Mutator {
 public:
  explicit Mutator(std::vector<Bytes> inputs) : inputs_(std::move(inputs)), random_(Seed{1}, Purpose::test) {}

  Bytes next() {
    Bytes bytes = inputs_[below(inputs_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t n) { return std::min(n - 1, static_cast<std::size_t>(random_.uniform() * double(n))); }

  void change(Bytes& bytes) {
    if (bytes.empty()) bytes.push_back(std::byte{0});
    const std::size_t at = below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = place + static_cast<std::ptrdiff_t>(1 + below(std::min<std::size_t>(16, bytes.size() - at)));
    switch (below(7)) {
      case 0:
        *place ^= static_cast<std::byte>(1u << below(8));
        break;
      case 1:
        *place = static_cast<std::byte>(below(256));
        break;
      case 2:
        *place = bytes[below(bytes.size())];
        break;
      case 3:
        bytes.erase(place, end);
        break;
      case 4: {
        const Bytes copy(place, end);
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size() + 1)), copy.begin(), copy.end());
        break;
      }
      case 5: {
        const Bytes& other = inputs_[below(inputs_.size())];
        if (!other.empty()) {
          const std::size_t from = below(other.size());
          bytes.resize(at);
          bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
        }
        break;
      }
      default:
        std::fill(place, end, below(2) == 0 ? std::byte{0} : std::byte{0xFF});
    }
  }

  std::vector<Bytes> inputs_;
  RandomStream random_;
};

void run(const Bytes& bytes) {
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  } catch (const std::exception&) {
    std::ofstream("replay-failure", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    throw;
  }
}

int write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::size_t number = 0;
  for (const Bytes& seed : seeds())
    std::ofstream(folder / ("seed-" + std::to_string(number++)), std::ios::binary)
        .write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && std::string(argv[1]) == "--seeds") return write_seeds(argv[2]);
  const std::size_t count = argc > 1 ? std::stoul(argv[1]) : 20'000;
  const std::vector<Bytes> all = seeds();
  cap_memory();
  std::size_t truncations = 0;
  for (const Bytes& seed : all)
    for (std::size_t length = 0; length <= seed.size(); ++length, ++truncations)
      run({seed.begin(), seed.begin() + static_cast<std::ptrdiff_t>(length)});
  Mutator mutator(all);
  for (std::size_t i = 0; i < count; ++i) run(mutator.next());
  std::printf("%zu seeds, %zu truncations, %zu mutations: no promise broken\n", all.size(), truncations, count);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\nthe input is in the file replay-failure\n", error.what());
  return 1;
}
