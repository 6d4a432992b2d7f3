import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadLanguage } from '../../functions/search/languages.ts';
import { packIndex } from '../../functions/search/pack-index.ts';
import { cutPassages, listMarkdownHeadings, passageUnits } from '../../functions/search/passages.ts';

const cut = (text: string, markdown = text) =>
  cutPassages(text, listMarkdownHeadings(markdown)).map(({ start, end }) => text.slice(start, end));

const sentence = (index: number) => `This is sentence ${index} about opening hours and prices.`;
const paragraph = (sentences: number) => Array.from({ length: sentences }, (_, index) => sentence(index)).join(' ');

it('passages begin at every heading, of Markdown and underlined ones', () => {
  expect(cut('Before.\n\n# Hours\n\nNine to five.\n\n## Sunday\nClosed.\n\nPrices\n======\nTen euros.')).toEqual([
    'Before.',
    '# Hours\n\nNine to five.',
    '## Sunday\nClosed.',
    'Prices\n======\nTen euros.',
  ]);
});

it('passages begin at the headings of the text’s Markdown', () => {
  const markdown = '# Our *hours*\n\nNine to five.\n\n### [Prices](https://example.com/) \\& more\n\nTen euros.';
  expect(cut('Our hours\n\nNine to five.\n\nPrices & more\n\nTen euros.', markdown)).toEqual([
    'Our hours\n\nNine to five.',
    'Prices & more\n\nTen euros.',
  ]);
});

it('passages leave out a heading that has nothing but deeper ones below it, which are found by it', () => {
  const text = '# Berlin\n\n## Hours\n\nNine to five.\n\n# Paris\n\nClosed.';
  const passages = cutPassages(text, listMarkdownHeadings(text));
  expect(passages.map(({ start, end, context }) => [text.slice(start, end), context])).toEqual([
    ['## Hours\n\nNine to five.', ['Berlin']],
    ['# Paris\n\nClosed.', []],
  ]);
});

it('passages keep a heading that has nothing below it at all', () => {
  expect(cut('# Room A: 49 €\n# Room B: 59 €')).toEqual(['# Room A: 49 €', '# Room B: 59 €']);
});

it('passages are cut at the ends of sentences where a section is too long', () => {
  const passages = cut(`# Long\n\n${paragraph(60)}`);
  expect(passages.length).toBeGreaterThan(2);
  for (const passage of passages) {
    expect(passage).toMatch(/\.$/);
    expect(passage.length).toBeLessThanOrEqual(passageUnits);
  }
});

it('passages are cut at paragraphs rather than at sentences', () => {
  const text = [paragraph(15), paragraph(14), paragraph(13)].join('\n\n');
  expect(cut(text)).toEqual(text.split('\n\n'));
});

it('passages are not cut at the end of a line within a sentence', () => {
  const text = paragraph(60).replace(/(.{60}\S*) /g, '$1\n');
  for (const passage of cut(text)) expect(passage).toMatch(/\.$/);
});

it('passages are cut after the marks of scripts without spaces', () => {
  for (const passage of cut('営業時間は午前九時から午後五時までです。'.repeat(200))) expect(passage).toMatch(/。$/);
});

it('passages of a long section are found by its heading too', () => {
  const text = `# Hours\n\n${paragraph(60)}`;
  const [first, second] = cutPassages(text, listMarkdownHeadings(text));
  expect(first).toMatchObject({ start: 0, headingEnd: 7, context: [] });
  expect(second?.context).toEqual(['Hours']);
});

const block = fc.oneof(
  fc.lorem({ maxCount: 40, mode: 'sentences' }),
  fc.lorem({ maxCount: 5 }).map((words) => `## ${words}`),
  fc.string({ unit: 'grapheme', maxLength: 50 }),
  fc.constantFrom('', '\u2003', '- one\n- two', '東京の営業時間。', '😀'.repeat(700), 'a'.repeat(3000)),
);
const document = fc.array(block, { maxLength: 30 }).map((blocks) => blocks.join('\n\n').toWellFormed());

it('passages hold every word of any text once, in its order', () => {
  fc.assert(
    fc.property(document, (text) => {
      const passages = cutPassages(text, listMarkdownHeadings(text));
      const found = passages.map(({ start, end }) => text.slice(start, end));
      for (const [index, { start, end }] of passages.entries()) {
        expect(start).toBeGreaterThanOrEqual(passages[index - 1]?.end ?? 0);
        expect(end - start).toBeLessThanOrEqual(passageUnits);
        expect(found[index]).toBe(found[index]?.trim());
        expect(found[index]?.isWellFormed()).toBe(true);
      }
      // The text between passages is white space, or a heading above deeper ones.
      let before = 0;
      for (const { start, end } of [...passages, { start: text.length, end: text.length }]) {
        for (const line of text.slice(before, start).split('\n')) expect(line.trim()).toMatch(/^$|^## /);
        before = end;
      }
    }),
  );
});

it('passages of a code name keep the mark that belongs to it', () => {
  expect([...listMarkdownHeadings('# C#\n\n## Opening hours ##\n\n### Only in `code` and _words_')]).toEqual([
    ['C', 1],
    ['Opening hours', 2],
    ['Only in code and words', 3],
  ]);
});

// Each grew with the square or the cube of its length: 3,500 of the first took seconds.
it.each<[string, string]>([
  ['blanks within a heading', `# x${' '.repeat(250_000)}x`],
  ['marks within a heading', `# x${'#'.repeat(250_000)}x`],
  ['links that do not end', `# ${'[]('.repeat(80_000)}`],
  ['brackets', `# ${'['.repeat(250_000)}`],
  ['emphasis that does not end', `# ${'_a '.repeat(80_000)}`],
  ['marks between words', `a${'!'.repeat(1190)}b `.repeat(250)],
  ['line breaks', `a${'\n '.repeat(125_000)}b`],
  ['ends of sentences', '. '.repeat(125_000)],
  ['headings', Array.from({ length: 15_000 }, (_, n) => `${'#'.repeat(1 + (n % 6))} h${n}`).join('\n')],
])('the index of a text that is full of %s is made within seconds', async (_, text) => {
  const before = process.cpuUsage();
  packIndex([{ text }], text, await loadLanguage('en'));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(5);
});
