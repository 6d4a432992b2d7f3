/** The style of the page, with the colors of functions/pages/tokens.css. A function serves it without further files. */
export const style = `:root{color-scheme:light dark;--paper:light-dark(#fbfaf8,#16181a);--card:light-dark(#ffffff,#1e2124);--line:light-dark(#dedad3,#373c41);--edge:light-dark(#87827a,#7d848c);--ink:light-dark(#1f2328,#e8e6e3);--faint:light-dark(#5c6068,#a9adb3);--accent:light-dark(#2f5d62,#8fc7c4);--on-accent:light-dark(#ffffff,#10211f);--warning:light-dark(#8c2f22,#f0a99d);--warning-tint:light-dark(#fbeae7,#3b2320);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink)}
main{max-width:30rem;margin:6vh auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 .75rem;font-size:1.35rem;line-height:1.3;overflow-wrap:anywhere}
p{margin:.5rem 0;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:1rem 0}
dt{color:var(--faint)}
dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.claim{font-weight:400}
fieldset{margin:0 0 1rem;padding:.5rem 1rem .75rem;border:1px solid var(--line);border-radius:.5rem}
.scope{display:flex;gap:.6rem;align-items:baseline;padding:.2rem 0}
code{color:var(--faint);font:.875em ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
.key{display:block;font-weight:600}
input[type=password]{width:100%;padding:.55rem .7rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--edge);border-radius:.4rem}
input[type=checkbox]{accent-color:var(--accent)}
.refusal{padding:.5rem .7rem;color:var(--warning);background:var(--warning-tint);border-radius:.4rem}
.hint{color:var(--faint);font-size:.9rem}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1rem}
button{padding:.55rem 1.1rem;font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:.4rem;cursor:pointer;overflow-wrap:anywhere}
button.quiet{color:var(--accent);background:none}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:32rem){main{margin:0;min-height:100vh;border:0;border-radius:0}}`;
