import parsePhoneNumber, {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
} from 'libphonenumber-js/max';
import { plainText } from '../domain/read-phone-number.ts';

/** Checks whether the numbers of a country are known. */
export const isCountry = (code: string): code is CountryCode => isSupportedCountry(code);

/**
 * Returns the E.164 form of a number as it is dialed within a country, or with the country's code and without its `+`. Returns
 * `ambiguous` for digits that may be either.
 */
export const readNationalNumber = (text: string, country: CountryCode): string | 'ambiguous' | undefined => {
  const digits = plainText(text);
  if (!/^[\d /().-]{3,30}$/.test(digits)) return undefined;
  const national = parsePhoneNumber(digits, country);
  const bare = digits.replace(/\D/g, '');
  const withCode = bare.startsWith(getCountryCallingCode(country)) ? parsePhoneNumber(`+${bare}`) : undefined;
  if (withCode?.isValid()) {
    if (!national?.isValid() || national.number === withCode.number) return withCode.number;
    // Numbers of towns may have any length. Mobile numbers have few prefixes.
    return isMobile(withCode) && !isMobile(national) ? withCode.number : 'ambiguous';
  }
  return national?.isPossible() ? national.number : undefined;
};

const isMobile = (number: PhoneNumber) => number.getType() === 'MOBILE';
