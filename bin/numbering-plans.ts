import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import metadata from 'libphonenumber-js/max/metadata';

// Writes the part of libphonenumber's metadata that reads a zero or a trunk prefix behind a country code.

/** A country's data are a list. These are the places of its parts (libphonenumber-js, source/metadata.js). */
const [lengthsAt, trunkAt, typesAt] = [3, 5, 11];

/** Before the code of an area, Belarus dials 8, a second tone, and 0. The metadata has only the 8. */
const trunkPrefixes: Record<string, string> = { 375: '80' };

/** Finds out what numbers of a calling code begin with. */
const readPlan = (code: string, plans: unknown[][]) => {
  const patterns = plans.flatMap((plan) =>
    (plan[typesAt] as ([string] | 0)[]).flatMap((type) => (type ? type[0] : [])),
  );
  const valid = new RegExp(`^(?:${patterns.join('|')})$`);
  const lengths = [...new Set(plans.flatMap((plan) => plan[lengthsAt] as number[]))].sort((one, other) => one - other);
  const trunk = trunkPrefixes[code] ?? (plans.find((plan) => plan[trunkAt])?.[trunkAt] as string | undefined) ?? '';
  /** Returns the lengths of numbers with these first digits. */
  const matchLengths = (start: string) => lengths.filter((length) => exists(valid, start, length));
  const prefix = trunk || '0';
  const kept = [...'0123456789'].filter((digit) => matchLengths(prefix + digit).length > 0);
  const isOwn = (start: string) => matchLengths(`0${start}`).length > 0 && matchLengths(start).length === 0;
  const listPairs = (digit: string) => [...'0123456789'].map((next) => digit + next).filter(isOwn);
  const bracketed = trunk ? [] : kept.flatMap((digit) => (listPairs(digit).length === 10 ? digit : listPairs(digit)));
  return {
    trunk,
    lengths: ranges(lengths),
    // Of the numbers that begin like a trunk prefix: their lengths, and the digits behind it.
    ownLengths: ranges(kept.length === 0 ? [] : matchLengths(prefix)),
    kept: kept.join(''),
    // The digits behind a zero that belongs to the number, because no number begins with them.
    bracketed: bracketed.join(' '),
  };
};

/** Returns true if a number of a length begins with these digits. Tries all of the next three digits, with several ends. */
const exists = (valid: RegExp, start: string, length: number): boolean => {
  const free = Math.min(3, length - start.length);
  if (free < 0) return false;
  for (let next = 0; next < 10 ** free; next++) {
    const head = start + String(next).padStart(free, '0').slice(0, free);
    for (const end of ends) if (valid.test((head + end).slice(0, length))) return true;
  }
  return false;
};

const ends = [...'0123456789'].flatMap((digit) => [`${digit}01234567890123456`, `${digit}98765432109876543`]);

/** Writes ascending numbers as text: `5-8 10`. */
const ranges = (numbers: number[]): string => {
  const starts = numbers.filter((number) => !numbers.includes(number - 1));
  const lasts = numbers.filter((number) => !numbers.includes(number + 1));
  return starts.map((start, index) => (start === lasts[index] ? start : `${start}-${lasts[index]}`)).join(' ');
};
const countries = metadata.countries as unknown as Record<string, unknown[]>;
const plans = [
  ...Object.entries(metadata.country_calling_codes).map(([code, names]) => [
    code,
    names.map((name) => countries[name]),
  ]),
  ...Object.entries(metadata.nonGeographic).map(([code, plan]) => [code, [plan]]),
] as [string, unknown[][]][];
const byPlan = Map.groupBy(plans, ([code, data]) => JSON.stringify(readPlan(code, data)));
const license =
  'From libphonenumber, as libphonenumber-js has it. Copyright (C) 2012 The Libphonenumber Authors. Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0';
const rows = [...byPlan].map(([plan, codes]) => ({
  codes: codes.map(([code]) => code).join(' '),
  ...JSON.parse(plan),
}));
const output = join(import.meta.dirname, '../functions/domain/numbering-plans.json');
writeFileSync(output, `${JSON.stringify({ license, plans: rows }, (_, value) => value || undefined, 1)}\n`);
