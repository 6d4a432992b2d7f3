import * as z from 'zod/mini';
import { describe } from './describe.ts';

/** The purpose that stands for all of them. */
export const allPurposes = '*';
export const purposePattern = /^[a-z][a-z0-9_]{0,31}$/;
export const purposeError = 'must begin with a letter and have 1 to 32 of a-z 0-9 _';

/** What people are called for, such as `marketing`. */
export const Purpose = z
  .string()
  .check(
    z.regex(purposePattern, { error: purposeError }),
    describe('What people are called for.', 'marketing', { pattern: purposePattern.source }),
  );

/** A record as decisions need it, with times in Unix milliseconds. */
export type ConsentEntry = {
  purpose: string;
  state: 'given' | 'revoked';
  consentId: string;
  at: number;
  expiresAt?: number;
};

/** The state of a consent, and the record that decides. */
export type ConsentState = { state: 'given' | 'revoked' | 'expired' | 'none'; entry?: ConsentEntry };

/**
 * Decides whether a person has consented to a purpose, as of a moment (Unix milliseconds): by the latest record with this purpose
 * or `*` that is not after it. At the same time, a revocation counts, and of given consents the one that is over first.
 */
export const decideConsent = (entries: ConsentEntry[], purpose: string, moment: number): ConsentState => {
  let last: ConsentEntry | undefined;
  for (const entry of entries) {
    const isConcerned = (entry.purpose === purpose || entry.purpose === allPurposes) && entry.at <= moment;
    if (isConcerned && (!last || compareEntries(entry, last) > 0)) last = entry;
  }
  if (!last) return { state: 'none' };
  const isOver = last.state === 'given' && (last.expiresAt ?? Number.POSITIVE_INFINITY) <= moment;
  return { state: isOver ? 'expired' : last.state, entry: last };
};

/** Returns more than zero where one record comes before another in a decision. */
const compareEntries = (one: ConsentEntry, other: ConsentEntry): number => {
  if (one.at !== other.at) return one.at - other.at;
  if (one.state !== other.state) return one.state === 'revoked' ? 1 : -1;
  const [end, otherEnd] = [one, other].map(({ expiresAt = Number.MAX_VALUE }) => expiresAt) as [number, number];
  if (end !== otherEnd) return otherEnd - end;
  return one.consentId < other.consentId ? 1 : -1;
};

export const consentCauses = ['no_consent', 'consent_revoked', 'consent_expired'] as const;
export type ConsentCause = (typeof consentCauses)[number];
/** The consent by which a person may be called, or why there is none. */
export type ConsentVerdict = { consentId: string; cause?: never } | { cause: ConsentCause; consentId?: never };

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Decides whether an agent may call a person, as of a moment (Unix milliseconds). */
export const requireConsent = (
  { purpose, maxAgeDays }: { purpose: string; maxAgeDays?: number },
  entries: ConsentEntry[],
  moment: number,
): ConsentVerdict => {
  const { state, entry } = decideConsent(entries, purpose, moment);
  if (!entry || state === 'none') return { cause: 'no_consent' };
  if (state === 'revoked') return { cause: 'consent_revoked' };
  const isTooOld = maxAgeDays !== undefined && entry.at + maxAgeDays * dayMilliseconds <= moment;
  return state === 'expired' || isTooOld ? { cause: 'consent_expired' } : { consentId: entry.consentId };
};

/** Checks whether a person has revoked all purposes, and has given none since. */
export const hasRevokedAll = (entries: ConsentEntry[]): boolean => {
  const revokedAt = Math.max(...entries.filter(({ purpose }) => purpose === allPurposes).map(({ at }) => at));
  return Number.isFinite(revokedAt) && !entries.some(({ state, at }) => state === 'given' && at > revokedAt);
};
