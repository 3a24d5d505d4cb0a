/** The whole look of the page; its hash is what the page's policy lets in. */
export const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --mark: #2563eb; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1.5rem; }
a { color: var(--mark); }
h2 { border-bottom: 1px solid var(--line); margin-top: 3rem; }
h3 { margin: 2.5rem 0 .5rem; overflow-wrap: anywhere; }
h4 { margin: 1.25rem 0 .25rem; }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); overflow-x: auto; padding: .75rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .75rem .3rem 0; text-align: left; vertical-align: top; }
nav ul { columns: 20rem; list-style: none; padding: 0; }
.method { background: var(--mark); border-radius: .25rem; color: #fff; font-size: .75em; padding: .15em .5em; text-transform: uppercase; }
`;
