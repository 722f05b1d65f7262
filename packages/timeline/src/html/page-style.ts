/** Deepest level of the timeline that is indented. */
export const MAX_LEVEL = 9

const LEVELS = Array.from(
  { length: MAX_LEVEL + 1 },
  (_, level) => `.level-${level} .label { padding-left: ${level}rem; }`,
).join('\n')

/** The style sheet of pages that are one file: runs and evaluations. */
export const PAGE_STYLE: string = `
:root {
  color-scheme: light dark;
  --page: light-dark(#fbfbfc, #16181d);
  --panel: light-dark(#ffffff, #1d2026);
  --line: light-dark(#e1e4e9, #32363f);
  --ink: light-dark(#1b1f27, #e9ebef);
  --muted: light-dark(#5b6270, #a2a9b6);
  --good: light-dark(#1b6e42, #74cf9b);
  --bad: light-dark(#b3261e, #ff9a92);
  --warn: light-dark(#8a5a00, #f0bd5c);
  --run: light-dark(#8d9bc4, #7786b5);
  --turn: light-dark(#4a63d0, #90a5ff);
  --tool: light-dark(#1f8a8a, #63c7c7);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--ink); font: 0.9375rem/1.5 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 1rem; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; margin: 0.5rem 0; }
h2 { font-size: 1.125rem; margin: 2rem 0 0.5rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: 0.25rem 0; overflow-wrap: anywhere; }
pre, code, .label, .time { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.8125rem; }
pre { margin: 0.25rem 0; padding: 0.5rem; border: 1px solid var(--line); border-radius: 0.375rem;
  background: var(--page); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow: auto; }
a { color: inherit; }
.muted { color: var(--muted); font-size: 0.8125rem; }
.passed, .better { color: var(--good); }
.failed, .worse { color: var(--bad); }
.error { color: var(--warn); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top; white-space: nowrap; }
th { font-weight: 500; color: var(--muted); font-size: 0.8125rem; }
td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 8rem; }
tbody tr { border-top: 1px solid var(--line); }
#controls { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem;
  padding: 0.5rem 0; background: var(--page); }
#search { flex: 1 1 12rem; min-width: 0; padding: 0.375rem 0.625rem; font: inherit; color: inherit;
  background: var(--panel); border: 1px solid var(--muted); border-radius: 0.375rem; }
.case { margin: 0.75rem 0; padding: 0.75rem; background: var(--panel); border: 1px solid var(--line);
  border-radius: 0.5rem; scroll-margin-top: 4rem; }
.repeat { margin-top: 0.5rem; border-top: 1px solid var(--line); }
.repeat > summary { padding: 0.375rem 0; cursor: pointer; }
.checks { list-style: none; margin: 0.25rem 0; padding: 0; }
.checks li { overflow-wrap: anywhere; }
#open-all { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--muted);
  border-radius: 0.375rem; padding: 0.375rem 0.625rem; cursor: pointer; }
.timeline > li { content-visibility: auto; contain-intrinsic-size: auto 2rem; }
.timeline { list-style: none; margin: 0.25rem 0; padding: 0; border-top: 1px solid var(--line); }
.step { display: grid; grid-template-columns: minmax(0, 1fr) 5rem minmax(6rem, 30%); gap: 0.5rem;
  align-items: center; padding: 0.125rem 0; border-bottom: 1px solid var(--line); }
summary.step { cursor: pointer; }
summary.step .label::before { content: '▸ '; color: var(--muted); }
[open] > summary.step .label::before { content: '▾ '; }
.label { overflow-wrap: anywhere; }
.time { text-align: right; white-space: nowrap; }
.bar { display: block; width: 100%; height: 0.625rem; }
.bar-run { fill: var(--run); }
.bar-turn { fill: var(--turn); }
.bar-tool { fill: var(--tool); }
${LEVELS}
@media (max-width: 40rem) {
  main { padding: 0.75rem; }
  .step { grid-template-columns: minmax(0, 1fr) auto; }
  .step .bar { grid-column: 1 / -1; }
  .label { padding-left: 0; }
  .timeline [class*='level-'] .label { padding-left: 0.375rem; }
}
`
