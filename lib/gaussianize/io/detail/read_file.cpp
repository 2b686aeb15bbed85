#include "gaussianize/io/detail/read_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

namespace gaussianize::detail {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw FileError(concat(name, ": ", problem));
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

struct Descriptor {
  int value;
  bool owned = true;
  ~Descriptor() {
    if (owned) ::close(value);
  }
};

struct stat status_of(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(name, concat("cannot be read: ", reason(errno)));
  if (S_ISDIR(status.st_mode)) fail(name, "is a folder; give the name of a file in it");
  return status;
}

/// Up to `size` bytes to `to`; less only at the end.
std::size_t read_some(int descriptor, std::byte* to, std::size_t size, const std::string& name) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor, to + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, concat("cannot be read: ", reason(errno)));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::vector<std::byte> read_regular(int descriptor, std::size_t size, const std::string& name) {
  std::vector<std::byte> bytes(size);
  if (read_some(descriptor, bytes.data(), size, name) < size)
    fail(name, "became shorter while it was read; wait until its writer is done");
  return bytes;
}

std::vector<std::byte> read_stream(int descriptor, const std::string& name) {
  std::vector<std::byte> bytes;
  for (std::size_t size = 0;;) {
    constexpr std::size_t least = 65'536;
    bytes.resize(std::max(least, 2 * size));
    size += read_some(descriptor, bytes.data() + size, bytes.size() - size, name);
    if (size == bytes.size()) continue;
    bytes.resize(size);
    return bytes;
  }
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  const std::string name = path.string();
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever instead of being refused.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0) fail(name, concat("cannot be opened: ", reason(errno)));
  const struct stat status = status_of(file.value, name);
  if (!S_ISREG(status.st_mode)) fail(name, "is not a regular file; copy the data to one and give its name");
  return read_regular(file.value, static_cast<std::size_t>(status.st_size), name);
}

std::vector<std::byte> read_file_or_stream(const std::filesystem::path& path) {
  const bool standard = path == "-";
  const std::string name = standard ? "standard input" : path.string();
  const Descriptor file{standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC), !standard};
  if (file.value < 0) fail(name, concat("cannot be opened: ", reason(errno)));
  const struct stat status = status_of(file.value, name);
  // Standard input may be a file whose first part was already read, so only named files are taken by their size.
  if (S_ISREG(status.st_mode) && !standard)
    return read_regular(file.value, static_cast<std::size_t>(status.st_size), name);
  const bool device = S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(file.value) == 0);
  if (device && !standard) fail(name, "is a device; copy the data to a file and give its name");
  return read_stream(file.value, name);
}

}  // namespace gaussianize::detail
