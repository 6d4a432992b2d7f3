import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseLanguageCode } from '../../functions/domain/knowledge-index.ts';
import { loadLanguage } from '../../functions/search/languages.ts';
import { type IndexedPage, packIndex } from '../../functions/search/pack-index.ts';
import { PackedIndex } from '../../functions/search/packed-index.ts';
import { rank } from '../../functions/search/rank.ts';
import { maxCached } from '../../functions/search/terms.ts';

const buildIndex = async (
  pages: IndexedPage[],
  language = 'en',
  markdown = pages.map(({ text }) => text).join('\n\n'),
) => {
  const { packed, passages } = packIndex(pages, markdown, await loadLanguage(language));
  const index = new PackedIndex(packed);
  expect(index.passages).toBe(passages);
  return index;
};

const search = async (texts: string[], query: string, language = 'en') => {
  const pages = texts.map((text) => ({ text }));
  const index = await buildIndex(pages, language);
  return (await rank(query, [index], 20)).map(({ passage }) => {
    const { page, start, units } = index.locatePassage(passage);
    return pages[page]?.text.slice(start, start + units);
  });
};

it('a search finds a word in its other forms', async () => {
  expect(await search(['We repair bicycles.', 'We sell cars.'], 'repairing a bicycle')).toEqual([
    'We repair bicycles.',
  ]);
  expect(await search(['Reparaturen der Häuser', 'Autos'], 'Reparatur Haus', 'de')).toEqual(['Reparaturen der Häuser']);
  expect(await search(['Las habitaciones están cerradas', 'Coches'], 'habitación cerrada', 'es')).toHaveLength(1);
  expect(await search(['Мы открыты по воскресеньям', 'Цены'], 'воскресенье открыто', 'ru')).toHaveLength(1);
});

it('a search finds a word without its diacritics, and one that is written without them', async () => {
  expect(await search(['Le café est fermée le lundi', 'Rien'], 'cafe fermee', 'fr')).toHaveLength(1);
  expect(await search(['Le cafe est fermee', 'Rien'], 'café fermé', 'fr')).toHaveLength(1);
  // Without its diacritics the word has another stem.
  expect(await search(['La piscine est fermée', 'Rien'], 'fermee', 'fr')).toHaveLength(1);
  expect(await search(['La piscine est fermee', 'Rien'], 'fermée', 'fr')).toHaveLength(1);
  expect(await search(['Zürich', 'Bern'], 'ZURICH')).toEqual(['Zürich']);
});

it('a search finds words of scripts without spaces', async () => {
  expect(
    await search(['営業時間は午前九時から午後五時までです。', '返品は三十日以内です。'], '返品できますか'),
  ).toEqual(['返品は三十日以内です。']);
  expect(await search(['营业时间上午九点至下午五点', '三十天内可以退货'], '退货')).toEqual(['三十天内可以退货']);
  expect(await search(['ร้านเปิดเก้าโมง', 'คืนสินค้าได้ภายในเจ็ดวัน'], 'คืนสินค้า')).toEqual(['คืนสินค้าได้ภายในเจ็ดวัน']);
});

it('a search finds prices, numbers, addresses and codes as they are written', async () => {
  const texts = [
    'It costs $49.90.',
    'It costs 49.90 €.',
    'Write to sales@example.com.',
    'Part AB-1234/X',
    'Part AB-1235/X',
  ];
  expect((await search(texts, '€49.90'))[0]).toBe('It costs 49.90 €.');
  expect((await search(texts, '$49.90'))[0]).toBe('It costs $49.90.');
  expect(await search(texts, 'sales@example.com')).toEqual(['Write to sales@example.com.']);
  expect((await search(texts, 'AB-1234/X'))[0]).toBe('Part AB-1234/X');
  expect((await search(texts, 'ab1235x'))[0]).toBe('Part AB-1235/X');
});

it('a search is not decided by function words of the language', async () => {
  const texts = ['What is it and when is it and what was it when it is', 'The price of the service'];
  expect(await search(texts, 'What is the price?')).toEqual(['The price of the service']);
  const headed = ['# What is the point\n\nFun.', 'A price'];
  expect(await search(headed, 'What is the price?')).toEqual(['A price']);
});

it('a search finds headings that consist of function words', async () => {
  expect(await search(['# About us\n\nFounded in 1990.', 'All about prices'], 'about us')).toEqual([
    '# About us\n\nFounded in 1990.',
  ]);
});

it('a search finds the passages of a section by the headings above them, and by the title of the page', async () => {
  const text = '# Berlin\n\n## Hours\n\nNine to five.';
  const index = await buildIndex([{ text, title: 'Locations', url: 'https://example.com/' }, { text: 'Other' }]);
  expect(await rank('locations berlin', [index], 5)).toHaveLength(1);
  expect(index.pages[0]).toEqual({ title: 'Locations', url: 'https://example.com/' });
});

it('a search prefers a passage that has the words of its headings itself to a shorter one below the same headings', async () => {
  const long = '## Duration\n\nThe boiler has a warranty of seven years from the day on which it was installed.';
  const short = '## Exclusions\n\nDamage by frost.';
  const markdown = `# Warranty of the boiler\n\n${short}\n\n${long}`;
  expect((await search([markdown], 'how long is the warranty of the boiler'))[0]).toBe(long);
});

it('a search returns passages with the same text once', async () => {
  const one = await buildIndex([{ text: 'Open  at nine.' }, { text: 'Open at nine.', title: 'Other' }]);
  const other = await buildIndex([{ text: 'Open at\nnine.' }, { text: 'Open at ten.' }]);
  expect(await rank('open', [one, other], 20)).toHaveLength(2);
});

it('a search returns at most the requested number, the best of many duplicates included', async () => {
  const same = Array.from({ length: 300 }, () => ({ text: 'Open at nine o’clock.' }));
  const index = await buildIndex([
    ...same,
    { text: 'Open at ten.' },
    { text: 'The shop is open at eleven, twelve and one.' },
  ]);
  expect((await rank('open', [index], 2)).map(({ score }) => score)).toHaveLength(2);
  expect(await rank('open', [index], 20)).toHaveLength(3);
});

it('a search weighs words over all indexes together', async () => {
  const texts = ['The red door', 'The red window', 'The blue wall'];
  const together = await buildIndex(texts.map((text) => ({ text })));
  const apart = await Promise.all(texts.map((text) => buildIndex([{ text }])));
  const scores = (hits: { score: number }[]) => hits.map(({ score }) => score.toFixed(6));
  expect(scores(await rank('red door', apart, 5))).toEqual(scores(await rank('red door', [together], 5)));
});

it('a search finds words as they are written in indexes of another language', async () => {
  const german = await buildIndex([{ text: 'Die Preise der Zimmer' }], 'de');
  const english = await buildIndex([{ text: 'Prices of rooms' }], 'en');
  expect((await rank('Preise', [english, german], 5)).map(({ index }) => index)).toEqual([1]);
  expect((await rank('Zimmer rooms', [english, german], 5)).map(({ index }) => index).sort()).toEqual([0, 1]);
});

it('a search finds nothing for a query without a word, or in nothing', async () => {
  for (const query of ['?!', ' ', '🙂', '…']) expect(await search(['Some text'], query)).toEqual([]);
  expect(await rank('word', [], 5)).toEqual([]);
  expect(await search(['   ', ''], 'word')).toEqual([]);
});

it('a search takes a language by its tag, and English without one', async () => {
  expect(['de-AT', 'nb-NO', 'zh-Hant-TW', undefined, 'no such tag', 'constructor'].map(parseLanguageCode)).toEqual([
    'de',
    'no',
    'zh',
    'en',
    'en',
    'en',
  ]);
  expect(await search(['Habari za asubuhi'], 'habari', 'sw')).toEqual(['Habari za asubuhi']);
});

it('a search finds every word of a text in the passage that holds it', async () => {
  const page = fc.array(fc.oneof(fc.lorem({ maxCount: 60 }), fc.string({ unit: 'grapheme', maxLength: 30 })), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        page.map((blocks) => blocks.join('\n\n').toWellFormed()),
        { maxLength: 4 },
      ),
      async (texts) => {
        const index = await buildIndex(
          texts.map((text) => ({ text })),
          'sw',
        );
        for (const [page, text] of texts.entries()) {
          const [word] = /(?<!\S)[a-z]{4,}(?=[\s.,])/.exec(text) ?? [];
          if (!word) continue;
          const hits = await rank(word, [index], 1000);
          const places = hits.map(({ passage }) => index.locatePassage(passage));
          const found = places.map(({ page: at, start, units }) => texts[at]?.slice(start, start + units) ?? '');
          expect(found.length, `${page}: ${word}`).toBeGreaterThan(0);
          for (const passage of found) expect(passage.toLowerCase()).toContain(word.slice(0, 4));
        }
      },
    ),
    { numRuns: 50 },
  );
});

it('a search weighs a word more that few passages have', async () => {
  const texts = ['Rooms and breakfast.', 'Rooms and parking.', 'Rooms and bicycles.', 'Rooms and towels.', 'Parking.'];
  expect((await search(texts, 'breakfast or parking')).at(0)).toBe('Rooms and breakfast.');
});

it('a search weighs a word more that the query repeats', async () => {
  const index = await buildIndex([{ text: 'Rooms and breakfast.' }, { text: 'Rooms and parking.' }]);
  const pageOfBest = async (query: string) =>
    index.locatePassage((await rank(query, [index], 1))[0]?.passage as number).page;
  expect(await pageOfBest('Is there breakfast, or parking? I need parking.')).toBe(1);
  expect(await pageOfBest('Is there parking, or breakfast? I need breakfast.')).toBe(0);
});

it('a search finds each word of a text, with its scripts in any order', async () => {
  // Letters of Deseret are surrogate pairs, which are before these ideographs in UTF-16, and after them in UTF-8.
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'é', 'я', '𐐨', '𐐩'), minLength: 1, maxLength: 6 }),
    fc.constantFrom(...'﨎﨏﨑﨓﨔﨟﨡﨣﨤﨧﨨﨩'),
  );
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(word, { minLength: 40, maxLength: 80 }), async (words) => {
      const index = await buildIndex([{ text: words.join(' ') }], 'xx');
      for (const word of words) expect(await rank(word, [index], 1), word).toHaveLength(1);
    }),
    { numRuns: 30 },
  );
});

it('a search finds each word, also with more words than are cached', async () => {
  const code = (n: number) => `q${[...String(n)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('')}`;
  const text = Array.from({ length: maxCached + 1000 }, (_, n) => code(n)).join(' ');
  const index = await buildIndex([{ text }], 'xx');
  for (const word of [code(0), code(5000), code(maxCached + 999)]) {
    expect(await rank(word, [index], 5)).toHaveLength(1);
  }
});

it('a search does not read an index of another format', async () => {
  const { packed } = packIndex([{ text: 'Text' }], '', await loadLanguage('en'));
  const { deflateRawSync, inflateRawSync } = await import('node:zlib');
  const other = inflateRawSync(packed);
  other[0] = 99;
  expect(() => new PackedIndex(deflateRawSync(other))).toThrow('format 99');
});
