import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isExactNumber } from '../../functions/domain/exact-number.ts';

it.each([
  ...['0', '-0', '0.000', '0e99', '7', '-1.50', '1e23', '9007199254740992', '12345678901234567000', '5e-324'],
  // Some languages write every double with 17 digits.
  ...['0.10000000000000001', '0.69999999999999996', '149.5', '1.7976931348623157e308'],
])('the number %s keeps its digits as a double', (source) => {
  expect(isExactNumber(source)).toBe(true);
});

it.each([
  ...['9007199254740993', '12345678901234567890', '8421999999999995999', '9999999999999999'],
  ...['6E-578', '4e-324', '1e400', '-1e309', '0.12345678901234567890', '0.1000000000000000055511151231257827'],
])('the number %s loses digits as a double', (source) => {
  expect(isExactNumber(source)).toBe(false);
});

it('every double keeps its digits, with as many of them as JavaScript or C write', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      for (const source of [String(value), value.toPrecision(17), value.toExponential()])
        expect([source, isExactNumber(source)]).toEqual([source, true]);
    }),
  );
});
