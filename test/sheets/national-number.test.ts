import { expect, it } from 'vitest';
import { readNationalNumber } from '../../functions/sheets/national-number.ts';

it.each([
  ['0151 12345678', 'DE', '+4915112345678'],
  ['(0151) 123-456 78', 'DE', '+4915112345678'],
  ['151/12345678', 'DE', '+4915112345678'],
  ["'0151 12345678", 'DE', '+4915112345678'],
  ['4915112345678', 'DE', '+4915112345678'],
  ['49 151 12345678', 'DE', '+4915112345678'],
  ['4930901820', 'DE', '+4930901820'],
  ['447400123456', 'GB', '+447400123456'],
  ['07400 123456', 'GB', '+447400123456'],
  ['14155550100', 'US', '+14155550100'],
  ['415 555 0100', 'US', '+14155550100'],
  ['393123456789', 'IT', '+393123456789'],
  ['06 1234 5678', 'IT', '+390612345678'],
  // With the prefix that is dialed in most countries, but not in these.
  ['00 81 3 1234 5678', 'JP', '+81312345678'],
  ['0014155550100', 'US', '+14155550100'],
  ['0061 2 1234 5678', 'AU', '+61212345678'],
  // As a spreadsheet stores 0212345678, 0612345678 (06 is the prefix of Hungary) and 02000.
  ['212345678', 'IT', '+390212345678'],
  ['612345678', 'HU', '+3612345678'],
  ['2000', 'NO', '+4702000'],
] as const)('%s is read as a number of %s', (text, country, number) => {
  expect(readNationalNumber(text, country)).toBe(number);
});

it('digits that 00 begins, and no country code follows, are no number', () => {
  expect(readNationalNumber('00 999 1234 5678', 'JP')).toBeUndefined();
});

it.each(['CA0001', '12', '+14155550100x1', ''])('%j is no national number', (text) => {
  expect(readNationalNumber(text, 'DE')).toBeUndefined();
});

it('digits that may be a number with or without the country code are not guessed', () => {
  // A number of Aurich without its zero, as a spreadsheet stores it, or one of Elmshorn with the country code.
  expect(readNationalNumber('494121123', 'DE')).toBe('ambiguous');
  // A free number of Japan, or one of Thailand.
  expect(readNationalNumber('0066148627798', 'JP')).toBe('ambiguous');
});
