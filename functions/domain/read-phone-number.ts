import { limits } from './limits.ts';
import { listForms } from './number-forms.ts';
import { type FirstGroup, splitNumber, withoutTrunkInPrefix, withoutTrunkPrefix } from './numbering-plans.ts';
import { withPlainSpaces } from './signs.ts';

/** What to remove from a text or to add to it, so that it is a phone number. */
export const numberProblems = {
  tooLong: `Remove what is not part of the number: the text has more than ${limits.phoneNumberCharacters} characters.`,
  noDigits: 'Write the number in the digits 0 to 9: the text has none of them.',
  scientific: 'Enter the number again in a cell of text: scientific notation may have lost digits.',
  secondNumber: 'Remove all but one number: the text has a second +, or digits before its +.',
  following: 'Remove what follows the number, such as an extension.',
  letters: 'Remove the letters, and digits that are not part of the number.',
  signs: 'Remove what is not part of the number. Only spaces, dashes, dots and parentheses may separate its digits.',
  parentheses: 'Remove the parentheses that do not enclose an area code.',
  lastParentheses: 'Remove the parentheses at the end, and their digits if these are not part of the number.',
  edges: 'Remove dashes and dots that are not between digits.',
  internationalPrefix: 'Replace 00 at the start by +.',
  noCountryCode: 'Add + and the country code at the start: no country is guessed.',
  decimals: 'Remove the last dot, and the digits behind it if they are decimal places.',
  noSuchCode: 'Replace the 0 behind + by a country code: none begins with 0.',
  trunkPrefix: 'Remove (0) or another prefix behind the country code: it is not dialed from abroad.',
  lastGroup: 'Remove the last group of digits: no number of its country is as long as with it.',
  tooShortForCountry: 'Add the missing digits: no number of its country has as few.',
  tooLongForCountry: 'Remove what is not part of the number: no number of its country has as many digits.',
  tooFewDigits: 'Add the missing digits: a number has at least 7.',
  tooManyDigits: 'Remove digits: a number has at most 15.',
} as const;
export type NumberProblem = keyof typeof numberProblems;

/** The number that a text is, in E.164 format, or why it is none. */
export type NumberReading = { number: string; problem?: never } | { number?: never; problem: NumberProblem };

/** E.164 syntax. */
export const e164 = /^\+[1-9]\d{6,14}$/;

/** Checks that a text is a phone number in E.164 syntax. Numbering plans are not checked: reserved test numbers pass. */
export const isPhoneNumber = (text: string) => e164.test(text);

/**
 * Reads a number as people and programs write it. Anything that would add other digits is a problem. It guesses no
 * country.
 */
export const readPhoneNumber = (text: string): NumberReading => {
  if (text.length > limits.phoneNumberCharacters) return { problem: 'tooLong' };
  if (isPhoneNumber(text)) return readDigits(text, []);
  const plain = plainText(text);
  const problem = findSignProblem(plain);
  return problem ? { problem } : readDigits(plain, splitGroups(plain));
};

/** Dots in the middle of a line, which people and programs write between digits; in Greek and Japanese letters, too. */
const middleDots = /[\u00b7\u0387\u2022\u2219\u22c5\u30fb\uff65]/g;
/** Reads the first digits of numbers, written as numbers are. An area code in parentheses may be the last of them. */
export const readNumberPrefix = (text: string): { prefix?: string } => {
  if (text.length > limits.phoneNumberCharacters) return {};
  const plain = plainText(text).replace(/\( ?(\d+) ?\)$/, (group, digits: string) => (digits === '0' ? group : digits));
  const digits = plain.replace(/\D/g, '');
  if (findSignProblem(plain) || digits.startsWith('0')) return {};
  const { code = '', national = digits, plan } = splitNumber(digits) ?? {};
  const first = splitGroups(plain).find(({ position }) => position === code.length);
  const rest = plan ? withoutTrunkInPrefix(national, plan, first) : national;
  const prefix = `+${code}${rest}`;
  return rest !== undefined && prefix.length <= limits.prefixDigits + 1 ? { prefix } : {};
};

/** What programs write before a number: the scheme of an address, `p:` of Facebook's leads, and the sign of a spreadsheet's formula. */
const scheme = /^ *(?:(?:tel|callto|sms|whatsapp|p):(?:\/\/)? *|=(?=\+))/i;

/** Returns a text in ASCII, as far as it may be a number: without invisible marks and without the signs of a spreadsheet. */
export const plainText = (text: string): string =>
  withPlainSpaces(text)
    .replace(/[\p{Pd}\u2212\u30fc]/gu, '-')
    .replace(middleDots, '.')
    // Full-width signs, such as those of Japanese and Chinese keyboards.
    .replace(/[\uff01-\uff5e]/g, (sign) => sign.normalize('NFKC'))
    .trim()
    .replace(/[;,]+$/, '')
    .replace(/^=?["\u201c](.*)["\u201d]$/, '$1')
    .replace(/^['\u2019](.*?)['\u2019]?$/, '$1')
    .replace(scheme, '')
    .replace(/^\((\+[^()]*)\)$/, '$1')
    .trim();

/** Returns the problem of the signs in a text. Its digits are looked at later. */
const findSignProblem = (plain: string): NumberProblem | undefined => {
  if (!/\d/.test(plain)) return 'noDigits';
  if (/^\+?\d([.,]\d+)?E\+?\d+$/i.test(plain)) return 'scientific';
  if (/[\d+].*\+/.test(plain)) return 'secondNumber';
  if (/\d[ .]*(?:;|,,|#|\*|x(?!x)|ext)/i.test(plain)) return 'following';
  if (/\p{L}/u.test(plain)) return 'letters';
  if (/[^\d+ .()-]/.test(plain)) return 'signs';
  if (!/^[^()]*(?:\([^()]*\d[^()]*\)[^()]*)*$/.test(plain)) return 'parentheses';
  if (plain.endsWith(')')) return 'lastParentheses';
  if (/^\D*[-.]|[-.]$/.test(plain)) return 'edges';
  if (!plain.includes('+')) return /^\(? ?00 ?[1-9]/.test(plain) ? 'internationalPrefix' : 'noCountryCode';
  // A dot before one digit, or the only dot and before a few digits or zeros, may separate decimal places.
  if (/\. ?\d$|^[^.]*\. ?(?:\d{2,3}|0+)$/.test(plain)) return 'decimals';
  return undefined;
};

/** Digits that stand together, and how many digits are before them. */
type Group = FirstGroup & { position: number };

const splitGroups = (plain: string): Group[] => {
  let position = 0;
  return [...plain.matchAll(/(\( ?)?(\d+)( ?\))?/g)].map(([, opened, digits = '', closed]) => {
    const group = { digits, isInBrackets: opened !== undefined && closed !== undefined, position };
    position += digits.length;
    return group;
  });
};

const readDigits = (plain: string, groups: Group[]): NumberReading => {
  const digits = plain.replace(/\D/g, '');
  if (digits.startsWith('0')) return { problem: digits.startsWith('00') ? 'internationalPrefix' : 'noSuchCode' };
  const { code = '', national = digits, plan } = splitNumber(digits) ?? {};
  const first = groups.find(({ position }) => position === code.length);
  if (groups.some((group) => group.isInBrackets && group.digits.length === 1 && (group !== first || !plan))) {
    return { problem: 'parentheses' };
  }
  const rest = plan ? withoutTrunkPrefix(national, plan, first) : national;
  if (rest === undefined) {
    const isTooShort = plan !== undefined && national.length < Math.min(...plan.lengths);
    return { problem: isTooShort ? 'tooShortForCountry' : 'trunkPrefix' };
  }
  const last = groups.length > 2 ? groups.at(-1) : undefined;
  if (last && plan && !plan.lengths.has(rest.length) && plan.lengths.has(rest.length - last.digits.length)) {
    return { problem: 'lastGroup' };
  }
  const number = `+${code}${rest}`;
  // Digits that stand together are taken as they are: what separates groups may also add a prefix of the country.
  if (groups.length > 1 && plan && rest.length > Math.max(...plan.lengths) && !listForms(number)[1]) {
    return { problem: 'tooLongForCountry' };
  }
  if (isPhoneNumber(number)) return { number };
  return { problem: number.length <= 7 ? 'tooFewDigits' : 'tooManyDigits' };
};
