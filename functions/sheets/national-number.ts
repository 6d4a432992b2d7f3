import parsePhoneNumber, {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
} from 'libphonenumber-js/max';
import { plainText } from '../domain/read-phone-number.ts';

/** Checks whether the numbers of a country are known. */
export const hasNumberingPlan = (code: string): code is CountryCode => isSupportedCountry(code);

/**
 * Returns the E.164 form of a number as it is dialed within a country, or with the country's code or 00 and without its `+`. Returns
 * `ambiguous` for digits that may be either.
 */
export const readNationalNumber = (text: string, country: CountryCode): string | 'ambiguous' | undefined => {
  const digits = plainText(text);
  if (!/^[\d /().-]{3,30}$/.test(digits)) return undefined;
  const national = parsePhoneNumber(digits, country);
  const bare = digits.replace(/\D/g, '');
  const hasPrefix = bare.startsWith('00');
  const withCode =
    hasPrefix || bare.startsWith(getCountryCallingCode(country))
      ? parsePhoneNumber(`+${bare.replace(/^00/, '')}`)
      : undefined;
  if (withCode?.isValid()) {
    if (!national?.isValid() || national.number === withCode.number) return withCode.number;
    // Numbers of towns may have any length. Mobile numbers have few prefixes.
    return !hasPrefix && isMobile(withCode) && !isMobile(national) ? withCode.number : 'ambiguous';
  }
  if (national?.isValid()) return national.number;
  // A spreadsheet has removed the zero, which belongs to the number or to another prefix, as in Italy and Hungary.
  const restored = /^[1-9]\d*$/.test(digits) ? parsePhoneNumber(`0${digits}`, country) : undefined;
  if (restored?.isValid()) return restored.number;
  // People write 00 for the plus of another country also where it is not dialed.
  if (hasPrefix && national?.number !== withCode?.number) return undefined;
  return national?.isPossible() ? national.number : undefined;
};

const isMobile = (number: PhoneNumber) => number.getType() === 'MOBILE';
