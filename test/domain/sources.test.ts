import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutExcerpt, pagesText, proseText } from '../../functions/domain/sources.ts';
import { anyCharacter } from '../support/any-character.ts';

const countBytes = (text: string) => Buffer.byteLength(JSON.stringify(text));
/** The maximum size of a text in a list, in any script. */
const mostBytes = 2_400_000;
const most = 1_000_000;

it.each([
  ['Latin', 'word '],
  ['Chinese', '字词'],
  ['emoji', '🙂'],
  ['quotation marks', '"\\"'],
  ['control characters', '\u0001'],
  ['half characters', '\ud83d'],
])('a list shows the beginning of a text of %s, within its bounds', (_, unit) => {
  const whole = unit.repeat(3_000_000 / unit.length);
  const text = proseText(whole);
  const shown = cutExcerpt(text);
  expect(text.whole).toBe(whole.toWellFormed());
  expect(text.whole.startsWith(shown)).toBe(true);
  expect(shown.isWellFormed()).toBe(true);
  expect(shown.length).toBeLessThanOrEqual(most);
  expect(shown.length).toBeGreaterThan(300_000);
  expect(countBytes(shown)).toBeLessThanOrEqual(mostBytes);
});

it('a list shows all of a text that is short enough', () => {
  for (const whole of ['', 'short', 'x'.repeat(most)]) expect(proseText(whole)).toEqual({ whole });
  expect(proseText('x'.repeat(most + 1)).excerpt).toEqual({ length: most, end: '' });
});

it('the part of a text that a list shows ends with a paragraph, a line or a word', () => {
  const ended = (unit: string) => cutExcerpt(proseText(unit.repeat(5000))).slice(-4);
  expect(ended(`${'a '.repeat(100)}b.\n\n`)).toBe('a b.');
  expect(ended(`${'a '.repeat(100)}b.\n`)).toBe('a b.');
  expect(ended(`${'a'.repeat(1000)}xyz `)).toBe('axyz');
});

const page = (text: string, n = 0) => ({ url: `https://site.example/${n}`, title: `Page ${n}`, text });

it('a list shows JSON of as many whole pages as fit', () => {
  const pages = [0, 1, 2, 3, 4].map((n) => page('x'.repeat(300_000), n));
  const text = pagesText(pages);
  expect(JSON.parse(text.whole)).toEqual(pages);
  expect(JSON.parse(cutExcerpt(text))).toEqual(pages.slice(0, 3));
  expect(pagesText(pages.slice(0, 3)).excerpt).toBeUndefined();
  expect(pagesText([]).whole).toBe('[]');
});

it.each([
  ['words', 'word "and" \\ word\n\n'],
  ['emoji', '🙂'],
  ['half characters', 'a\udc00'],
])('a list shows the beginning of the first page when that alone is too long: %s', (_, unit) => {
  const text = pagesText([page(unit.repeat(2_000_000 / unit.length)), page('second', 1)]);
  const shown = cutExcerpt(text);
  const [first, ...others] = JSON.parse(shown);
  expect(others).toEqual([]);
  expect(JSON.parse(text.whole)[0].text.startsWith(first.text)).toBe(true);
  expect(first).toMatchObject({ url: 'https://site.example/0', title: 'Page 0' });
  expect(first.text.length).toBeGreaterThan(200_000);
  expect(shown.length).toBeLessThanOrEqual(most);
  expect(countBytes(shown)).toBeLessThanOrEqual(mostBytes);
});

it('a list shows pages with any content as JSON', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          url: fc.string(),
          title: fc.string({ unit: anyCharacter }),
          text: fc.string({ unit: anyCharacter }),
        }),
      ),
      (pages) => {
        const wellFormed = pages.map(({ url, title, text }) => ({
          url,
          title: title.toWellFormed(),
          text: text.toWellFormed(),
        }));
        expect(JSON.parse(pagesText(pages).whole)).toEqual(wellFormed);
      },
    ),
    { numRuns: 50 },
  );
});
