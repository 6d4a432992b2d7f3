/** Texts that have run scripts in pages that took them for markup. */
export const hostileTexts = [
  '<script>window.executed = 1</script>',
  '<img src=x onerror="window.executed = 1">',
  '"><svg onload="window.executed = 1">',
  `'-(window.executed = 1)-'`,
  'javascript:window.executed=1',
  '</title></textarea></style><iframe srcdoc="<script>parent.executed = 1</script>">',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template is hostile, too
  '{{constructor.constructor("window.executed = 1")()}} ${window.executed = 1}',
  '<a href="javascript:window.executed=1" autofocus onfocus="window.executed=1">x</a>',
  "' onmouseover='window.executed=1' x='",
  '[l](javascript:window.executed=1) ![p](x)',
  '\u202Edrowssap\u2066\u202C <b>bold</b> &lt;script&gt;',
];
