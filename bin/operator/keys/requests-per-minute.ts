import { limits } from '../../../functions/domain/limits.ts';
import { wholeNumber } from '../../command-line/arguments.ts';

/** Parses the limit of a key. */
export const requestsPerMinute = wholeNumber(1, limits.requestsPerMinute);

/** Parses the limit of a key, or `none`. */
export const requestsPerMinuteOrNone = (text: string): number | 'none' =>
  text === 'none' ? text : requestsPerMinute(text);
