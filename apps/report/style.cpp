#include "report/style.hpp"

namespace gaussianize::report {

std::string_view page_style() {
  return R"css(
:root {
  color-scheme: light dark;
  --ink: #1c2128; --soft: #59636e; --line: #d9dee4; --paper: #fff; --panel: #f6f8fa; --accent: #1f6fa8;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e6ea; --soft: #9aa4af; --line: #30363d; --paper: #14181d; --panel: #1b2027; --accent: #6cb4e8; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; color: var(--ink); background: var(--paper);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
.sheet { max-width: 66rem; margin: 0 auto; padding: 2.5rem clamp(1rem, 4vw, 2.5rem) 4rem; }
h1, h2 { line-height: 1.2; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.5rem, 1.1rem + 2vw, 2.1rem); margin: 0 0 1rem; letter-spacing: -0.01em; }
h2 { font-size: 1.3rem; margin: 3rem 0 .9rem; padding-top: 1.1rem; border-top: 1px solid var(--line); }
p { max-width: 44rem; margin: .7rem 0; overflow-wrap: anywhere; }
.intro p:first-child { font-size: 1.1rem; }
nav { margin: 1.6rem 0 0; padding: .9rem 1.1rem; background: var(--panel); border-radius: .5rem; }
nav p { margin: 0 0 .3rem; font-size: .8rem; color: var(--soft); }
nav ul { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.3rem; }
a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: 1px; }
.scroll { overflow-x: auto; margin: .3rem 0 1.1rem; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums lining-nums; }
.caption { margin: 1.4rem 0 .3rem; color: var(--soft); font-size: .88rem; }
th, td { padding: .42rem .9rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: .2rem; }
th:last-child, td:last-child { padding-right: .2rem; }
thead th { color: var(--soft); font-weight: 600; font-size: .84rem; vertical-align: bottom; white-space: normal; }
thead th { border-bottom: 1.5px solid var(--soft); min-width: 4.5rem; }
tbody th { font-weight: 600; }
.word { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 6rem; max-width: 28rem; }
th.word { overflow-wrap: break-word; }
figure { margin: 1.6rem 0; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17.5rem), 1fr)); gap: 1rem 1.4rem; }
.pictures.four { grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); }
.pictures.wide { display: block; overflow-x: auto; max-width: none; }
.pictures.wide svg { min-width: 34rem; }
svg { display: block; width: 100%; height: auto; overflow: hidden; }
svg text { font-family: inherit; }
figcaption { max-width: 44rem; margin-top: .6rem; color: var(--soft); font-size: .9rem; line-height: 1.45; }
.missing { padding: 1rem 1.2rem; border: 1px dashed var(--soft); border-radius: .5rem; color: var(--soft); }
details { margin: 1rem 0; }
summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; }
@media (max-width: 34rem) {
  table { font-size: .84rem; }
  th, td { padding: .38rem .5rem; }
  thead th { min-width: 3rem; }
  .word { min-width: 4.5rem; }
}
@media print {
  :root { --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --panel: #fff; --accent: #000; }
  body { font-size: 10pt; }
  .sheet { max-width: none; padding: 0; }
  nav { display: none; }
  figure, table { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll, .pictures.wide { overflow: visible; }
  .pictures.wide svg { min-width: 0; }
}
)css";
}

}  // namespace gaussianize::report
