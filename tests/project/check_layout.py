"""Checks the rules of the source tree that no compiler knows: check_layout.py ROOT.

Prints one line per violation, "file:line: what", and fails if there is any. docs/CONTRIBUTING.md states the rules.
"""

import re
import sys
from pathlib import Path

# A module includes itself and the modules of any line above its own; those of one line are siblings and do not include
# each other.
LAYERS = [
    ["core"],
    ["math"],
    ["marginal", "rotation"],
    ["flow"],
    ["rbig", "gf", "io", "data"],
    ["search"],
    ["info"],
]
RANK = {module: rank for rank, modules in enumerate(LAYERS) for module in modules}

SOURCES = {".hpp", ".cpp", ".inc"}
TEXTS = SOURCES | {".py", ".sh", ".cmake", ".in", ".md", ".txt"}
LONGEST = 400  # lines, of a file in lib or apps

# Spelled in two halves so that this file does not break its own rule.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
OWN = re.compile(r"gaussianize/(?:(\w+)/[\w/]+\.(?:hpp|inc)|version\.hpp)")

# What the library does not do, outside comments and strings.
FORBIDDEN = [
    (re.compile(r"\bstd::(cout|cerr|clog)\b|(?<![\w:])(std::)?(f?printf|puts)\s*\("), "the library never prints"),
    (re.compile(r"\b(std::)?(abort|exit|quick_exit|terminate)\s*\("), "the library never ends the program"),
    (re.compile(r"\barma_rng\b|\barma::rand[nui]\b|\bstd::random_device\b|\bstd::\w+_distribution\b|(?<![\w.>:])(std::)?s?rand\s*\("),
     "random numbers come from RandomStream"),
    (re.compile(r"\bsetlocale\s*\("), "the library never changes the locale"),
]


def read(path):
    return path.read_text(encoding="utf-8")


def files(root, folders, suffixes):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def code_only(text):
    """Blanks comments and literals, keeping the lines."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check_include(root, module, quoted, angled):
    """What is wrong with one include of a file of `module`, or None."""
    name = quoted or angled
    if name.startswith("boost/program_options"):
        return f"<{name}>: only apps parse command lines"
    own = OWN.fullmatch(name)
    if angled:
        return f"<{name}>: the project's own headers are included by quotes" if name.startswith("gaussianize/") else None
    if not own:
        return f'"{name}": write "gaussianize/<module>/<file>.hpp"'
    target = own.group(1)
    if target is None or target == module:
        pass
    elif target not in RANK:
        return f'"{name}": there is no module {target}'
    elif RANK[target] >= RANK[module]:
        return f'"{name}": {module} may not include {target}'
    if target is not None and not (root / "lib" / name).is_file():
        return f'"{name}": there is no such file'
    return None


def check_includes(root):
    for path in files(root, ["lib/gaussianize"], SOURCES):
        if path.parent == root / "lib/gaussianize":
            continue  # gaussianize.hpp, which test_headers.py checks
        module = path.relative_to(root / "lib/gaussianize").parts[0]
        if module not in RANK:
            yield path, 1, f"{module} is no module: add it to LAYERS in tests/project/check_layout.py"
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            found = INCLUDE.match(line)
            wrong = found and check_include(root, module, *found.groups())
            if wrong:
                yield path, number, wrong


def check_forbidden(root):
    for path in files(root, ["lib/gaussianize"], SOURCES):
        for number, line in enumerate(code_only(read(path)).splitlines(), 1):
            for pattern, why in FORBIDDEN:
                found = pattern.search(line)
                if found:
                    yield path, number, f"{found.group().strip()}: {why}"
    for path in files(root, ["lib", "apps", "tests"], {".txt", ".cmake"}):
        for number, line in enumerate(read(path).splitlines(), 1):
            if re.search(r"-f(fast|associative|finite-only|unsafe)\S*-?math|-Ofast", line.split("#")[0]):
                yield path, number, "no flag may change what the arithmetic means"


def check_length(root):
    for path in files(root, ["lib", "apps"], SOURCES | {".cmake", ".sh"}):
        count = len(read(path).splitlines())
        if count > LONGEST:
            yield path, count, f"{count} lines, more than {LONGEST}: split it"


def check_sources_named(root):
    """Every .cpp is named by the CMakeLists.txt of its folder or of one above."""
    for path in files(root, ["lib", "apps", "tests"], {".cpp"}):
        folder, named = path.parent, False
        while not named and folder != root.parent:
            lists = folder / "CMakeLists.txt"
            if lists.is_file():
                words = re.findall(r"[^\s()\"]+", re.sub(r"#.*", "", read(lists)))
                named = path.relative_to(folder).as_posix() in words
            folder = folder.parent
        if not named:
            yield path, 1, "no CMakeLists.txt names it"


def check_unfinished(root):
    for path in files(root, ["lib", "apps", "tests", "docs"], TEXTS):
        for number, line in enumerate(read(path).splitlines(), 1):
            found = UNFINISHED.search(line)
            if found:
                yield path, number, f"{found.group()}: finish it or leave it out"


def check_packages(root):
    """apps/packages.txt: blank lines, comments and one package name a line, none twice, each under its purpose."""
    path = root / "apps/packages.txt"
    seen, purpose = set(), False
    for number, line in enumerate(read(path).splitlines(), 1):
        if line.startswith("#"):
            purpose = True
        elif not line:
            purpose = False
        else:
            # Debian policy 5.6.1: lower case letters, digits, + - . and at least two of them.
            if not re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", line):
                yield path, number, f"'{line}' is no package name"
            if line in seen:
                yield path, number, f"{line} is listed twice"
            if not purpose:
                yield path, number, f"no comment says what {line} is for"
            seen.add(line)
    if not seen:
        yield path, 1, "lists no package"


CHECKS = [check_includes, check_forbidden, check_length, check_sources_named, check_unfinished, check_packages]


def violations(root):
    """Every violation under `root`, as text."""
    return [f"{path.relative_to(root)}:{number}: {what}" for check in CHECKS for path, number, what in check(root)]


def main():
    found = violations(Path(sys.argv[1]).resolve())
    print("\n".join(found) if found else "the layout is as it should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
