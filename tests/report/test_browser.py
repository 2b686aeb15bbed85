"""Opens the example pages in Chromium, at a phone's and a desktop's width: test_browser.py WRITE_PAGES [PROGRAM].

With the program: the pages that it writes as well.

No console message, no horizontal overflow, every picture of a size, with something in it and without cut text. The
measurement itself is tried on a page with planted mistakes. Without Chromium or gnuplot: exit code 77 (skipped).
`--keep FOLDER` leaves the pages there, with screenshots in light and dark.
"""

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

WIDTHS = [360, 1280]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"]

# A page in a frame of the width that is asked for: windows cannot be as narrow as a phone. A picture within <img> shows
# nothing of its elements, so each is opened once more in the wrapper, at the size it has in the page.
WRAPPER = """<!DOCTYPE html><meta charset="utf-8"><style>body {{ margin: 0 }} iframe {{ border: 0 }}</style>
<iframe id="page" style="width: {width}px; height: {height}px" srcdoc="{page}"></iframe><div id="inside"></div>
<pre id="result"></pre>
<script>
const prefix = "data:image/svg+xml,";
async function decoded(source) {{
  const picture = new Image();
  picture.src = source;
  try {{ await picture.decode(); return picture.naturalWidth > 0; }} catch (error) {{ return false; }}
}}
async function inspect(image) {{
  const shown = image.getBoundingClientRect(), found = {{empty: true, cut: false, broken: !await decoded(image.src)}};
  if (found.broken || !image.src.startsWith(prefix)) return found;
  const inside = document.getElementById("inside");
  inside.innerHTML = decodeURIComponent(image.src.slice(prefix.length)).replace(/^[^]*?<svg/, "<svg");
  const svg = inside.querySelector("svg");
  svg.setAttribute("width", shown.width);
  svg.setAttribute("height", shown.height);
  const box = svg.getBoundingClientRect(), ink = svg.getBBox();
  found.empty = shown.width < 100 || shown.height < 60 || ink.width < 50 || ink.height < 30;
  found.cut = [...svg.querySelectorAll("text")].some(text => {{
    const t = text.getBoundingClientRect();
    return t.left < box.left - 1 || t.right > box.right + 1 || t.top < box.top - 1 || t.bottom > box.bottom + 1;
  }});
  for (const part of svg.querySelectorAll("image"))
    found.broken ||= !await decoded(part.getAttribute("href") || part.getAttribute("xlink:href"));
  inside.innerHTML = "";
  return found;
}}
async function measure() {{
  const page = document.getElementById("page").contentDocument, root = page.documentElement;
  const pictures = [...page.querySelectorAll("figure img")], found = [];
  for (const picture of pictures) found.push(await inspect(picture));
  const having = fault => pictures.filter((picture, i) => found[i][fault]).map(picture => picture.alt || "?");
  const result = {{
    overflow: root.scrollWidth - root.clientWidth,
    pictures: pictures.length,
    figures: page.querySelectorAll("figure").length,
    empty: having("empty"),
    cut: having("cut"),
    broken: having("broken"),
    unlabelled: pictures.filter(picture => !picture.alt).length,
  }};
  document.getElementById("result").textContent = JSON.stringify(result);
}}
document.getElementById("page").addEventListener("load", measure);
</script>
"""


def run(chromium, folder, flags, target):
    profile = folder / "profile"
    try:
        return subprocess.run([chromium, *FLAGS, f"--user-data-dir={profile}", *flags, target.as_uri()],
                              capture_output=True, text=True, timeout=1000, check=False)
    finally:
        shutil.rmtree(profile, ignore_errors=True)


def measure(chromium, folder, page, width):
    """What the browser finds: the measurements, and the console's messages."""
    wrapper = folder / "wrapper.html"
    wrapper.write_text(WRAPPER.format(width=width, height=900, page=html.escape(page)), encoding="utf-8")
    flags = ["--dump-dom", "--virtual-time-budget=20000", "--enable-logging=stderr", "--window-size=1400,1000"]
    for _ in range(5):  # on a busy machine Chromium's virtual time may be over before the page is loaded
        done = run(chromium, folder, flags, wrapper)
        found = re.search(r'<pre id="result">(.+?)</pre>', done.stdout, re.DOTALL)
        if found:
            break
    else:
        sys.exit(f"Chromium measured nothing (code {done.returncode}):\n{done.stderr[-2000:]}")
    result = json.loads(html.unescape(found.group(1)))
    result["console"] = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return result


def faults(result, pictures_expected=True):
    found = [f"{key}: {result[key]}" for key in ("overflow", "empty", "cut", "broken", "unlabelled", "console")
             if result[key]]
    if pictures_expected and result["pictures"] < result["figures"]:
        found.append(f"{result['pictures']} pictures in {result['figures']} figures")
    return found


def check_checker(chromium, folder):
    """The measurement finds what it is for."""
    def picture(content, alt):
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="500" height="300" viewBox="0 0 500 300">{content}</svg>'
        return f'<figure><img {alt} src="data:image/svg+xml,{urllib.parse.quote(svg)}"></figure>'

    planted = f"""<!DOCTYPE html><meta name="viewport" content="width=device-width">
    <div style="width: 2000px">wide</div>{picture("", 'alt="nothing in it"')}
    {picture('<rect width="300" height="200"/><text x="480" y="50">too far right</text>', "")}
    {picture('<rect width="300" height="200"/><image href="data:image/png;base64,AAAA" width="9" height="9"/>', "")}
    <figure></figure><script>console.error("a message"); nowhere();</script>"""
    result = measure(chromium, folder, planted, 360)
    missing = [key for key in ("overflow", "empty", "cut", "broken", "unlabelled", "console") if not result[key]]
    if missing or result["pictures"] >= result["figures"]:
        sys.exit(f"the measurement does not see planted mistakes: {missing or 'pictures'} in {result}")


def screenshots(chromium, folder, page, keep):
    """Light and dark, phone and desktop."""
    for width, height in ((360, 5200), (1280, 4200)):
        for scheme in ("light", "dark"):
            # Headless Chromium has no switch for the reader's scheme: the page is given one.
            text = page.read_text(encoding="utf-8")
            if scheme == "dark":
                text = re.sub(r"@media ?\(prefers-color-scheme: ?dark\)", "@media all", text)
            wrapper = folder / "wrapper.html"
            wrapper.write_text(WRAPPER.format(width=width, height=height, page=html.escape(text)), encoding="utf-8")
            target = keep / f"{page.stem}-{width}-{scheme}.png"
            run(chromium, folder, [f"--window-size={max(width, 500)},{height}", f"--screenshot={target}"], wrapper)


def write_program_pages(program, folder):
    """Reports of the program itself: one, two and more columns, each command."""
    def run_program(*arguments):
        subprocess.run([program, *arguments, "--quiet"], cwd=folder, stdout=subprocess.DEVNULL, check=True)

    run_program("compare", "--toy", "gaussian", "--dimension", "1", "--rows", "200", "--test-rows", "200", "--preset",
                "fast", "--report", "program-compare1.html")
    run_program("generate", "two-spirals", "-n", "300", "-o", "spirals.csv")
    run_program("compare", "spirals.csv", "--preset", "fast", "--report", "program-compare2.html")
    run_program("fit", "spirals.csv", "--model", "rbig", "--layers", "4", "-o", "m", "--report", "program-fit2.html")
    run_program("diagnose", "--dimension", "4", "--rows", "300", "--preset", "fast", "--permutations", "19", "--report",
                "program-diagnose4.html")


def main():
    keep = Path(sys.argv[sys.argv.index("--keep") + 1]).resolve() if "--keep" in sys.argv else None
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium or not shutil.which("gnuplot"):
        print("[skipped] Chromium or gnuplot is not installed (Debian's packages chromium and gnuplot-nox)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.argv[1], name], check=True)
        if len(sys.argv) > 2 and not sys.argv[2].startswith("--"):
            write_program_pages(Path(sys.argv[2]).resolve(), folder)
        pages = sorted(folder.glob("*.html"))
        wrong = [] if pages else ["no pages were written"]
        check_checker(chromium, folder)
        for page in pages:
            for width in WIDTHS:
                result = measure(chromium, folder, page.read_text(encoding="utf-8"), width)
                wrong += [f"{page.name} at {width}: {fault}" for fault in faults(result)]
                print(f"{page.name} at {width} pixels: {result['pictures']} pictures, {page.stat().st_size // 1000} kB")
            if keep:
                shutil.copy(page, keep)
                screenshots(chromium, folder, page, keep)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
