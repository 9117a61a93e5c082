/** The stylesheet of all pages. Colors follow the system theme; the contrast is at least 4.5:1 in both themes. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f7f7f5, #15171a);
  --surface: light-dark(#ffffff, #1d2024);
  --line: light-dark(#deded9, #33373d);
  --ink: light-dark(#1c1e21, #e9eaec);
  --faint: light-dark(#5b6068, #a3a9b2);
  --accent: light-dark(#0b5cad, #7db8f5);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main, header > div { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
main { padding-bottom: 4rem; }
header { border-bottom: 1px solid var(--line); background: var(--surface); }
header > div { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; padding-block: .9rem; }
header strong { font-size: 1.05rem; letter-spacing: .01em; }
header nav { display: flex; gap: 1rem; margin-left: auto; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 2rem 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: .5rem 0; max-width: 44rem; }
a { color: var(--accent); }
code, pre { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .75rem .9rem; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; }
.faint { color: var(--faint); font-size: .9rem; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem; margin: .6rem 0; }
.card > p { margin: .3rem 0 0; }
.title { display: flex; flex-wrap: wrap; gap: .35rem .75rem; align-items: baseline; }
.title > :first-child { margin: 0 auto 0 0; overflow-wrap: anywhere; min-width: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); font-size: .92rem; overflow-wrap: anywhere; }
th { width: 1%; font-weight: 600; white-space: nowrap; overflow-wrap: normal; }
details summary { cursor: pointer; }
.method { font: 600 .85rem ui-monospace, Menlo, Consolas, monospace; color: var(--accent); }
@media (max-width: 34rem) {
  header nav { margin-left: 0; width: 100%; }
}
`.trim();
