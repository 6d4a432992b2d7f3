/** Returns texts of invented words, which deflate and stem as prose does. A seed gives the same texts in every run. */
export const prose = (documents: number, seed = 1): string[] => {
  let state = seed;
  const next = (max: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % max;
  };
  const words = Array.from({ length: 5000 }, () =>
    Array.from({ length: 3 + next(7) }, () => String.fromCharCode(97 + next(26))).join(''),
  );
  // A few words are in every sentence, as in a language.
  const word = () => words[next(next(next(5000) + 1) + 1)] as string;
  const sentence = () => `${Array.from({ length: 8 + next(10) }, word).join(' ')}.`;
  return Array.from({ length: documents }, () => Array.from({ length: 10 }, sentence).join(' '));
};
