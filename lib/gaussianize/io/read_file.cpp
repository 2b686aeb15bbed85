#include "gaussianize/io/read_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "gaussianize/core/error.hpp"

namespace gaussianize {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw FileError(concat(path.string(), ": ", problem));
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

struct Descriptor {
  int value;
  ~Descriptor() { ::close(value); }
};

std::size_t regular_size(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(path, concat("cannot be read: ", reason(errno)));
  if (S_ISDIR(status.st_mode)) fail(path, "is a folder; give the name of a file in it");
  if (!S_ISREG(status.st_mode)) fail(path, "is not a regular file; copy the data to one and give its name");
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever instead of being refused.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0) fail(path, concat("cannot be opened: ", reason(errno)));

  std::vector<std::byte> bytes(regular_size(file.value, path));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.value, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, concat("cannot be read: ", reason(errno)));
    if (got == 0) fail(path, "became shorter while it was read; wait until its writer is done");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace gaussianize
