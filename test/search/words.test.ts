import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fold, wordsOf } from '../../functions/search/words.ts';
import { anyCharacter } from '../support/any-character.ts';

const texts = (piece: string) => wordsOf(piece).map(({ text }) => text);

it('the words of a text are in lower case, without the marks around them', () => {
  expect(texts('(Hello),')).toEqual(['hello']);
  expect(texts('«Ça»')).toEqual(['ça']);
  expect(texts('…')).toEqual([]);
});

it('the words of a text are folded: diacritics of Latin, Greek, Cyrillic, Hebrew and Arabic are not letters', () => {
  expect(['é', 'ñ', 'ß', 'ø', 'ł', 'ά', 'й', 'œuvre'].map(fold)).toEqual([
    'e',
    'n',
    'ss',
    'o',
    'l',
    'α',
    'и',
    'oeuvre',
  ]);
  expect(fold('مُحَمَّد')).toBe('محمد');
  expect(fold('שָׁלוֹם')).toBe('שלום');
});

it('the words of a text keep the vowel signs of scripts in which they are letters', () => {
  for (const word of ['हिन्दी', 'ไทย', 'தமிழ்', 'が', '한국어']) expect(fold(word)).toBe(word);
});

it('the words of a text have the digits of every script in one form', () => {
  expect(texts('٤٩')).toEqual(['49']);
  expect(texts('４９')).toEqual(['49']);
  expect(fold('४९')).toBe('49');
  expect(fold('๔๙')).toBe('49');
});

it('the words of a text are found in scripts that have no spaces', () => {
  expect(texts('東京都の営業時間は午前九時から')).toEqual(expect.arrayContaining(['東京', '営業', '時間', '九時']));
  expect(texts('ร้านเปิดกี่โมง')).toEqual(['ร้าน', 'เปิด', 'กี่', 'โมง']);
  expect(texts('WiFiは無料')).toEqual(expect.arrayContaining(['wifi', '無料']));
});

it('the words of a text have numbers and prices as they are written, in one spelling', () => {
  expect(texts('$1,299.00')).toEqual(expect.arrayContaining(['$1.299.00', '1.299.00', '1299']));
  expect(texts('1.299,00')).toEqual(expect.arrayContaining(['1.299.00', '1299']));
  expect(texts('49,90€')).toEqual(expect.arrayContaining(['€49.90', '49.90']));
  expect(texts('24/7')).toContain('24/7');
  expect(texts('10%')).toEqual(['%10', '10']);
});

it('the words of a text have e-mail addresses as they are written, and their parts', () => {
  expect(texts('<Sales@Example.com>,')).toEqual(['sales@example.com', 'sales', 'example', 'com']);
});

it('the words of a text have product codes with and without their hyphens in one form', () => {
  expect(texts('AB-1234/X')[0]).toBe('ab1234x');
  expect(texts('ab1234x')[0]).toBe('ab1234x');
  expect(texts('check-in')).toEqual(['checkin', 'check', 'in']);
  expect(texts('C++')).toContain('c++');
  expect(texts('and/or')).toEqual(['and', 'or']);
});

it('the words of a text leave out single letters beside an apostrophe', () => {
  expect(texts('l’heure')).toEqual(['lheure', 'heure']);
});

it('the words of a text are taken from anything without an error, each at most 64 units long and well-formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (piece) => {
      for (const { text } of wordsOf(piece)) {
        expect(text.length).toBeGreaterThan(0);
        expect(text.length).toBeLessThanOrEqual(64);
      }
    }),
  );
});

it('the words of a text are read from a long text without white space in bounded time', () => {
  for (const unit of ['a.', 'a@', '1,', '東', 'ab-', '-', "a'"]) {
    const began = performance.now();
    wordsOf(unit.repeat(200_000 / unit.length));
    expect(performance.now() - began).toBeLessThan(15_000);
  }
});
