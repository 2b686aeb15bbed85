"""Tools that read the sources: check_tools.py format|tidy|tidy-all|shellcheck ROOT [GENERATED].

Prints what the tool reports and fails if it reports anything; 77 ("skipped") where the tool is not installed. GENERATED
is the folder of the headers that the build makes, which clang-tidy needs.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

FOLDERS = ["lib", "apps", "tests", "docs"]
# Another version lays some lines out in another way: this is Debian 12's.
FORMAT_VERSION = 14

# The modules whose sources the fast tier reads: those that need no Armadillo, which takes clang-tidy 14 s a file.
FAST_TIDY = ["lib/gaussianize/core", "lib/gaussianize/math"]
FLAGS = ["-std=c++20", "-Ilib", "-Iapps", "-Itests", "-DARMA_DONT_USE_WRAPPER", "-DARMA_WARN_LEVEL=0"]


def files(root, folders, *suffixes):
    return sorted(path.relative_to(root).as_posix() for folder in folders for path in (root / folder).rglob("*")
                  if path.suffix in suffixes and path.is_file())


def skipped(reason):
    print(f"[skipped] {reason}")
    return 77


def run(root, *command):
    """Exit code and output of one run of a tool, or of several on parts of the files."""
    done = subprocess.run(command, cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def clang_format(root):
    version = re.search(r"version (\d+)", run(root, "clang-format", "--version")[1])
    if not version or int(version.group(1)) != FORMAT_VERSION:
        return skipped(f"clang-format {FORMAT_VERSION} is not installed")
    code, text = run(root, "clang-format", "--dry-run", "-Werror", *files(root, FOLDERS, ".cpp", ".hpp", ".inc"))
    print(text if code else "every file is as clang-format leaves it")
    return code


def shellcheck(root):
    scripts = files(root, FOLDERS, ".sh")
    code, text = run(root, "shellcheck", "--external-sources", *scripts)
    print(text if code else f"{len(scripts)} scripts")
    return code


def uses_armadillo(path):
    """Whether the source or a header of its own name includes it; others are cheap, or are found out to be dear."""
    return any("<armadillo>" in part.read_text(encoding="utf-8")
               for part in (path, path.with_suffix(".hpp")) if part.is_file())


def tidy(root, generated, everything):
    sources = files(root, ["lib"] if everything else FAST_TIDY, ".cpp")
    if not everything:
        sources = [name for name in sources if not uses_armadillo(root / name)]

    def check(name):
        return name, *run(root, "clang-tidy", "--quiet", "--warnings-as-errors=*", name, "--", *FLAGS, f"-I{generated}")

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if everything else 1) as pool:
        for name, code, text in pool.map(check, sources):
            if code:
                failed += 1
                print(name, text, sep="\n")
    print(f"{len(sources)} sources, {failed} with warnings")
    return 1 if failed or not sources else 0


def main():
    mode, root = sys.argv[1], Path(sys.argv[2]).resolve()
    tool = {"format": "clang-format", "shellcheck": "shellcheck"}.get(mode, "clang-tidy")
    if not shutil.which(tool):
        return skipped(f"{tool} is not installed")
    if mode == "format":
        return clang_format(root)
    if mode == "shellcheck":
        return shellcheck(root)
    return tidy(root, sys.argv[3], mode == "tidy-all")


if __name__ == "__main__":
    sys.exit(main())
