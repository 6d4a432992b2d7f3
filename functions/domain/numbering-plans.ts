import data from './numbering-plans.json' with { type: 'json' };

/** What is known of the numbers behind a country code. */
type Plan = {
  /** The prefix of numbers that are dialed within the country; empty where there is none. */
  trunk: string;
  lengths: Set<number>;
  /** Numbers that begin like the prefix, or with 0 where there is none: their lengths, and the digits behind it. */
  ownLengths: Set<number>;
  kept: string;
  /** The digits behind a 0 that belongs to the number, even if it is in brackets. */
  bracketed: string[];
};

const parseLengths = (ranges = ''): Set<number> =>
  new Set(
    ranges.split(' ').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    }),
  );

const rows = new Map(data.plans.flatMap((row) => row.codes.split(' ').map((code) => [code, row] as const)));

/** The plans that were used. To parse all of them takes 2 ms of CPU time in a cold start. */
const plans = new Map<string, Plan>();

const getPlan = (code: string): Plan | undefined => {
  const row = rows.get(code);
  if (!row || plans.has(code)) return plans.get(code);
  const { trunk = '', lengths, ownLengths, kept = '', bracketed = '' } = row;
  const plan: Plan = {
    trunk,
    lengths: parseLengths(lengths),
    ownLengths: parseLengths(ownLengths),
    kept,
    bracketed: bracketed.split(' ').filter((digits) => digits !== ''),
  };
  plans.set(code, plan);
  return plan;
};

/** Splits the digits of an international number behind its country code. Undefined for a country code that is not known. */
export const splitNumber = (digits: string): { code: string; national: string; plan: Plan } | undefined => {
  for (let length = 1; length <= 3; length++) {
    const plan = getPlan(digits.slice(0, length));
    if (plan) return { code: digits.slice(0, length), national: digits.slice(length), plan };
  }
  return undefined;
};

/** The group of digits that is written directly behind a country code, if the country code ends one. */
export type FirstGroup = { digits: string; isInBrackets: boolean };

/**
 * Returns the digits behind a country code without the prefix that is dialed only within the country; undefined where it is
 * not known whether the first digits are such a prefix.
 */
export const withoutTrunkPrefix = (national: string, plan: Plan, group?: FirstGroup): string | undefined => {
  const { trunk, lengths, ownLengths, kept, bracketed } = plan;
  const rest = national.startsWith(trunk) ? national.slice(trunk.length) : '';
  const isOwn = ownLengths.has(national.length);
  if (trunk && !trunk.startsWith('0')) {
    // Such digits begin many numbers. A prefix of them stands by itself.
    if (group && trunk.startsWith(group.digits)) {
      const belongs = isOwn && kept.includes(rest.charAt(0));
      return lengths.has(rest.length) && !belongs ? rest : undefined;
    }
  } else if (trunk && national.startsWith(trunk)) {
    if (isOwn && kept.includes(rest.charAt(0))) return national;
    return lengths.has(rest.length) && !rest.startsWith('0') ? rest : undefined;
  }
  if (!national.startsWith('0')) return national;
  if (group?.isInBrackets && group.digits === '0') {
    return isOwn && bracketed.some((digits) => national.startsWith(digits, 1)) ? national : undefined;
  }
  const belongs = trunk === '' && isOwn && kept.includes(national.charAt(1));
  return belongs || (lengths.has(national.length) && !lengths.has(national.length - 1)) ? national : undefined;
};

/** Returns the first national digits of numbers in the same way, but of no certain length. */
export const withoutTrunkInPrefix = (
  national: string,
  { trunk, kept, bracketed }: Plan,
  group?: FirstGroup,
): string | undefined => {
  const isInBrackets = group?.isInBrackets === true && group.digits === (trunk || '0');
  if (trunk && national.startsWith(trunk) && (isInBrackets || trunk.startsWith('0'))) {
    const rest = national.slice(trunk.length);
    const mayBelong = rest !== '' && kept.includes(rest.charAt(0));
    return isInBrackets || !mayBelong ? rest : undefined;
  }
  if (!isInBrackets) return national;
  const rest = national.slice(1);
  return bracketed.some((digits) => rest.startsWith(digits) || digits.startsWith(rest)) ? national : undefined;
};
