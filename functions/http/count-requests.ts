import { hashApiKey } from '../domain/api-keys.ts';
import { tooManyRequests } from '../domain/errors.ts';
import { type RequestAllowance, type RequestCounts, RequestWindow, windowSeconds } from '../domain/request-window.ts';
import { log } from '../log.ts';
import { requestCounts } from '../store/request-counts.ts';

/** The counts of a key that was limited when this process last saw it, and the write of them that is under way. */
type Counted = { window: RequestWindow; seen: RequestCounts; writing?: Promise<void> };

/** By the hash of the key. */
const counted = new Map<string, Counted>();
const maxCounted = 10_000;

/** A request whose key may be limited. `written` ends with the write of earlier requests, and never fails. */
export type CountedRequest = {
  written: Promise<void> | undefined;
  /** Counts the request once, against the limit of its key. Returns what is left; undefined for a key without a limit. */
  admit(limit: number | undefined): Promise<RequestAllowance | undefined>;
};

/** Begins to write or read the counts of a key that was limited before, beside the reads of the request. */
export const beginCounting = (apiKey: string, requestId: string): CountedRequest => {
  const hash = hashApiKey(apiKey);
  const known = counted.get(hash);
  const written = known && beginWrite(hash, known, requestId);
  // A write returns the counts.
  const learned = written ?? (known && learnCounts(hash, known, requestId));
  let admission: Promise<RequestAllowance | undefined> | undefined;
  const admit = async (limit: number | undefined) => {
    if (limit === undefined) {
      counted.delete(hash);
      return undefined;
    }
    const one = counted.get(hash) ?? remember(hash);
    await (learned ?? learnCounts(hash, one, requestId));
    const { isTaken, ...allowance } = one.window.take(limit, Date.now());
    if (!isTaken) throw tooManyRequests(allowance);
    return allowance;
  };
  return {
    written,
    admit: (limit) => {
      admission ??= admit(limit);
      return admission;
    },
  };
};

const remember = (hash: string): Counted => {
  const one = { window: new RequestWindow(), seen: new Map() };
  counted.set(hash, one);
  if (counted.size > maxCounted) counted.delete(counted.keys().next().value as string);
  return one;
};

/** Counts that cannot be read or written let requests through. */
const learnCounts = async (hash: string, one: Counted, requestId: string): Promise<void> => {
  try {
    learn(one, await requestCounts.get().read(hash));
  } catch (error) {
    log('error', { requestId, unreadCounts: (error as Error).name });
  }
};

/** Begins to write what is due. Returns the write under way, if any. */
const beginWrite = (hash: string, one: Counted, requestId: string): Promise<void> | undefined => {
  const counts = one.window.beginWrite(Date.now(), performance.now());
  if (counts)
    one.writing = writeCounts(hash, one, counts, requestId).finally(() => {
      one.writing = undefined;
    });
  return one.writing;
};

const writeCounts = async (hash: string, one: Counted, counts: RequestCounts, requestId: string): Promise<void> => {
  try {
    learn(one, await requestCounts.get().add(hash, counts, one.seen));
  } catch (error) {
    one.window.failWrite(counts);
    log('error', { requestId, unwrittenCounts: (error as Error).name });
  }
};

const learn = (one: Counted, counts: RequestCounts) => {
  one.window.learn(counts);
  one.seen = counts;
};

/** Returns the headers of draft-ietf-httpapi-ratelimit-headers-11. */
export const rateLimitHeaders = ({ limit, remaining, waitSeconds }: RequestAllowance): Record<string, string> => ({
  'ratelimit-policy': `"key";q=${limit};w=${windowSeconds}`,
  ratelimit: `"key";r=${remaining};t=${waitSeconds}`,
});
