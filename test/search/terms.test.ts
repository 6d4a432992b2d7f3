import fc from 'fast-check';
import { expect, it } from 'vitest';
import { languageOf } from '../../functions/search/languages.ts';
import { Terms } from '../../functions/search/terms.ts';
import { fold, wordsOf } from '../../functions/search/words.ts';

const english = await languageOf('en');
const termsOf = (text: string, terms = new Terms(english)) => terms.of(text).map((word) => word.terms[0]);

it('the terms of a text are the stems of the words in its pieces, known or not', () => {
  const piece = fc.stringMatching(/^["'(]?[A-Za-zé]{1,6}[.,;:!?)"'-]{0,2}[a-z0-9]{0,2}$/);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const expected = pieces.flatMap(wordsOf).map(({ text, isPlain }) => (isPlain ? fold(english.stem(text)) : text));
      const terms = new Terms(english);
      for (let time = 0; time < 2; time++) expect(termsOf(pieces.join(' '), terms)).toEqual(expected);
    }),
  );
});

it('the terms of a text are the same for words in capital letters, and without the marks after them', () => {
  expect(termsOf('Running RUNNING running. running!" running')).toEqual(Array(5).fill('run'));
});
