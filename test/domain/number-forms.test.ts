import { expect, it } from 'vitest';
import { chooseForm, listForms } from '../../functions/domain/number-forms.ts';
import { mentionsNumber } from '../../functions/domain/phone-numbers.ts';
import { readPhoneNumber } from '../../functions/domain/read-phone-number.ts';

it.each([
  ['Mexico', '+525512345678', '+5215512345678'],
  ['Argentina', '+5491123456789', '+541123456789'],
  ['Argentina, beyond Buenos Aires', '+5493511234567', '+543511234567'],
  ['Brazil', '+5511987654321', '+551187654321'],
  ['Brazil, a number that begins with 99', '+5511998765432', '+551198765432'],
  ['Benin', '+2290197123456', '+22997123456'],
])('a mobile number of %s has two forms: %s, which its country uses today, and %s', (_, current, other) => {
  for (const form of [current, other]) {
    expect(listForms(form)).toEqual([current, other]);
    expect(chooseForm(form)).toBe(current);
  }
  expect(mentionsNumber(`Call ${current} again`, other)).toBe(true);
  expect(mentionsNumber(`Call ${other} again`, current)).toBe(true);
});

it.each([
  ['+52 1 55 1234 5678', '+5215512345678'],
  ['+52 (1) 55 1234-5678', '+5215512345678'],
  ['+54 9 11 1234-5678', '+5491112345678'],
  ['+54 11 1234-5678', '+541112345678'],
  ['+55 (11) 8765-4321', '+551187654321'],
  ['+229 97 12 34 56', '+22997123456'],
])('%s, as people separate its digits, is %s', (text, number) => {
  expect(readPhoneNumber(text)).toEqual({ number });
  expect(mentionsNumber(text, chooseForm(number))).toBe(true);
});

it.each([
  ['a landline of Brazil', '+551132345678'],
  ['a mobile number of Brazil whose digits behind the 9 are those of a landline', '+5511932345678'],
  ['a toll-free number of Argentina', '+548001234567'],
  ['a number of Mexico that is too long', '+52155123456789'],
  ['a number of Benin in the earlier plan that begins like one of today', '+22901234567'],
  ['a number of Ivory Coast', '+2250712345678'],
  ['a number of the United States', '+15215550100'],
])('%s, %s, has one form', (_, number) => {
  expect(listForms(number)).toEqual([number]);
  expect(chooseForm(number)).toBe(number);
});
