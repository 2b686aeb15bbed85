#include "trust/failing_allocator.hpp"

#include <atomic>
#include <cerrno>

// The C library's own functions, under the names it keeps for programs that replace the public ones.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

constexpr long disarmed = -1;
std::atomic<long> left{disarmed};  // allocations until the refused one
std::atomic<bool> refused{false};

bool refuse() {
  if (left.load(std::memory_order_relaxed) < 0) return false;
  if (left.fetch_sub(1) != 0) return false;
  refused = true;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  return refuse() ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  return refuse() ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) {
  return refuse() ? nullptr : __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return refuse() ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  if (refuse()) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

}  // extern "C"

namespace gaussianize::testing {

void refuse_allocation(std::size_t index) {
  refused = false;
  left = static_cast<long>(index);
}

bool stop_refusing() {
  left = disarmed;
  return refused;
}

}  // namespace gaussianize::testing
