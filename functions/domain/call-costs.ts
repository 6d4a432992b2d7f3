import { isJsonObject } from './json.ts';
import { limits } from './limits.ts';
import { toMillionths } from './millionths.ts';

/** A currency has three capital letters, as in ISO 4217. */
export const currencyPattern = /^[A-Z]{3}$/;
export const isCurrency = (value: unknown): value is string => typeof value === 'string' && currencyPattern.test(value);
/** The unit of a voice platform that names no currency. */
const credits = 'credits';

/** The cost that a platform reported of a call, and the place of its report among those of the call. A caller's own cost has none. */
export type ReportedCost = { amount: number; currency: string; order: number };

/** The cost of a call that can be summed. */
type CallCost = { millionths: bigint; currency: string };

type CallWithCost = { details?: Record<string, unknown>; reportedCost?: ReportedCost };

/** Checks for a cost that no call has: who knows the address of a platform's webhooks can report any. */
const isImplausible = ({ amount, currency }: ReportedCost) =>
  amount > (currency === credits ? limits.reportedCredits : limits.reportedCost);

/** Returns true if the cost in a call's details is the one that its platform reported. */
export const isReportedCost = (cost: unknown, reported: ReportedCost | undefined): boolean =>
  isJsonObject(cost) && cost.amount === reported?.amount && cost.currency === reported?.currency;

/** Reads the cost of a call. Returns undefined where there is none, and null for one that cannot be summed. */
export const readCost = ({ details = {}, reportedCost }: CallWithCost): CallCost | null | undefined => {
  const { cost } = details;
  if (cost === undefined || cost === null) return undefined;
  if (reportedCost && isReportedCost(cost, reportedCost) && isImplausible(reportedCost)) return null;
  const { amount, currency } = isJsonObject(cost) ? cost : {};
  if (typeof amount !== 'number' || amount < 0 || !(isCurrency(currency) || currency === credits)) return null;
  const millionths = toMillionths(amount);
  return millionths === undefined ? null : { millionths, currency };
};
