/** Returns the sentence of a disclosure in a language: that of its tag, of the tag's language, or the first one. */
export const chooseSentence = (disclosure: string | Record<string, string>, language: unknown): string | undefined => {
  if (typeof disclosure === 'string') return disclosure;
  const tag = typeof language === 'string' ? language.toLowerCase() : '';
  const sentences = new Map(Object.entries(disclosure).map(([name, sentence]) => [name.toLowerCase(), sentence]));
  return sentences.get(tag) ?? sentences.get(tag.split('-', 1)[0] as string) ?? Object.values(disclosure)[0];
};

/** Returns what an agent says first: the disclosure, then its greeting. */
export const discloseFirst = (disclosure: string | undefined, greeting: string | undefined): string | undefined =>
  disclosure === undefined ? greeting : [disclosure, greeting].filter(Boolean).join(' ');
