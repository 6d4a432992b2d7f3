import { fold } from './words.ts';

/** The words of a language: their stems, and which of them are function words. */
export type Language = { code: string; stem: (word: string) => string; isFunctionWord: (folded: string) => boolean };

type Stemmer = { stemmer: (word: string) => string };
type FunctionWords = { stopwords: string[] };

/** Loaded with the first text or query of the language, so that a function starts without them. */
const stemmers: Record<string, () => Promise<Stemmer>> = {
  ar: () => import('@orama/stemmers/arabic'),
  bg: () => import('@orama/stemmers/bulgarian'),
  da: () => import('@orama/stemmers/danish'),
  de: () => import('@orama/stemmers/german'),
  el: () => import('@orama/stemmers/greek'),
  // Orama’s own stemmer removes the endings “-sion” and “-tion” completely.
  en: () => import('stemmer'),
  es: () => import('@orama/stemmers/spanish'),
  fi: () => import('@orama/stemmers/finnish'),
  fr: () => import('@orama/stemmers/french'),
  ga: () => import('@orama/stemmers/irish'),
  hi: () => import('@orama/stemmers/indian'),
  hu: () => import('@orama/stemmers/hungarian'),
  hy: () => import('@orama/stemmers/armenian'),
  id: () => import('@orama/stemmers/indonesian'),
  it: () => import('@orama/stemmers/italian'),
  lt: () => import('@orama/stemmers/lithuanian'),
  ne: () => import('@orama/stemmers/nepali'),
  nl: () => import('@orama/stemmers/dutch'),
  no: () => import('@orama/stemmers/norwegian'),
  pt: () => import('@orama/stemmers/portuguese'),
  ro: () => import('@orama/stemmers/romanian'),
  ru: () => import('@orama/stemmers/russian'),
  sr: () => import('@orama/stemmers/serbian'),
  sv: () => import('@orama/stemmers/swedish'),
  ta: () => import('@orama/stemmers/tamil'),
  tr: () => import('@orama/stemmers/turkish'),
  uk: () => import('@orama/stemmers/ukrainian'),
};

const functionWords: Record<string, () => Promise<FunctionWords>> = {
  ar: () => import('@orama/stopwords/arabic'),
  bg: () => import('@orama/stopwords/bulgarian'),
  da: () => import('@orama/stopwords/danish'),
  de: () => import('@orama/stopwords/german'),
  el: () => import('@orama/stopwords/greek'),
  en: () => import('@orama/stopwords/english'),
  es: () => import('@orama/stopwords/spanish'),
  fi: () => import('@orama/stopwords/finnish'),
  fr: () => import('@orama/stopwords/french'),
  ga: () => import('@orama/stopwords/irish'),
  hi: () => import('@orama/stopwords/indian'),
  hu: () => import('@orama/stopwords/hungarian'),
  hy: () => import('@orama/stopwords/armenian'),
  id: () => import('@orama/stopwords/indonesian'),
  it: () => import('@orama/stopwords/italian'),
  ja: () => import('@orama/stopwords/japanese'),
  lt: () => import('@orama/stopwords/lithuanian'),
  ne: () => import('@orama/stopwords/nepali'),
  nl: () => import('@orama/stopwords/dutch'),
  no: () => import('@orama/stopwords/norwegian'),
  pt: () => import('@orama/stopwords/portuguese'),
  ro: () => import('@orama/stopwords/romanian'),
  ru: () => import('@orama/stopwords/russian'),
  sl: () => import('@orama/stopwords/slovenian'),
  sr: () => import('@orama/stopwords/serbian'),
  sv: () => import('@orama/stopwords/swedish'),
  ta: () => import('@orama/stopwords/tamil'),
  tr: () => import('@orama/stopwords/turkish'),
  uk: () => import('@orama/stopwords/ukrainian'),
  zh: () => import('@orama/stopwords/mandarin'),
};

const loaded = new Map<string, Promise<Language>>();

/** Loads a language. In an unknown one, words are their own stems. */
export const loadLanguage = (code: string): Promise<Language> => {
  const known = loaded.get(code) ?? load(code);
  loaded.set(code, known);
  return known;
};

const load = async (code: string): Promise<Language> => {
  const own = (languages: object) => Object.hasOwn(languages, code);
  const [stems, words] = await Promise.all([
    own(stemmers) ? stemmers[code]?.() : undefined,
    own(functionWords) ? functionWords[code]?.() : undefined,
  ]);
  const folded = new Set(words?.stopwords.map((word) => fold(word.toLowerCase())));
  return {
    code,
    stem: (word) => stems?.stemmer(word) || word,
    isFunctionWord: (word) => folded.has(word),
  };
};
