import { isJsonObject } from './json.ts';
import { millionthsOf } from './millionths.ts';

/** A currency has three capital letters, as in ISO 4217. */
export const currencyPattern = /^[A-Z]{3}$/;
/** The unit of a voice platform that tells no money. */
export const credits = 'credits';

/** The cost of a call that can be summed. */
type CallCost = { millionths: bigint; currency: string };

/** Reads the cost in a call's details. Returns undefined where there is none, and null for one that cannot be summed. */
export const readCost = (details: Record<string, unknown> = {}): CallCost | null | undefined => {
  const { cost } = details;
  if (cost === undefined || cost === null) return undefined;
  const { amount, currency } = isJsonObject(cost) ? cost : {};
  if (typeof amount !== 'number' || amount < 0 || typeof currency !== 'string') return null;
  const millionths = millionthsOf(amount);
  const isSummed = millionths !== undefined && (currency === credits || currencyPattern.test(currency));
  return isSummed ? { millionths, currency } : null;
};
