import * as z from 'zod/mini';
import {
  booleanInQuery,
  choiceField,
  describe,
  flagField,
  listField,
  markField,
  objectComponent,
  textField,
} from './describe.ts';
import { formatWhole } from './format-whole.ts';
import { AgentId, Uid } from './identifiers.ts';
import { jsonBytes } from './json.ts';
import { limits } from './limits.ts';
import { paging } from './paging.ts';
import { text, withoutControlCharacters } from './text.ts';

/** The kinds of knowledge sources. */
export const SourceKindName = z.enum(['website', 'document']);
export type SourceKindName = z.infer<typeof SourceKindName>;

/** The name of a website or a document. */
export const SourceName = z
  .pipe(z.pipe(z.string(), z.transform(withoutControlCharacters)), text(1, limits.nameCharacters))
  .check(describe('Name of the source. Control characters are removed.', 'Opening hours', { type: 'string' }));

/** A change of a website or a document. */
export const SourceChange = z.object({
  active: z.optional(flagField('Whether the agent uses the source.', true)),
  name: z.optional(SourceName),
});
export type SourceChange = z.infer<typeof SourceChange>;

/** What can be missing in the text of a source, by code. */
export const warningCodes = {
  unmapped_letters: 'A PDF draws letters without saying which characters they are.',
  pictures_only: 'Pages of a PDF have pictures and no text. Text in pictures is not read.',
  encrypted_part: 'A part of the source is encrypted, such as a file in a PDF.',
  ignored_elements: 'The source has elements that the service does not read.',
  undecodable_bytes: 'Some bytes are not text in the encoding of the source.',
  uncertain_encoding: 'The source does not say its encoding, and letters may be wrong.',
  cut: 'A part of the source is damaged or too large, and is left out.',
} as const;
export type WarningCode = keyof typeof warningCodes;

export const SourceWarning = objectComponent('SourceWarning', 'Something that is missing in the text of a source.', {
  code: choiceField(
    Object.keys(warningCodes) as [WarningCode, ...WarningCode[]],
    'What is missing, as a code to switch on.',
    'pictures_only',
  ),
  message: textField('What is missing, in a sentence.', '2 of 9 pages have pictures and no text.'),
});
export type SourceWarning = z.infer<typeof SourceWarning>;

/** The warnings of a source: what is missing in the text that it has. */
export const warningsField = {
  warnings: z.optional(
    listField(
      SourceWarning,
      `What is missing in the text, as far as the service knows: at most ${limits.sourceWarnings} warnings. Absent when nothing is known to be missing.`,
    ),
  ),
};

/** Returns the warnings to store with a text; undefined when there are none. The last one counts those that do not fit. */
export const storedWarnings = (warnings: SourceWarning[] = []): SourceWarning[] | undefined => {
  const listed = warnings.slice(0, limits.sourceWarnings - 1);
  const [first, ...more] = warnings.slice(listed.length);
  if (!first) return listed.length > 0 ? listed : undefined;
  const count = formatWhole(more.length + 1);
  return [
    ...listed,
    more.length === 0 ? first : { code: first.code, message: `${count} more warnings are not listed.` },
  ];
};

/** The text of a source: as a list shows it, or one piece of the whole. */
export const sourceTextFields = {
  content: textField('The text.', 'Opening hours\n\nWe are open from nine to five.'),
  contentMD: textField('The same text as Markdown.', '# Opening hours\n\nWe are open from nine to five.'),
};

/** The texts of a source in a list, if they are requested. */
export const listedTextFields = {
  content: z.optional(sourceTextFields.content),
  contentMD: z.optional(sourceTextFields.contentMD),
  truncated: z.optional(
    markField('True when the text is longer than a list shows. Get the complete text with the content operation.'),
  ),
};

/** The query of a list of sources. */
export const SourceListQuery = z
  .object({
    uid: Uid,
    agentId: AgentId,
    content: z.optional(booleanInQuery('`false` omits `content` and `contentMD`.', false)),
    ...paging,
  })
  .check(
    z.refine(({ content, limit }) => content === false || (limit ?? 1) <= limits.pageSourcesWithText, {
      path: ['limit'],
      error: `must be at most ${limits.pageSourcesWithText} when the texts are listed too`,
    }),
  );

/** A text of a source. A list shows `excerpt`: UTF-16 units of its beginning, followed by `end`. */
export type SourceText = { whole: string; excerpt?: Excerpt };
export type Excerpt = { length: number; end: string };

/** A page of a website, as `content` holds it. `text` is the last field, so that a long page is cut there. */
export type Page = { url: string; title: string; text: string };

/** Creates the text of prose or Markdown. A list shows it up to the end of a paragraph. */
export const proseText = (sent: string): SourceText => {
  const whole = sent.toWellFormed();
  const length = fittingLength(whole);
  return length === whole.length ? { whole } : { whole, excerpt: { length: paragraphEnd(whole, length), end: '' } };
};

/** Creates the JSON text of pages. A list shows it up to the end of a page, or of a paragraph of a long first page. */
export const pagesText = (pages: Page[]): SourceText => {
  const parts = pages.map(({ url, title, text }) =>
    JSON.stringify({ url: url.toWellFormed(), title: title.toWellFormed(), text: text.toWellFormed() }),
  );
  const whole = `[${parts.join(',')}]`;
  if (fits(whole)) return { whole };
  for (let kept = parts.length - 1; kept > 0; kept--) {
    const shown = `[${parts.slice(0, kept).join(',')}]`;
    if (fits(shown)) return { whole, excerpt: { length: shown.length - 1, end: ']' } };
  }
  const [first] = pages as [Page];
  const text = first.text.toWellFormed();
  const end = '"}]';
  for (let length = Math.min(text.length, limits.listedTextCharacters); ; length = Math.floor(length * 0.8)) {
    const page = { url: first.url.toWellFormed(), title: first.title.toWellFormed(), text };
    page.text = text.slice(0, paragraphEnd(text, length));
    const shown = JSON.stringify([page]);
    if (fits(shown)) return { whole, excerpt: { length: shown.length - end.length, end } };
  }
};

/** Returns the part of a text that a list shows. */
export const cutExcerpt = ({ whole, excerpt }: SourceText) =>
  excerpt ? whole.slice(0, excerpt.length) + excerpt.end : whole;

const fits = (shown: string) =>
  shown.length <= limits.listedTextCharacters && jsonBytes(shown) <= limits.listedTextBytes;

/** Returns the length of the beginning that fits in a list. */
const fittingLength = (whole: string) => {
  let length = Math.min(whole.length, limits.listedTextCharacters);
  while (!fits(whole.slice(0, length))) length = Math.floor(length * 0.9);
  return length;
};

/** Returns the end of the last paragraph within the first `max` units; or, if none is near, of a line, a word or a character. */
const paragraphEnd = (whole: string, max: number) => {
  if (whole.length <= max) return whole.length;
  for (const mark of ['\n\n', '\n', ' ']) {
    const end = whole.lastIndexOf(mark, max);
    if (end > max / 2) return end;
  }
  return /[\ud800-\udbff]/.test(whole[max - 1] as string) ? max - 1 : max;
};
