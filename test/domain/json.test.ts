import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../functions/domain/json.ts';

const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,25}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,22}$/)),
    fc.oneof(fc.constant(''), fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,3}$/)),
  )
  .map((parts) => parts.join(''));
const value = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    number,
    fc.constantFrom('true', '"2026-03-01T10:00:00.000Z"', '"-0"', '{}', '[]'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    tie('value').map((one) => `{"a":${one}}`),
  ),
})).value;

it('JSON that is read is written again as it was, with every number', () => {
  fc.assert(
    fc.property(value, (json) => {
      expect(JSON.stringify(parseJson(`{"value":${json}}`))).toBe(`{"value":${json}}`);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  '-0',
  '1.0',
  '1e5',
  '12345678901234567',
  '0.0000001',
  '1.50',
  '-0.0',
  '100000000000000000000000',
  '0.1234567890123456',
])('the number %s is written again as it was, alone in an object or a list', (json) => {
  for (const text of [`{"a":${json}}`, `[${json}]`, `[ ${json} ]`.replaceAll(' ', '')])
    expect(JSON.stringify(parseJson(text))).toBe(text);
});
