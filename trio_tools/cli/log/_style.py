"""How the page looks: one style sheet, for light and dark, wide and narrow, and for paper."""

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1f2328; --faint: #59636e; --rule: #d1d9e0; --shade: #f6f8fa;
  --good: #1a7f37; --bad: #cf222e; --stopped: #9a6700; --open: #8250df; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --rule: #3d444d; --shade: #161b22;
    --good: #3fb950; --bad: #f85149; --stopped: #d29922; --open: #ab7df8; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 80rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--rule);
  overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
h4 { font-size: .85rem; margin: .75rem 0 .25rem; color: var(--faint); }
p { margin: .25rem 0; }
.faint, .cut { color: var(--faint); font-weight: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { color: var(--faint); font-weight: 600; white-space: nowrap; }
td .outcome { white-space: nowrap; }
td { min-width: 3rem; max-width: 24rem; overflow-wrap: break-word; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
bdi, pre { unicode-bidi: isolate; }
a { color: inherit; }
.good { color: var(--good); } .bad { color: var(--bad); } .stopped { color: var(--stopped); }
.open { color: var(--open); }
.outcome { font-weight: 600; font-size: .85rem; overflow-wrap: anywhere; }
.axis, summary { display: grid; grid-template-columns: 2.5rem minmax(6rem, 12rem) 1fr minmax(7rem, 15rem) 4.5rem;
  gap: 0 .75rem; align-items: center; }
.axis { padding: 0 .25rem; font-size: .8rem; color: var(--faint); }
.ticks { grid-column: 3; display: flex; justify-content: space-between; border-bottom: 1px solid var(--rule); }
details { border-bottom: 1px solid var(--rule); }
summary { padding: .25rem; cursor: pointer; font-size: .9rem; }
summary:hover, details[open] > summary { background: var(--shade); }
summary .tool { overflow-wrap: anywhere; }
.in1 { padding-left: 1rem; } .in2 { padding-left: 2rem; } .in3 { padding-left: 3rem; } .in4 { padding-left: 4rem; }
.bar { display: block; width: 100%; height: 20px; overflow: visible; }
.bar .waits { fill: none; stroke: var(--faint); }
.bar .runs { fill: currentColor; stroke: currentColor; }
.bar .unseen { stroke: currentColor; stroke-width: 2; stroke-dasharray: 3 4; }
.bar .during { stroke: var(--ink); stroke-width: 2; }
.mark { overflow: visible; }
.mark path { stroke: var(--ink); stroke-width: 1.5; fill: var(--paper); }
.mark.full path { fill: var(--ink); }
.mark text { fill: var(--ink); font: bold 13px system-ui, sans-serif; text-anchor: middle; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 1rem 0; font-size: .8rem; color: var(--faint); }
.legend span { display: flex; align-items: center; gap: .4rem; }
.legend .bar { width: 2rem; }
.facts { padding: .25rem .5rem .75rem 3.25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0; font-size: .9rem; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: 0; padding: .5rem; max-height: 24rem; overflow: auto; background: var(--shade); font-size: .8rem;
  border: 1px solid var(--rule); border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  body { padding: .5rem; }
  .axis, summary { grid-template-columns: 1.75rem 1fr auto; gap: 0 .5rem; }
  .axis { display: block; padding-left: 2.5rem; }
  summary .line { grid-column: 2 / -1; grid-row: 2; }
  summary .outcome { grid-column: 2 / -1; grid-row: 3; }
  summary .tool { grid-column: 2; } summary .took { grid-column: 3; grid-row: 1; }
  .facts { padding-left: .5rem; }
}
@media print { pre { max-height: none; } }
"""
