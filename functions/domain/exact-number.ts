/** A double keeps this many decimal digits of any number. */
const maxDigits = 17;

/** Checks that a double keeps every digit of a decimal number. `0.10000000000000001`, as some languages write 0.1, is kept. */
export const isExactNumber = (source: string): boolean => {
  const digits = significantDigits(source);
  const value = Number(source);
  if (digits === '') return true;
  if (!Number.isFinite(value) || value === 0 || digits.length > maxDigits) return false;
  return significantDigits(value.toExponential(digits.length - 1)) === digits;
};

/** What is wrong with a number that a double does not keep, after the name of the field: of one that must be a number, and of any. */
export const tooManyDigitsError = 'has more digits than a number keeps';
export const inexactNumberError = `${tooManyDigitsError}: write it as a text`;

const significantDigits = (source: string) =>
  source
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
