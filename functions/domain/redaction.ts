/** What may be taken out of transcripts. */
export const redactions = ['cards', 'emails', 'numbers'] as const;
type Redaction = (typeof redactions)[number];

type Range = { start: number; end: number; mark: string };

/** Digits that are spoken or written together: at most three spaces, dashes, dots or commas are between two of them. */
const runs = /\+?\d(?:[\s\p{Pd}.,]{0,3}\d)*/gu;
const emails = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;
const cardDigits = { min: 13, max: 19 };
const numberDigits = 7;

/** Returns turns with marks in place of numbers and addresses. What one side says across its turns is read together. */
export const redactTexts = <T extends { role: string; text: string }>(turns: T[], kinds: readonly Redaction[]): T[] => {
  const redacted = turns.map(({ text }) => text);
  for (const role of new Set(turns.map((turn) => turn.role))) {
    const places = turns.flatMap((turn, index) => (turn.role === role ? [index] : []));
    const ranges = findRanges(places.map((index) => redacted[index]).join('\n'), kinds);
    let [offset, next] = [0, 0];
    for (const index of places) {
      const text = redacted[index] as string;
      const end = offset + text.length;
      while (next < ranges.length && (ranges[next] as Range).end <= offset) next++;
      const ofText: Range[] = [];
      for (let at = next; at < ranges.length && (ranges[at] as Range).start < end; at++)
        ofText.push(ranges[at] as Range);
      redacted[index] = replaceRanges(text, ofText, offset);
      offset = end + 1;
    }
  }
  return turns.map((turn, index) =>
    redacted[index] === turn.text ? turn : { ...turn, text: redacted[index] as string },
  );
};

/** Replaces ranges of a text that begins at `offset`. The mark of one that spans several texts is in the first of them. */
const replaceRanges = (text: string, ranges: Range[], offset: number): string => {
  let [result, done] = ['', 0];
  for (const { start, end, mark } of ranges) {
    result += text.slice(done, Math.max(done, start - offset)) + (start >= offset ? mark : '');
    done = Math.min(text.length, end - offset);
  }
  return result + text.slice(done);
};

const findRanges = (text: string, kinds: readonly Redaction[]): Range[] => {
  const ranges: Range[] = [];
  if (kinds.includes('emails'))
    for (const { index, 0: found } of text.matchAll(emails))
      ranges.push({ start: index, end: index + found.length, mark: '[email]' });
  if (kinds.includes('cards') || kinds.includes('numbers'))
    for (const { index, 0: run } of text.matchAll(runs)) {
      const cards = kinds.includes('cards') ? findCards(run) : [];
      const isNumber = kinds.includes('numbers') && cards.length === 0 && countDigits(run) >= numberDigits;
      const found = isNumber ? [{ start: 0, end: run.length, mark: '[number]' }] : cards;
      ranges.push(...found.map((one) => ({ ...one, start: one.start + index, end: one.end + index })));
    }
  const sorted = ranges.sort((one, other) => one.start - other.start);
  return sorted.filter(({ start }, index) => index === 0 || start >= (sorted[index - 1] as Range).end);
};

const countDigits = (text: string) => text.replace(/\D/g, '').length;

/** Returns the numbers of cards in a run of digits: whole groups of it, the longest from the left. */
const findCards = (run: string): Range[] => {
  const groups = [...run.matchAll(/\d+/g)].map(({ index, 0: digits }) => ({ index, digits }));
  const cards: Range[] = [];
  for (let first = 0; first < groups.length; ) {
    let [digits, last] = ['', -1];
    for (let at = first; at < groups.length && digits.length < cardDigits.max; at++) {
      digits += groups[at]?.digits;
      if (digits.length >= cardDigits.min && digits.length <= cardDigits.max && isLuhnValid(digits)) last = at;
    }
    const [start, end] = [groups[first], groups[last]];
    if (start && end) cards.push({ start: start.index, end: end.index + end.digits.length, mark: '[card]' });
    first = last === -1 ? first + 1 : last + 1;
  }
  return cards;
};

const isLuhnValid = (digits: string): boolean => {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    sum += index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
};
