import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import data from './number-time-zones.json' with { type: 'json' };

/** The time zones of numbers, by the longest prefix that is known. */
const zonesByPrefix = new Map(
  Object.entries(data.zones).flatMap(([zones, prefixes]) =>
    prefixes.split(' ').map((prefix) => [prefix, zones.split('&')] as const),
  ),
);
const longestPrefix = Math.max(...[...zonesByPrefix.keys()].map(({ length }) => length));

/** Countries whose mobile numbers belong to an area, by calling code. */
const areaMobiles = new Set(['52', '54', '55', '62', '86']);

/** Returns a number's time zones, as libphonenumber does: its area's, or else its country's. */
export const timeZonesOfNumber = (number: string): string[] => {
  const parsed = parsePhoneNumberFromString(number);
  const type = parsed?.getType();
  if (!parsed || type === undefined) return [];
  const { countryCallingCode } = parsed;
  const hasArea =
    type === 'FIXED_LINE' ||
    type === 'FIXED_LINE_OR_MOBILE' ||
    (type === 'MOBILE' && areaMobiles.has(countryCallingCode));
  return zonesOfPrefix(hasArea ? parsed.number.slice(1) : countryCallingCode);
};

const zonesOfPrefix = (digits: string): string[] => {
  for (let length = Math.min(longestPrefix, digits.length); length > 0; length -= 1) {
    const zones = zonesByPrefix.get(digits.slice(0, length));
    if (zones) return zones;
  }
  return [];
};
