#include "report/picture.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <span>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/files.hpp"

#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

namespace fs = std::filesystem;

/// A new empty folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "gaussianize-picture-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path file(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// posix_spawn's list of files, freed with the object. All its functions return an error number.
class FileActions {
 public:
  FileActions() { check(posix_spawn_file_actions_init(&actions_)); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void open(int descriptor, const fs::path& path, int flags) {
    check(posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(), flags, 0600));
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

  static void check(int error) {
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start gnuplot");
  }

 private:
  posix_spawn_file_actions_t actions_;
};

std::string text_of(const fs::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string terminal(const Picture& picture, PictureFormat format) {
  if (format == PictureFormat::svg)
    return concat("set terminal svg size ", picture.width, ",", picture.height,
                  " rounded noenhanced font 'sans-serif,13'\n");
  // Twice the pixels: screens show pictures at twice the density of a CSS pixel.
  const std::string rest = concat(" size ", 2 * picture.width, ",", 2 * picture.height,
                                  " noenhanced fontscale 2 linewidth 2 pointscale 2 rounded");
  return concat("if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n  set terminal pngcairo font 'sans,13' background ",
                "rgb 'white'", rest, "\n} else {\n  set terminal png truecolor font 'sans,13'", rest, "\n}\n");
}

/// Hand-written because popen and std::system start a shell, cannot end a child that takes too long, and let the
/// environment through.
pid_t start(const fs::path& gnuplot, const TemporaryFolder& folder) {
  FileActions files;
  files.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  files.open(STDOUT_FILENO, folder.file("picture"), O_WRONLY | O_CREAT | O_TRUNC);
  files.open(STDERR_FILENO, folder.file("messages"), O_WRONLY | O_CREAT | O_TRUNC);

  std::string script = folder.file("script").string(), program = gnuplot.string(), defaults = "-d";
  const char* search = std::getenv("PATH");
  std::string path = std::string("PATH=") + (search != nullptr ? search : ""), home = "HOME=" + folder.path().string(),
              locale = "LC_ALL=C.UTF-8";
  const std::array<char*, 4> arguments{program.data(), defaults.data(), script.data(), nullptr};
  const std::array<char*, 4> environment{path.data(), home.data(), locale.data(), nullptr};
  pid_t child = 0;
  FileActions::check(posix_spawn(&child, program.c_str(), files.get(), nullptr, arguments.data(), environment.data()));
  return child;
}

/// The exit status, or nothing if the child had to be killed at the end of its time.
std::optional<int> wait_for(pid_t child, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (bool late = false;;) {
    int status = 0;
    const pid_t done = ::waitpid(child, &status, late ? 0 : WNOHANG);
    if (done == child) return late ? std::nullopt : std::optional(status);
    if (done < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "waiting for gnuplot");
    if (!late && std::chrono::steady_clock::now() >= end) {
      ::kill(child, SIGKILL);
      late = true;
    } else if (!late) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

std::string failure(int status, const std::string& messages) {
  const std::string details = messages.empty() ? "" : ": " + shortened(messages, 400);
  if (WIFSIGNALED(status)) return concat("gnuplot was ended by signal ", WTERMSIG(status), details);
  if (WEXITSTATUS(status) != 0) return concat("gnuplot failed with code ", WEXITSTATUS(status), details);
  return messages.empty() ? "gnuplot drew nothing" : "gnuplot warned" + details;
}

/// gnuplot's black becomes the colour of text, dark on white or light on dark as the reader's system is set; role and
/// label are for readers who cannot see. gnuplot's terminal has options for neither.
std::string themed(std::string svg, const std::string& description) {
  const std::size_t root = svg.find("<svg"), content = svg.find('>', std::min(root, svg.size()));
  if (content == svg.npos) return svg;
  svg.insert(content + 1,
             "<style>svg{color:#1c2128;background:#fff}g{font-family:system-ui,sans-serif}[color=black]{color:inherit}"
             "[stroke=black]{stroke:currentColor}[fill=black]{fill:currentColor}"
             "@media(prefers-color-scheme:dark){svg{color:#e3e6ea;background:#14181d}}</style>");
  return svg.insert(root + 4, concat(" role=\"img\" aria-label=\"", escaped(description), "\""));
}

Drawing draw_with(const fs::path& gnuplot, const Picture& picture, PictureFormat format, double seconds) {
  const TemporaryFolder folder;
  {
    std::ofstream script(folder.file("script"), std::ios::binary);
    script << "set encoding utf8\n" << terminal(picture, format) << picture.script;
    if (!script.flush()) return {.problem = "cannot write in the folder for temporary files"};
  }
  const std::optional<int> status = wait_for(start(gnuplot, folder), seconds);
  if (!status) return {.problem = concat("gnuplot did not finish in ", seconds, " seconds")};
  std::string bytes = text_of(folder.file("picture")), messages = text_of(folder.file("messages"));
  if (*status != 0 || !messages.empty() || bytes.empty()) return {.problem = failure(*status, messages)};
  return {.bytes = format == PictureFormat::svg ? themed(std::move(bytes), picture.description) : std::move(bytes)};
}

}  // namespace

PictureFormat picture_format(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  require(extension == ".svg" || extension == ".png", path.string(), ": a picture's name ends in .svg or .png");
  return extension == ".svg" ? PictureFormat::svg : PictureFormat::png;
}

std::optional<fs::path> find_gnuplot() {
  const char* search = std::getenv("PATH");
  std::string_view rest = search != nullptr ? search : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, end)) / "gnuplot";
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::error_code error;
    if (candidate.is_absolute() && fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return std::nullopt;
}

std::string_view gnuplot_missing() {
  return "gnuplot is not installed, so there are no pictures; on Debian and Ubuntu: apt-get install gnuplot-nox";
}

Drawing draw(const Picture& picture, PictureFormat format, double seconds) {
  const std::optional<fs::path> gnuplot = find_gnuplot();
  if (!gnuplot) return {.problem = std::string(gnuplot_missing())};
  try {
    return draw_with(*gnuplot, picture, format, seconds);
  } catch (const std::system_error& error) {  // no temporary folder, no process
    return {.problem = error.what()};
  } catch (const FileError& error) {
    return {.problem = error.what()};
  }
}

void write_plot(const Picture& picture, const fs::path& path) {
  const Drawing drawing = draw(picture, picture_format(path));
  if (drawing.bytes.empty()) throw FileError(path.string() + ": " + drawing.problem);
  write_file_atomically(path, std::as_bytes(std::span(drawing.bytes)));
}

std::string data_url(std::string_view svg) {
  constexpr std::string_view digits = "0123456789ABCDEF", allowed = "-._~!$'()*+,;:@/?=";
  std::string url = "data:image/svg+xml,";
  for (const char c : svg) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || allowed.find(c) != allowed.npos)
      url += c;
    else
      url.append({'%', digits[byte / 16], digits[byte % 16]});
  }
  return url;
}

}  // namespace gaussianize::report
