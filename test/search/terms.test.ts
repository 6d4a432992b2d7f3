import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashWith } from '../../functions/search/ascii-words.ts';
import { languageOf } from '../../functions/search/languages.ts';
import { compareTerms, Terms } from '../../functions/search/terms.ts';
import { fold, wordsOf } from '../../functions/search/words.ts';

const english = await languageOf('en');
const termsOf = (text: string, terms = new Terms(english)) => {
  const found: string[] = [];
  terms.visit(text, 0, text.length, (term) => found.push(String(terms.numbered[term]?.bytes)));
  return found;
};

describe('the terms of a text', () => {
  it('are the stems of the words of each of its pieces, known or not', () => {
    const piece = fc.stringMatching(/^["'(]?[A-Za-zé]{1,6}[.,;:!?)"'-]{0,2}[a-z0-9]{0,2}$/);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const expected = pieces
          .flatMap(wordsOf)
          .map(({ text, isPlain }) => (isPlain ? fold(english.stem(text)) : text));
        const terms = new Terms(english);
        for (let time = 0; time < 2; time++) expect(termsOf(pieces.join(' '), terms)).toEqual(expected);
      }),
    );
  });

  it('are distinct, however many words there are', () => {
    const letters = (n: number): string =>
      (n < 26 ? '' : letters(Math.floor(n / 26) - 1)) + 'zyxwvutsrqponmlkjihgfedcba'[n % 26];
    const words = Array.from({ length: 30_000 }, (_, n) => `Q${letters(n)}q`);
    const terms = new Terms({ ...english, stem: (word) => word });
    const lower = words.map((word) => word.toLowerCase());
    expect(termsOf(words.join(' '), terms)).toEqual(lower);
    expect(termsOf(`${words.join('. ')}.`, terms)).toEqual(lower);
  });

  it('are those of each of two words that have the same hash', () => {
    const hashOf = (word: string) => [...word].reduce((hash, letter) => hashWith(hash, letter.charCodeAt(0)), 0);
    const words = ['ujbtaa', 'fybixj'];
    expect(hashOf(words[0] as string)).toBe(hashOf(words[1] as string));
    const terms = new Terms({ ...english, stem: (word) => word });
    for (let time = 0; time < 2; time++) expect(termsOf(words.join(' '), terms)).toEqual(words);
  });

  it('are in the order of their bytes', () => {
    const written = { ...english, stem: (word: string) => word };
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'я', '日', '𐐨'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const terms = new Terms(written);
        termsOf(words.join(' '), terms);
        const sorted = terms.numbered.toSorted(compareTerms).map(({ bytes }) => bytes);
        expect(sorted).toEqual(sorted.toSorted(Buffer.compare));
      }),
    );
  });

  it('are the same for words in capital letters, and without the marks after them', () => {
    expect(termsOf('Running RUNNING running. running!" running')).toEqual(Array(5).fill('run'));
  });
});
