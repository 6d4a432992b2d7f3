/** The version of the format of indexes. A source whose index has another one must be indexed again. */
export const indexFormat = 1;

/** The two written forms of Norwegian have their own tags. */
const macrolanguages: Record<string, string> = { nb: 'no', nn: 'no' };

/** Returns the language code of a BCP 47 tag. English when the tag is missing or malformed. */
export const parseLanguageCode = (tag: string | undefined): string => {
  try {
    const { language } = new Intl.Locale(tag ?? 'en');
    return macrolanguages[language] ?? language;
  } catch {
    return 'en';
  }
};

type Indexed = { index?: { format: number; language: string } };

/** Checks that a text has an index of the current format. */
export const isIndexed = ({ index }: Indexed) => index?.format === indexFormat;

/** Checks that a text has an index of the current format, in a language. */
export const hasIndex = (text: Indexed, languageTag: string | undefined) =>
  isIndexed(text) && text.index?.language === parseLanguageCode(languageTag);
