"""The public headers, as a user has them: test_headers.py SOURCE --include FOLDER --compiler C++ [--flags …].

Checks lib/gaussianize of SOURCE:
- gaussianize.hpp includes every public header and nothing else; `--update` writes that list;
- a public header includes the standard library, Armadillo and public headers, names nothing private, and exports what it
  declares;
- each compiles by itself, twice included, without a warning. FOLDER holds version.hpp, which the build makes.
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ARMADILLO = ["-DARMA_DONT_USE_WRAPPER", "-DARMA_DONT_USE_OPENMP", "-DARMA_WARN_LEVEL=0"]
INCLUDE = re.compile(r'^#include (<[a-z_]+>|"gaussianize/[\w/]+\.hpp")$', re.MULTILINE)
EXPORTED = re.compile(r"#pragma GCC visibility push\(default\)\n+namespace gaussianize \{\n"
                      r"(?:(?!\n#pragma).)*\n\}  // namespace gaussianize\n+#pragma GCC visibility pop\n*\Z", re.DOTALL)


def public_headers(lib):
    """Relative to lib, as they are included."""
    return sorted(path.relative_to(lib).as_posix() for path in (lib / "gaussianize").glob("*/*.hpp"))


def whole(headers):
    """The text of gaussianize.hpp."""
    names = headers + ["gaussianize/version.hpp"]
    return ("#pragma once\n\n/// Everything that is public, in one include.\n\n"
            + "".join(f'#include "{name}"\n' for name in names))


def problems(lib, header, public):
    """What is wrong with the text of a public header."""
    text = (lib / header).read_text()
    code = re.sub(r"//[^\n]*", "", text)
    for line in re.findall(r"^[ \t]*#[ \t]*include.*", text, re.MULTILINE):
        found = INCLUDE.match(line)
        if not found:
            yield f"{line}: a public header needs nothing but Armadillo and the standard library"
        elif found[1].startswith('"') and found[1].strip('"') not in public:
            yield f"{line}: that header is not public"
    if re.search(r"\bdetail\b", code):
        yield "names gaussianize::detail"
    if not EXPORTED.search(text):
        yield ("its namespace does not stand between #pragma GCC visibility push(default) and pop, so that a shared library "
               "would hide it")


def compile_alone(args, prepared, header):
    """The compiler's messages about a file that includes this header, and again."""
    text = (args.source / "lib" / header).read_text() if header.count("/") > 1 else ""
    # Armadillo's header comes compiled where the header asks for it; before all else, which changes nothing for it.
    armadillo = ["-include", str(prepared)] if "#include <armadillo>" in text else []
    done = subprocess.run(
        [args.compiler, *shlex.split(args.flags), *compile_options(args), *armadillo, "-fsyntax-only", "-x", "c++", "-"],
        input=f'#include "{header}"\n#include "{header}"\n', stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f"{header} by itself:\n{done.stdout}" if done.returncode or done.stdout else ""


def compile_options(args):
    return ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *ARMADILLO, f"-I{args.source / 'lib'}",
            f"-I{args.include}", f"-idirafter{args.armadillo}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--include", type=Path)
    parser.add_argument("--armadillo", default="/usr/include")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--flags", default="")
    args = parser.parse_args()
    lib = args.source / "lib"
    headers = public_headers(lib)
    umbrella = lib / "gaussianize/gaussianize.hpp"
    if args.update:
        umbrella.write_text(whole(headers))
        return 0

    wrong = [f"{header}: {what}" for header in headers for what in problems(lib, header, set(headers))]
    if umbrella.read_text() != whole(headers):
        wrong.append("gaussianize.hpp is not the list of the public headers: run tests/project/test_headers.py . --update")
    with tempfile.TemporaryDirectory() as work:
        prepared = Path(work) / "prepared.hpp"
        prepared.write_text("#include <armadillo>\n")
        subprocess.run([args.compiler, *shlex.split(args.flags), *compile_options(args), "-x", "c++-header", prepared, "-o",
                        f"{prepared}.gch"], check=True)
        with ThreadPoolExecutor(2) as pool:
            wrong += filter(None, pool.map(lambda header: compile_alone(args, prepared, header),
                                           headers + ["gaussianize/gaussianize.hpp"]))
    print("\n".join(wrong) if wrong else f"{len(headers)} public headers are as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
