import { limits } from './limits.ts';

/** Returns a language tag in its canonical form; undefined for an unknown language. */
export const canonicalLanguage = (tag: string): string | undefined => {
  // `Intl` takes quadratic time.
  if (tag.length > limits.languageCharacters) return undefined;
  try {
    const [language] = Intl.getCanonicalLocales(tag);
    const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
    return language && names.of(language) ? language : undefined;
  } catch {
    return undefined;
  }
};
