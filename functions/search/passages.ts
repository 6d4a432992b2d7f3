/** A piece of a text that can be a result: UTF-16 units from `start` to `end`. */
export type Passage = {
  start: number;
  end: number;
  /** The end of its own heading, which it begins with; `start` when it has none. */
  headingEnd: number;
  /** The headings above it. Their words also match the passage. */
  context: string[];
};

/** The maximum number of UTF-16 units of a passage. */
export const passageUnits = 1200;

type Heading = { start: number; end: number; level: number; text: string };

/** A longer line is not a heading. Every line of an untrusted text is examined, so each step must take linear time. */
const maxHeadingUnits = 300;

const underline = /^ {0,3}(?:=+|-{3,})[ \t]*$/;

/** Returns the headings of a Markdown text with their levels, as `comparable` texts. */
export const listMarkdownHeadings = (markdown: string): Map<string, number> => {
  const headings = new Map<string, number>();
  for (const [line] of markdown.matchAll(/^ {0,3}#{1,6}[ \t][^\n]*/gm)) {
    const { level, text } = markedHeading(line) ?? { level: 0, text: '' };
    const plain = comparable(withoutDestinations(text));
    if (plain && plain.length <= maxHeadingUnits && !headings.has(plain)) headings.set(plain, level);
  }
  return headings;
};

/** Reads a line that Markdown marks as a heading: `## Opening hours ##`. */
const markedHeading = (line: string): { level: number; text: string } | undefined => {
  const marks = /^ {0,3}(#{1,6})[ \t]/.exec(line);
  if (!marks) return undefined;
  const text = line.slice(marks[0].length).trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  // Marks at the end stand apart from the text: `C#` is a word.
  const isClosed = end === 0 || /\s/.test(text[end - 1] as string);
  return { level: (marks[1] as string).length, text: isClosed ? text.slice(0, end).trimEnd() : text };
};

/** Removes the destinations of links: `[Prices](https://example.com/prices)` is `[Prices]`. */
const withoutDestinations = (text: string) =>
  text
    .split('](')
    .map((part, index) => (index === 0 ? part : part.slice(part.indexOf(')') + 1)))
    .join('] ');

/** Returns the words of a line without marks, which are what a heading and its Markdown have in common. */
const comparable = (line: string) => (line.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');

/** Cuts a text into passages: a heading begins a new one, and a long section is cut at paragraphs, else at sentences. */
export const cutPassages = (text: string, headings: Map<string, number>): Passage[] => {
  const passages: Passage[] = [];
  const above: Heading[] = [];
  const all = findHeadings(text, headings);
  addSection(passages, text, { start: 0, end: all[0]?.start ?? text.length }, undefined, []);
  for (const [index, heading] of all.entries()) {
    const next = all[index + 1];
    const end = next?.start ?? text.length;
    while (above.length > 0 && (above.at(-1) as Heading).level >= heading.level) above.pop();
    const context = above.map((one) => one.text);
    above.push(heading);
    // A heading directly above a deeper one gets no passage. Its words are in the context of the passages below.
    const isEmpty = text.slice(heading.end, end).trim() === '';
    if (isEmpty && next && next.level > heading.level) continue;
    addSection(passages, text, { start: heading.start, end }, heading, context);
  }
  return passages;
};

const findHeadings = (text: string, known: Map<string, number>): Heading[] => {
  const found: Heading[] = [];
  let previous: { start: number; end: number; line: string; follows: boolean } | undefined;
  let isAfterBlank = true;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = end - start <= maxHeadingUnits ? text.slice(start, end) : '…';
    const { level, text: own } = markedHeading(line) ?? { level: known.get(comparable(line)), text: line };
    if (level !== undefined && own !== '') {
      found.push({ start, end, level, text: own });
    } else if (previous?.line.trim() && previous.follows && underline.test(line)) {
      const underlined = { start: previous.start, end, level: line.includes('=') ? 1 : 2, text: previous.line };
      if (found.at(-1)?.start !== previous.start) found.push(underlined);
    }
    previous = { start, end, line, follows: isAfterBlank };
    isAfterBlank = line.trim() === '';
    start = end + 1;
  }
  return found;
};

type Range = { start: number; end: number };

const addSection = (
  passages: Passage[],
  text: string,
  section: Range,
  heading: Heading | undefined,
  context: string[],
): void => {
  let isFirst = true;
  for (let rest = trim(text, section); rest.start < rest.end; ) {
    const end = rest.end - rest.start <= passageUnits ? rest.end : chooseBreak(text, rest);
    const own = trim(text, { start: rest.start, end });
    passages.push({
      ...own,
      headingEnd: isFirst && heading ? Math.min(heading.end, own.end) : own.start,
      context: isFirst || !heading ? context : [...context, heading.text],
    });
    isFirst = false;
    rest = trim(text, { start: end, end: rest.end });
  }
};

const trim = (text: string, { start, end }: Range): Range => {
  const part = text.slice(start, end).trimStart();
  const from = end - part.length;
  return { start: from, end: from + part.trimEnd().length };
};

/** The end of a sentence: a mark before white space that no small letter follows, but for initials; or a mark of a script without spaces. */
const sentenceEnd = /(?:(?<!\p{Lu})\.|[!?…؟۔।॥])["'”’»)\]]*(?=\s+[^\s\p{Ll}])|[。！？｡][”’」』）]*/gu;

/** Returns where to cut a section that is too long. Parts are as even as possible and end at paragraphs, sentences, or else words. */
const chooseBreak = (text: string, { start, end }: Range): number => {
  const length = end - start;
  const wanted = length / Math.ceil(length / passageUnits);
  // The text after a mark decides whether it ends a sentence.
  const some = text.slice(start, Math.min(end, start + passageUnits + 20));
  const nearest = (mark: RegExp): number | undefined => {
    let best: number | undefined;
    // Marks in the first half of the wanted length do not count, and none after the first one beyond it is nearer.
    mark.lastIndex = wanted / 2;
    for (let found = mark.exec(some); found && found.index <= passageUnits; found = mark.exec(some)) {
      const at = found.index + found[0].trimEnd().length;
      if (at <= wanted / 2 || at > passageUnits) continue;
      if (best === undefined || Math.abs(at - wanted) < Math.abs(best - wanted)) best = at;
      if (at >= wanted) break;
    }
    return best;
  };
  const at =
    nearest(/\n\s*\n/g) ??
    nearest(sentenceEnd) ??
    // A list or a table has only lines.
    nearest(/\n/g) ??
    nearest(/\s/g) ??
    passageUnits;
  const isWithinCharacter = /[\ud800-\udbff]/.test(text[start + at - 1] as string);
  return start + (isWithinCharacter ? at - 1 : at);
};
