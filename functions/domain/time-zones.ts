/** The days of the week, in the order of `Date`. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

import { limits } from './limits.ts';

/** Checks whether a text is the name of an IANA time zone. An offset such as `+01:00`, which `Intl` also takes, is none. */
export const isTimeZone = (timeZone: string): boolean => {
  if (timeZone.length > limits.timeZoneCharacters || /^[+-]/.test(timeZone)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }));
  } catch {
    return false;
  }
};
