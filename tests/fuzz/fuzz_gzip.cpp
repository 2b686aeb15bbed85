// gzip: the content stays below its limit, and packing it again loses nothing.

#include "gaussianize/io/detail/gzip.hpp"

#include "fuzz/target.hpp"
#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

std::vector<Bytes> gaussianize::testing::seeds() {
  std::vector<Bytes> all;
  for (const std::string& text : {std::string(), std::string("a,b\n1,2\n"), std::string(100'000, '0')})
    all.push_back(gzip(bytes_of(text)));
  Bytes two = all[1];
  two.insert(two.end(), all[2].begin(), all[2].end());
  all.push_back(two);
  two.resize(two.size() + 20);
  all.push_back(two);
  std::string mixed;
  for (int i = 0; i < 400; ++i) mixed += std::to_string(i * i % 1009) + (i % 7 == 0 ? "\n" : ",");
  all.push_back(gzip(bytes_of(mixed)));
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t limit = 1 << 16;
  Bytes content;
  if (!refusal("name", [&] { content = gunzip(std::as_bytes(std::span(data, size)), "name", limit); }).empty())
    return 0;
  if (content.size() > limit) broken("the content stays below its limit");
  if (gunzip(gzip(content), "name") != content) broken("packing loses nothing");
  return 0;
}
