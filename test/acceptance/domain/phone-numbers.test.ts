import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pythonPrograms } from '../../../bin/client/python-environment.ts';
import { readPhoneNumber } from '../../../functions/domain/read-phone-number.ts';

const here = import.meta.dirname;

/** The kinds of spellings that are read in every country. The others have digits that may not be part of the number. */
const alwaysRead = [
  'e164',
  'international',
  'international with dashes',
  'international with dots',
  'country code in parentheses',
  'rfc3966',
  'spreadsheet',
  'marked',
];

it('a spelling of a number is that number by libphonenumber or is refused, for ten thousand spellings of more than 60 countries', () => {
  const python = join(pythonPrograms(join(here, 'python-requirements.txt')), 'python');
  const output = execFileSync(python, [join(here, 'number_spellings.py')], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const spellings: [kind: string, number: string, text: string][] = JSON.parse(output);
  expect(spellings.length).toBeGreaterThan(10_000);
  const read = spellings.map(([kind, number, text]) => ({ kind, number, text, is: readPhoneNumber(text).number }));
  expect(read.filter(({ number, is }) => is !== undefined && is !== number)).toEqual([]);
  expect(read.filter(({ kind, is }) => alwaysRead.includes(kind) && is === undefined)).toEqual([]);
  const ofKind = (kind: string) => read.filter((one) => one.kind === kind);
  const computeShare = (kind: string) => ofKind(kind).filter(({ is }) => is !== undefined).length / ofKind(kind).length;
  expect(computeShare('national with country code')).toBeGreaterThan(0.98);
  // A country without a trunk zero has no (0), and few numbers of such a country begin with one.
  expect(computeShare('(0)')).toBeGreaterThan(0.4);
});
