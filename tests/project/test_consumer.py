"""The library in the hands of others.

test_consumer.py installed  …: installs the build, moves the tree, and links a program with it by find_package and by
                               pkg-config; then the same with a shared library of the same objects.
test_consumer.py subproject …: takes the sources in with add_subdirectory, and builds the same program.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run(*command, succeeds=True, **options):
    """Runs a command that has to succeed, or to fail; returns its standard output and standard error."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if (done.returncode == 0) != succeeds:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stdout}\n"
                 f"exit code {done.returncode}, expected {'0' if succeeds else 'a failure'}")
    return done.stdout


def expect(condition, message):
    if not condition:
        sys.exit(message)


def configure(args, build, *definitions):
    run(args.cmake, "-S", HERE / "consumer", "-B", build, "-G", args.generator,
        f"-DCMAKE_CXX_COMPILER={args.compiler}", f"-DCMAKE_CXX_FLAGS={args.flags}",
        f"-DCMAKE_BUILD_TYPE={args.build_type}", *definitions)


def build_and_run(args, build):
    run(args.cmake, "--build", build, "--target", "consumer", "--parallel", "2")
    printed = run(build / "consumer")
    expect(printed == args.version + "\n", f"the consumer printed {printed!r}, not the version")


def check_tree(args, prefix, built_for):
    """Every public header at its place, nothing private, and no path of this machine in the CMake files."""
    include = prefix / "include/gaussianize"
    sources = args.source / "lib/gaussianize"
    headers = {str(path.relative_to(sources)) for path in sources.glob("*/*.hpp")} | {"gaussianize.hpp", "version.hpp"}
    installed = {str(path.relative_to(include)) for path in include.rglob("*") if path.is_file()}
    expect(installed == headers, f"headers not as in the source: {sorted(installed ^ headers)}")
    package = list(prefix.rglob("gaussianizeConfig.cmake"))
    expect(len(package) == 1, "there is not one gaussianizeConfig.cmake")
    for path in package[0].parent.glob("*.cmake"):
        for place in (args.source, args.build, built_for, "/usr/lib/", "/usr/include"):
            expect(str(place) not in path.read_text(), f"{path.name} holds the path {place}")


def refused_versions(version):
    """Those that a library of `version` must not pass for: newer ones, and any of another minor release."""
    major, minor, patch = map(int, version.split("."))
    refused = [f"{major}.{minor}.{patch + 1}", f"{major}.{minor + 1}", f"{major + 1}.0"]
    return refused + [f"{major}.{minor - 1}"] if minor else refused


def check_pkg_config(args, work, prefix, environment):
    pc = next(prefix.rglob("gaussianize.pc"))
    environment = {**environment, "PKG_CONFIG_PATH": str(pc.parent)}
    expect(run("pkg-config", "--modversion", "gaussianize", env=environment).strip() == args.version,
           "pkg-config reports another version")
    run("pkg-config", f"--atleast-version={args.version}.1", "gaussianize", env=environment, succeeds=False)
    code = work / "main.o"
    flags = shlex.split(run("pkg-config", "--cflags", "gaussianize", env=environment))
    run(args.compiler, "-std=c++20", *shlex.split(args.flags), *flags, "-c", HERE / "consumer/main.cpp", "-o", code)
    for mode in ([], ["--static"]):
        libraries = shlex.split(run("pkg-config", "--libs", *mode, "gaussianize", env=environment))
        program = work / f"by_pkg_config{len(mode)}"
        run(args.compiler, *shlex.split(args.flags), code, "-o", program, *libraries)
        printed = run(program, env=environment)
        expect(printed == args.version + "\n", f"the consumer by pkg-config printed {printed!r}, not the version")


def check_package(args, work, build):
    """Installs what `build` holds below `work` and uses it as others do; returns where it stands."""
    # Installed at one place and used at another, with a space in its name: the tree may be moved.
    first, prefix = work / "first", work / "a place"
    run(args.cmake, "--install", build, "--prefix", first, "--config", args.build_type)
    shutil.move(first, prefix)
    check_tree(args, prefix, first)

    libraries = next(prefix.rglob("gaussianizeConfig.cmake")).parents[2]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
    configure(args, work / "by_cmake", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DWANTED_VERSION={args.version}",
              f"-DREFUSED_VERSIONS={';'.join(refused_versions(args.version))}")
    build_and_run(args, work / "by_cmake")
    check_pkg_config(args, work, prefix, environment)
    return prefix


def exported(library):
    """The symbols that a shared library defines for others, demangled, without template arguments."""
    symbols = [line.split(maxsplit=2)[-1] for line in run("nm", "-DC", "--defined-only", library).splitlines()]
    nested = re.compile(r"<[^<>]*>")
    for k, symbol in enumerate(symbols):
        while nested.search(symbol):
            symbol = nested.sub("", symbol)
        symbols[k] = symbol
    return symbols


def check_shared(args, work):
    """The shared library is as good as the static one, and shows what its headers declare and no more."""
    work.mkdir()
    build = work / "build"
    run(args.cmake, "-S", args.source, "-B", build, "-G", args.generator, f"-DCMAKE_CXX_COMPILER={args.compiler}",
        f"-DCMAKE_CXX_FLAGS={args.flags}", f"-DCMAKE_BUILD_TYPE={args.build_type}", "-DBUILD_SHARED_LIBS=ON",
        "-DGAUSSIANIZE_BUILD_APPS=OFF", "-DGAUSSIANIZE_BUILD_TESTS=OFF", "-DGAUSSIANIZE_PRECOMPILE=OFF",
        f"-DARCHIVE={args.archive}", f"-DCMAKE_PROJECT_gaussianize_INCLUDE={HERE / 'shared.cmake'}")
    run(args.cmake, "--build", build, "--parallel", "2")
    prefix = check_package(args, work, build)
    symbols = exported(next(prefix.rglob("libgaussianize.so")))
    private = [symbol for symbol in symbols if "gaussianize::detail" in symbol]
    expect(not private, "the shared library shows what is private:\n" + "\n".join(private))
    expect(any(symbol.startswith("gaussianize::fit_rbig(") for symbol in symbols), "the shared library hides fit_rbig")
    declared = set(re.findall(r"\w+", "\n".join(path.read_text() for path in prefix.rglob("*.hpp"))))
    names = {name for symbol in symbols for name in re.findall(r"\bgaussianize::(\w+)", symbol)}
    expect(names <= declared, f"exported, but in no public header: {sorted(names - declared)}")


def check_installed(args, work):
    prefix = check_package(args, work, args.build)
    check_shared(args, work / "shared")

    program = prefix / "bin/gaussianize"
    if program.exists():
        for page in ("man/man1/gaussianize.1", "man/man1/gaussianize-fit.1", "bash-completion/completions/gaussianize",
                     "zsh/site-functions/_gaussianize", "fish/vendor_completions.d/gaussianize.fish"):
            expect((prefix / "share" / page).stat().st_size > 200, f"share/{page} is all but empty")
    if program.exists():
        expect(run(program, "--version") == f"gaussianize {args.version}\n", "the installed program has another version")


def check_subproject(args, work):
    build = work / "by_subproject"
    configure(args, build, f"-DSUBPROJECT={args.source}")
    targets = run(args.cmake, "--build", build, "--target", "help")
    expect("gaussianize_program" not in targets and "test_core" not in targets,
           "a subproject builds the program or the tests unasked")
    build_and_run(args, build)
    run(args.cmake, "--install", build, "--prefix", work / "nothing")
    expect(not list((work / "nothing").rglob("*.hpp")), "a subproject installs itself unasked")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["installed", "subproject"])
    for name in ("source", "build", "archive"):
        parser.add_argument(f"--{name}", type=Path)
    for name in ("cmake", "generator", "compiler", "flags", "build-type", "version"):
        parser.add_argument(f"--{name}")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        (check_installed if args.what == "installed" else check_subproject)(args, Path(work))
    print("ok")


if __name__ == "__main__":
    main()
