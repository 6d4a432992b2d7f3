import { expect, it } from 'vitest';
import { normalizePhoneNumber } from '../../functions/domain/phone-numbers.ts';
import {
  addCountryCode,
  findNumberCode,
  findZoneCode,
} from '../../functions/pages/console/components/country-codes.ts';

it.each([
  ['+1 415 555 0100', '49', '+14155550100'],
  ['030 1234567', '49', '+49301234567'],
  ['(030) 123-4567', '49', '+49301234567'],
  ['4930 1234567', '49', '+49301234567'],
  ['0043 1 5880 4900', '49', '+43158804900'],
  ['(415) 555-0100', '1', '+14155550100'],
  ['1-415-555-0100', '1', '+14155550100'],
  ['011 49 30 1234567', '1', '+49301234567'],
  ['06 6982 1234', '39', '+390669821234'],
  ['912 345 678', '34', '+34912345678'],
  ['8 495 123 45 67', '7', '+74951234567'],
])('%s, typed where the country code is %s, is %s', (typed, code, number) => {
  expect(normalizePhoneNumber(addCountryCode(typed, () => code))).toBe(number);
});

it.each([
  ['5550100', '49'],
  ['555 0100', '1'],
  ['the front desk', '49'],
  ['030 1234567', undefined],
])('%s, typed where the country code is %s, stays as it is', (typed, code) => {
  expect(addCountryCode(typed, () => code)).toBe(typed);
});

it('no country is looked for while a name or an international number is typed', () => {
  const findCode = () => {
    throw new Error('A search over all countries takes a tenth of a second.');
  };
  expect(['front desk', '+1 415', ''].map((typed) => addCountryCode(typed, findCode))).toEqual([
    'front desk',
    '+1 415',
    '',
  ]);
});

it('a country code is found by the time zone of the page, and by the number of an agent', () => {
  expect(['Europe/Berlin', 'America/New_York', 'Europe/Rome', 'UTC'].map(findZoneCode)).toEqual([
    '49',
    '1',
    '39',
    undefined,
  ]);
  expect(['+14155550100', '+35312345678', '+79991234567', '+8821234567'].map(findNumberCode)).toEqual([
    '1',
    '353',
    '7',
    undefined,
  ]);
});
