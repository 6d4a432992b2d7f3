import { afterAll, describe, expect, it } from 'vitest';
import { readHtml } from '../../functions/extraction/html.ts';
import { pageReader, readPage } from '../../functions/extraction/page.ts';
import { ReadingBudget } from '../../functions/extraction/reading-budget.ts';

const url = 'https://site.example/dir/page';
const read = (body: string, head = '') =>
  readHtml({
    html: `<!doctype html><head>${head}</head><body>${body}`,
    url,
    budget: new ReadingBudget(0),
  });
afterAll(() => pageReader.close());

it('the content of a page is in the text and in the Markdown', () => {
  const { title, text, markdown } = read(
    '<h1>Opening   hours</h1><p>We are open <b>from nine</b>\n to five.<br>Closed on <i>Sundays</i>.</p><ul><li>Cash</li><li>Cards</li></ul><blockquote>Nice.</blockquote>',
    '<title>\n Hours &amp; more </title>',
  );
  expect(title).toBe('Hours & more');
  expect(text).toBe('Opening hours\n\nWe are open from nine to five.\nClosed on Sundays.\n\nCash\nCards\n\nNice.');
  expect(markdown).toBe(
    '# Opening hours\n\nWe are open **from nine** to five.  \nClosed on *Sundays*.\n\n-   Cash\n-   Cards\n\n> Nice.',
  );
});

it('a page without a title is titled by its first heading', () => {
  expect(read('<p>x</p><h1> The <b>heading</b> </h1>').title).toBe('The heading');
  expect(read('<p>x</p>').title).toBe('');
});

it.each([
  ['scripts', '<script>evil()</script><script type="application/json">{"a":"evil"}</script>'],
  ['styles', '<style>.evil{}</style>'],
  [
    'navigation',
    '<nav><ul><li>evil</li></ul></nav><div role="navigation">evil</div><ul role="menu"><li>evil</li></ul>',
  ],
  ['templates and what is for browsers without scripts', '<template><p>evil</p></template><noscript>evil</noscript>'],
  ['comments', '<!-- evil -->'],
  ['what is hidden', '<p hidden>evil</p><p style="display: none">evil</p><p aria-hidden="true">evil</p>'],
  [
    'form controls',
    '<form><select><option>evil</option></select><textarea>evil</textarea><button>evil</button></form>',
  ],
  ['graphics and frames', '<svg><text>evil</text></svg><iframe src="/x">evil</iframe><object>evil</object>'],
  ['cookie banners', '<div class="cookie-consent-banner"><p>evil</p></div>'],
  [
    'link lists around the page',
    '<header><ul><li><a href="/a">evil</a></li></ul></header><footer><ul><li><a href="/b">evil</a></li></ul></footer>',
  ],
  [
    'what its name says is navigation',
    '<div class="main-menu"><a href="/a">evil</a> <a href="/b">evil</a></div><ol id="breadcrumbs"><li><a href="/">evil</a></li></ol>',
  ],
])('the text of a page does not contain %s', (_, noise) => {
  const { text, markdown } = read(`<p>Before</p>${noise}<p>After</p>`);
  expect(text).toBe('Before\n\nAfter');
  expect(markdown).toBe('Before\n\nAfter');
});

it.each([
  [
    'an accordion whose questions are buttons in headings',
    '<h2><button aria-expanded="true">Open on Sunday?</button></h2><div>No.</div>',
    '## Open on Sunday?\n\nNo.',
  ],
  [
    'an accordion whose answers are hidden until a button shows them',
    '<button aria-expanded="false" aria-controls="a">Delivery</button><div id="a" hidden>Two days.</div>',
    'Delivery\n\nTwo days.',
  ],
  [
    'an accordion of Bootstrap 5',
    '<button data-bs-toggle="collapse" data-bs-target="#b">Returns</button><div id="b" style="display:none">Free.</div>',
    'Returns\n\nFree.',
  ],
  [
    'an accordion with the role of a list of tabs',
    '<div role="tablist"><div role="tab"><h4><a href="#c">Parking?</a></h4></div><div role="tabpanel" id="c">Behind.</div></div>',
    '#### Parking?\n\nBehind.',
  ],
  [
    'tabs that are questions, and the panels that are not shown',
    '<div role="tablist"><button role="tab">Dogs?</button></div><div role="tabpanel">Yes.</div><div role="tabpanel" hidden>No.</div>',
    'Dogs?\n\nYes.\n\nNo.',
  ],
  [
    'a question in a button of its own',
    '<button>¿Abren hoy?</button> <button>明日は開いていますか？</button>',
    '¿Abren hoy?\n\n明日は開いていますか？',
  ],
  ['a phone number in a button', '<p>Call</p><button>030 123-4567</button>', 'Call\n\n030 123-4567'],
  [
    'a long text in a button',
    '<button>We repair every roof between the river and the hills.</button>',
    'We repair every roof between the river and the hills.',
  ],
  ['what a search in the page can find', '<p hidden="until-found">Found.</p>', 'Found.'],
  ['details', '<details><summary><button>Why</button></summary>Because.</details>', 'Why\n\nBecause.'],
  [
    'a list of dishes with the role of a menu',
    '<ul role="menu"><li>Margherita 8,50 €</li><li>$ 9 Funghi</li></ul><ul role="menu"><li>Calzone 10,00</li></ul>',
    '-   Margherita 8,50 €\n-   $ 9 Funghi\n\n*   Calzone 10,00',
  ],
  ['a hidden answer behind its question', '<p>Is it loud?</p><div aria-hidden="true">No.</div>', 'Is it loud?\n\nNo.'],
  [
    'a hidden text behind its heading',
    '<h3>Returns</h3><div style="display: none">Free.</div>',
    '### Returns\n\nFree.',
  ],
  ['a hidden panel by its name', '<div class="faq-answer"></div><div class="tab-pane" hidden>By bus.</div>', 'By bus.'],
  [
    'a dialog that a button of the page opens',
    '<button data-bs-toggle="modal" data-bs-target="#m">More</button><div class="modal" role="dialog" id="m" aria-hidden="true"><button>×</button><h4>Parking</h4>Behind.</div>',
    '#### Parking\n\nBehind.',
  ],
  [
    'a dialog that a command opens and a form closes',
    '<button commandfor="d" command="show-modal">Prices</button><dialog id="d"><form method="dialog"><button>OK</button></form>Tea 3.</dialog>',
    'Tea 3.',
  ],
  ['a dialog of questions', '<dialog class="faq"><h3>Dogs?</h3>Yes.</dialog>', '### Dogs?\n\nYes.'],
  [
    'characters without their readings',
    '<p><ruby>定休日<rp>（</rp><rt>ていきゅうび</rt><rp>）</rp></ruby>は<ruby><span>月</span><rt>げつ</rt></ruby>曜</p>',
    '定休日は月曜',
  ],
  ['a menu of sentences', '<div role="menu"><p>Soup of the day, with bread.</p></div>', 'Soup of the day, with bread.'],
])('the text of a page contains %s', (_, content, expected) => {
  expect(read(content).markdown).toBe(expected);
});

it.each([
  [
    'a list of tabs',
    '<div role="tablist"><button role="tab" aria-selected="true">Hours</button><a role="tab">Prices</a></div>',
  ],
  ['a menu of links', '<ul role="menu"><li role="menuitem"><a href="/a">Home</a></li><li>Shop</li></ul>'],
  [
    'a button that opens a menu',
    '<button aria-haspopup="true" aria-expanded="false" aria-controls="m">More</button><ul id="m" hidden><li>evil</li></ul>',
  ],
  [
    'the button of a header',
    '<header><button aria-expanded="false" aria-controls="n">Menu</button><div id="n" hidden>evil</div></header>',
  ],
  ['a button', '<button>Add to cart</button>'],
  [
    'dialogs that nothing of the page opens',
    '<dialog id="c">evil<button commandfor="c" command="close">×</button></dialog><div role="dialog" id="x">evil</div><footer><a data-toggle="modal" href="#x"></a></footer>',
  ],
  [
    'a dialog that asks for something',
    '<button commandfor="l" command="show-modal">Log in</button><dialog id="l"><form>evil</form></dialog>',
  ],
  [
    'a dialog about cookies',
    '<button data-toggle="modal" data-target="#cookies">Settings</button><div class="modal" id="cookies" aria-hidden="true">evil</div>',
  ],
  ['a hidden text without a title', '<div aria-hidden="true">evil</div><p style="display:none">evil</p>'],
  ['the text for browsers without frames', '<noembed>evil</noembed>'],
])('the text of a page does not contain %s', (_, noise) => {
  expect(read(`<p>Before</p>${noise}`).text).toBe('Before');
});

it('the text of a page has the content of shadow roots, with what is in their slots', () => {
  const { markdown, links } = read(
    '<x-card><template shadowrootmode="open"><h2><slot name="title">none</slot></h2><p>Open: <slot></slot></p><x-in><template shadowrootmode="closed"><a href="/s">more</a></template></x-in></template><b slot="title">Hours</b>nine</x-card>',
  );
  expect(markdown).toBe('## **Hours**\n\nOpen: nine\n\n[more](https://site.example/s)');
  expect(links).toEqual(['https://site.example/s']);
});

it.each([
  ['0; url=/home', { url: 'https://site.example/home', seconds: 0 }],
  ["5;URL='next.html#a'", { url: 'https://site.example/dir/next.html', seconds: 5 }],
  ['1.5, "/b"', { url: 'https://site.example/b', seconds: 1 }],
  ['0;/c', { url: 'https://site.example/c', seconds: 0 }],
  ['300', undefined],
  ['soon; url=/d', undefined],
])('the page that a page sends its visitors to is found in %j', (content, refresh) => {
  const escaped = content.replaceAll('"', '&quot;');
  expect(read('', `<meta http-equiv="REFRESH" content="${escaped}">`).refresh).toEqual(refresh);
});

it('the canonical address of a page is absolute', () => {
  expect(read('', '<base href="/en/"><link rel="Canonical nofollow" href="a?b=1#c">').canonical).toBe(
    'https://site.example/en/a?b=1',
  );
  expect(read('<a rel="canonical" href="/a">a</a>').canonical).toBe(undefined);
});

it('the text of a page of XHTML has what follows elements that close themselves, and CDATA', async () => {
  const html =
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a>b.js"/></head><body><!-- <p/> --><p>Open<br/>nine <a id="x"/>to <i/>five</p><div class="c"/><p><![CDATA[1 < 2 & <b>]]></p></body></html>';
  expect(readPage({ bytes: Buffer.from(html), contentType: 'application/xhtml+xml', url })).toMatchObject({
    markdown: 'Open  \nnine to five\n\n1 < 2 & \\<b>',
  });
});

it('the text of a page keeps a restaurant’s menu, and the text of headers and footers without their links', () => {
  const { text } = read(
    '<header><h1>Luigi’s</h1></header><div id="menu"><ul><li>Margherita 8 €</li></ul></div><footer><p>Main street 1, <a href="tel:+390123">call us</a></p></footer>',
  );
  expect(text).toBe('Luigi’s\n\nMargherita 8 €\n\nMain street 1, call us');
});

it('the text of a page that has only links keeps them', () => {
  expect(read('<main><ul><li><a href="/a">Roofs</a></li><li><a href="/b">Windows</a></li></ul></main>').text).toBe(
    'Roofs\nWindows',
  );
});

it('the text of a page has tables of data as tables, and the content of tables for layout', () => {
  const data = read(
    '<table><thead><tr><th>Day</th><th>Hours</th></tr></thead><tbody><tr><td>Mon</td><td>9|17<br>and later</td></tr><tr><td>Tue</td></tr></tbody></table>',
  );
  expect(data.markdown).toBe('| Day | Hours |\n| --- | --- |\n| Mon | 9\\|17 and later |\n| Tue |  |');
  expect(data.text).toBe('Day\tHours\nMon\t9|17\nand later\nTue');
  const layout = read(
    '<table><tr><td><h2>Left</h2><p>One</p></td><td><table><tr><td>In</td><td>ner</td></tr></table></td></tr></table>',
  );
  expect(layout.markdown).toContain('## Left\n\nOne');
  expect(layout.markdown).toContain('| In | ner |');
});

it('the text of a page keeps the lines and spaces of code', () => {
  const { text, markdown } = read(
    '<pre><code class="language-js">if (a) {\n  <span>b</span> <span>c</span>\n}</code></pre>',
  );
  expect(text).toBe('if (a) {\n  b c\n}');
  expect(markdown).toBe('```js\nif (a) {\n  b c\n}\n```');
});

it('the Markdown of a page has only absolute addresses of pages', () => {
  const { markdown } = read(
    '<p><a href="../up#part">up</a> <a href="javascript:alert(1)">js</a> <a href="#here">here</a> <a href="mailto:a@b.example">mail</a> <img src="/i.png" alt="A roof"><img src="/j.png"><img src="data:image/png;base64,AAAA" alt="inline"></p>',
  );
  expect(markdown).toBe(
    '[up](https://site.example/up#part) js here [mail](mailto:a@b.example) ![A roof](https://site.example/i.png)',
  );
});

it.each(
  'a abbr acronym address article aside b bdi bdo big blockquote center cite code dd del details dfn div dl dt em fieldset figcaption figure font footer form h1 h2 h6 header hgroup i ins kbd label legend li listing main mark math menu nobr ol output p picture pre q ruby s samp section small span strike strong sub summary sup time tt u ul var wbr xmp x-custom'.split(
    ' ',
  ),
)('the content of <%s> is in both texts of a page', (tag) => {
  const { text, markdown } = read(`<p>Before</p><${tag}>word</${tag}><p>After</p>`);
  expect([text, markdown]).toEqual([expect.stringContaining('word'), expect.stringContaining('word')]);
});

it('the text of a page has captions of tables, open dialogs, and addresses as they are written', () => {
  const { text, markdown } = read(
    '<table><caption>Prices</caption><tr><td>Tea</td><td>3</td></tr></table><dialog open>Closed on Monday</dialog><p>http://a_b.example/ or mail@site.example</p>',
  );
  expect(markdown).toBe(
    'Prices\n\n| Tea | 3 |\n| --- | --- |\n\nClosed on Monday\n\nhttp://a_b.example/ or mail@site.example'.replace(
      '\\:',
      ':',
    ),
  );
  expect(text).toBe('Prices\nTea\t3\n\nClosed on Monday\n\nhttp://a_b.example/ or mail@site.example');
});

it('the text of a page has no control characters', () => {
  expect(read('<p>a&#1;b\u0007c&shy;d\u200b</p>').text).toBe('abcd\u200b');
});

it('the links of a page are absolute, without fragments, each once, from anywhere on it', () => {
  const { links } = read(
    '<nav><a href="/a#one">a</a><a href="/a#two">a</a></nav><map><area href="b?x=1"></map><a href="//other.example/c">c</a><a href="mailto:x@y">m</a><a href="http://[bad">bad</a><a>none</a>',
  );
  expect(links).toEqual(['https://site.example/a', 'https://site.example/dir/b?x=1', 'https://other.example/c']);
});

it('the pages that a page shows in frames are links of it', () => {
  const { text, links } = read(
    '<p>Before</p><iframe src="/hours#today">x</iframe><iframe src="about:blank"></iframe><iframe srcdoc="y"></iframe><p>After</p>',
  );
  expect(text).toBe('Before\n\nAfter');
  expect(links).toEqual(['https://site.example/hours']);
});

it('the links of a page are relative to its base', () => {
  expect(read('<a href="x">x</a>', '<base href="/sub/">').links).toEqual(['https://site.example/sub/x']);
  expect(read('<a href="x">x</a>', '<base href="https://cdn.example/y/"><base href="/z/">').links).toEqual([
    'https://cdn.example/y/x',
  ]);
  expect(read('<a href="x">x</a>', '<base href="javascript:1">').links).toEqual(['https://site.example/dir/x']);
});

it('the links of a page are two thousand at most', () => {
  expect(read(Array.from({ length: 5000 }, (_, n) => `<a href="/${n}">x</a>`).join('')).links.length).toBe(2000);
});

describe('a page made to harm', () => {
  const words = '<p>word</p>';
  const run = (html: string) => pageReader.run({ bytes: Buffer.from(html), contentType: 'text/html', url });
  it.each([
    ['nested tables', '<table><tr><td>'.repeat(400)],
    ['nested emphasis', '<b><i>'.repeat(300) + words],
    ['unclosed links', '<a href="/x">'.repeat(20_000) + words],
    ['two million spaces', `<p>${' \n'.repeat(1_000_000)}</p>${words}`],
    ['a megabyte of stars', `<p>${'*_['.repeat(350_000)}</p>`],
    ['an attribute of four megabytes', `<p title="${'a'.repeat(4_000_000)}">word`],
  ])('a page made to harm by %s is read, or aborted in time', { tags: 'heavy' }, async (_, html) => {
    const started = Date.now();
    const outcome = await run(html).then(
      (page) => ('text' in page ? 'string' : 'failure'),
      ({ name }) => name,
    );
    expect(['string', 'WorkerAbortedError', 'RangeError']).toContain(outcome);
    expect(Date.now() - started).toBeLessThan(25_000);
    expect(await run(words)).toMatchObject({ text: 'word' });
  });
});
