import { describe, expect, it } from 'vitest';
import { extractNumbers, reportedNumber } from '../../functions/domain/phone-numbers.ts';
import { numberProblems, readPhoneNumber } from '../../functions/domain/read-phone-number.ts';

describe('a number as people and programs write it is read:', () => {
  it.each([
    // Separators and marks between the digits.
    ['+1 (415) 555-0100', '+14155550100'],
    ['+33.6.12.34.56.00', '+33612345600'],
    ['+49–151–12345678', '+4915112345678'],
    ['+44 20 7946−0958', '+442079460958'],
    ['+1‑415‑555‑0100', '+14155550100'],
    ['+81ー3ー1234ー5678', '+81312345678'],
    ['+1·415·555·0100', '+14155550100'],
    ['+1•415•555•0100', '+14155550100'],
    ['+33 · 6 12 34 56 00', '+33612345600'],
    ['+81・3・1234・5678', '+81312345678'],
    ['\u202a+4915112345678\u202c', '+4915112345678'],
    ['\ufeff+49\u00ad151\u200b12345678\u2069', '+4915112345678'],
    ['+49\u3000151\u00a012345678', '+4915112345678'],
    ['＋４９（１５１）１２３４５６７８', '+4915112345678'],
    ['(+49) 151 12345678', '+4915112345678'],
    ['+(49) 151 12345678', '+4915112345678'],
    ['(+49 151 12345678)', '+4915112345678'],
    ['+61 (2) 9876 5432', '+61298765432'],
    // The signs of spreadsheets and addresses.
    ["'+14155550100", '+14155550100'],
    ["'+14155550100'", '+14155550100'],
    ['="+14155550100"', '+14155550100'],
    ['tel:+1-415-555-0100', '+14155550100'],
    ['Tel: +14155550100', '+14155550100'],
    ['p:+14155550100', '+14155550100'],
    ['callto:+14155550100', '+14155550100'],
    ['sms:+14155550100', '+14155550100'],
    ['whatsapp:+14155550100', '+14155550100'],
    ['tel://+14155550100', '+14155550100'],
    ['=+14155550100', '+14155550100'],
    ['"+14155550100"', '+14155550100'],
    ['“+1 415 555 0100”', '+14155550100'],
    ['+14155550100;', '+14155550100'],
    ['+1 415 555 0100,,', '+14155550100'],
    // A prefix that is dialed within a country.
    ['+49 (0)151 12345678', '+4915112345678'],
    ['+49(0151)12345678', '+4915112345678'],
    ['+49015112345678', '+4915112345678'],
    ['+44-0-20-7946-0958', '+442079460958'],
    ['+44 (0) 20 7946 0958', '+442079460958'],
    ['+33 (0)6 12 34 56 78', '+33612345678'],
    ['+54 (0)9 11 2345-6789', '+5491123456789'],
    ['+36 06 1 234 5678', '+3612345678'],
    ['+7 (8) 495 123-45-67', '+74951234567'],
    ['+7 8 (495) 123-45-67', '+74951234567'],
    ['+375 8 029 491-19-11', '+375294911911'],
    ['+993 (8 12) 34-56-71', '+99312345671'],
    // A zero that belongs to the number.
    ['+39 06 1234 5678', '+390612345678'],
    ['+39 (0)6 1234 5678', '+390612345678'],
    ['+39 06 698 82000', '+390669882000'],
    ['+378 0549 886377', '+3780549886377'],
    ['+378 (0)549 886377', '+3780549886377'],
    ['+225 07 07 12 34 56', '+2250707123456'],
    ['+225 (0)7 07 12 34 56', '+2250707123456'],
    ['+242 06 123 4567', '+242061234567'],
    // No numbering plan is checked: numbers for tests, and of no country.
    ['+15550100', '+15550100'],
    ['+10000000001', '+10000000001'],
    ['+11234567890', '+11234567890'],
    ['+4491234567890', '+4491234567890'],
    ['+9991234567', '+9991234567'],
    ['+86282452253', '+86282452253'],
  ])('%j', (text, number) => {
    expect(readPhoneNumber(text)).toEqual({ number });
  });
});

describe('what would be another number is refused, with the reason:', () => {
  it.each<[string, keyof typeof numberProblems]>([
    ['', 'noDigits'],
    ['nonsense', 'noDigits'],
    ['+٤٩ ١٥١ ١٢٣٤٥٦٧٨', 'noDigits'],
    ['4.91512E+12', 'scientific'],
    ['4,91512E+12', 'scientific'],
    ['1.4155550104E10', 'scientific'],
    ['+14155550100.0', 'decimals'],
    ['+14155550100·0', 'decimals'],
    ['=14155550100', 'signs'],
    ['sms:+14155550100?body=1', 'letters'],
    ['p:14155550100', 'noCountryCode'],
    ['+14155550100;5', 'following'],
    ['• +14155550100', 'edges'],
    ['+1 415 5550100.00', 'decimals'],
    ['+14155550100 .0', 'decimals'],
    ['+49.30.901820.5', 'decimals'],
    ['+49 30 1234.567', 'decimals'],
    ['+14155550100 (2)', 'lastParentheses'],
    ['+14155550100 (mobile 2)', 'letters'],
    ['+1 415 (555) (0) 0100', 'parentheses'],
    ['+1 (415 555 0100', 'parentheses'],
    ['+1 () 415 555 0100', 'parentheses'],
    ['+1 ((415)) 555 0100', 'parentheses'],
    ['+14155550100x12', 'following'],
    ['+14155550100 ext. 12', 'following'],
    ['+14155550100;ext=12', 'following'],
    ['+14155550100,,12#', 'following'],
    ['tel:+12015550123;postd=22', 'following'],
    ['+1 800 FLOWERS', 'letters'],
    // Brazilians write xx in the place of a carrier.
    ['0xx11 98765-4324', 'letters'],
    ['+55 0xx11 98765-4324', 'letters'],
    ['+49 30 901820/21', 'signs'],
    ['+14155550100, 14155550101', 'signs'],
    ['+14155550100²', 'signs'],
    ['+14155550100 +14155550101', 'secondNumber'],
    ['14155550100 +14155550101', 'secondNumber'],
    ['++14155550100', 'secondNumber'],
    ['+1 415 555 0100 2', 'lastGroup'],
    ['+45 12 34 56 78-90', 'lastGroup'],
    ['+14155550100-', 'edges'],
    ['-+14155550100', 'edges'],
    ['+14155550100.', 'edges'],
    ['0049 151 12345678', 'internationalPrefix'],
    ['+0049 151 12345678', 'internationalPrefix'],
    ['0151 12345678', 'noCountryCode'],
    ['12345', 'noCountryCode'],
    ['+0155550100', 'noSuchCode'],
    ['+45 (0)32 12 34 56', 'trunkPrefix'],
    ['+1 (0)415 555 0100', 'trunkPrefix'],
    ['+48 022 123 45 67', 'trunkPrefix'],
    ['+36 (0)1 234 5678', 'trunkPrefix'],
    ['+49 (0)0151 1234567', 'trunkPrefix'],
    // An Italian mobile number has no zero, and one of Brescia has it.
    ['+39 (0)333 1234567', 'trunkPrefix'],
    // Argentina's mobile numbers have another prefix from abroad, and Brazil's zero is followed by a carrier.
    ['+54 011 15-2345-6789', 'trunkPrefix'],
    ['+54 (11) 15 2345-6789', 'tooLongForCountry'],
    ['+54 9 (011) 2345-6789', 'tooLongForCountry'],
    ['+998 8 90 123 45 67', 'tooLongForCountry'],
    ['+55 0 15 11 96123-4567', 'trunkPrefix'],
    ['+999 (0)12345678', 'parentheses'],
    // A mobile number of Ivory Coast has had 10 digits since 2021, and its zero belongs to it.
    ['+225 07 12 34 56', 'tooShortForCountry'],
    ['+1415', 'tooFewDigits'],
    ['+1234567890123456', 'tooManyDigits'],
    [`+1415555${' '.repeat(300)}0100`, 'tooLong'],
  ])('%j', (text, problem) => {
    expect(readPhoneNumber(text)).toEqual({ problem });
  });
});

describe('a number as telephony reports it is read:', () => {
  it.each([
    ['+4915112345678'],
    [' 4915112345678'],
    ['004915112345678'],
    ['+004915112345678'],
    ['00 49 (0)151 12345678'],
    ['sip:+4915112345678@pbx.example.com'],
    ['sip:004915112345678@10.0.0.1:5060;transport=udp'],
    ['sip:+4915112345678:password@pbx.example.com'],
    ['sip:%2B49-151-12345678;npdi;rn=+491700000@pbx.example.com;user=phone'],
    ['sips:+4915112345678@pbx.example.com'],
    ['"Ada" <sip:+4915112345678@pbx.example.com>;tag=1'],
    ['"+14155550100" <sip:+4915112345678@pbx.example.com>'],
    ['tel:+49-151-12345678;ext=12'],
    ['tel:004915112345678'],
    ['tel:15112345678;phone-context=+49'],
    ['TEL:+4915112345678'],
    ['whatsapp:+4915112345678'],
    ['whatsapp: 4915112345678'],
    ['+4915112345678@pbx.example.com'],
    ['＋４９１５１１２３４５６７８'],
  ])('%j', (text) => {
    expect(reportedNumber(text)).toEqual({ number: '+4915112345678', isGuess: false });
  });
});

it.each([
  '4915112345678',
  'sip:4915112345678@pbx.example.com',
  '49-151-12345678',
  '4915112345678@s.whatsapp.example',
  '011 49 151 12345678',
  'sip:+0114915112345678@pbx.example.com',
])('digits that telephony reports without a +, or behind 011, are a guess: %j', (text) => {
  expect(reportedNumber(text)).toEqual({ number: '+4915112345678', isGuess: true });
});

it.each([
  '',
  'anonymous',
  'Restricted',
  'sip:anonymous@anonymous.invalid',
  'sip:1001@pbx.example.com',
  'client:desk-7',
])('telephony reports no number by %j', (text) => {
  expect(reportedNumber(text)).toBeUndefined();
});

it.each([
  'Call +49 (0)151 12345678 back',
  '+4915112345678.0',
  '+49 151 12345678 2 times',
  '+14155550100 +49-151-12345678x12',
  '[{"number":"\u202a+49 151 12345678\u202c"}]',
])('a person’s number is found in %j', (text) => {
  expect(extractNumbers(text)).toContain('+4915112345678');
});

it('each problem of a number is a sentence', () => {
  expect(Object.values(numberProblems).filter((sentence) => !/^[A-Z].+\.$/.test(sentence))).toEqual([]);
});
