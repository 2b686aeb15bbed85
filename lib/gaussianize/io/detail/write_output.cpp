#include "gaussianize/io/detail/write_output.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/atomic_file.hpp"

namespace gaussianize::detail {
namespace {

namespace fs = std::filesystem;

void check(int error, const std::string& name, const char* problem) {
  if (error != 0) throw FileError(concat(name, ": ", problem, ": ", std::generic_category().message(error)));
}

}  // namespace

int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return 0;
}

void write_output(const fs::path& path, std::span<const std::byte> bytes) {
  if (path == "-") return check(write_all(STDOUT_FILENO, bytes), "standard output", "cannot be written");
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::is_fifo(status) && !fs::is_character_file(status)) return write_file_atomically(path, bytes);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  check(descriptor < 0 ? errno : 0, path.string(), "cannot be opened");
  const int error = write_all(descriptor, bytes);
  ::close(descriptor);
  check(error, path.string(), "cannot be written");
}

}  // namespace gaussianize::detail
