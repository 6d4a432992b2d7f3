/** A limited key's requests of one minute, by minutes since 1970 (UTC). */
export type RequestCounts = ReadonlyMap<number, number>;

/** What a limited key has left: sent as the headers of draft-ietf-httpapi-ratelimit-headers-11. */
export type RequestAllowance = { limit: number; remaining: number; waitSeconds: number };

export const windowSeconds = 60;
const windowMilliseconds = windowSeconds * 1000;
/** Instances write at most so often. */
const writeMilliseconds = 1000;

const findMinute = (at: number) => Math.floor(at / windowMilliseconds);

/**
 * Counts the requests of a key as one instance knows them: its own, and those that others have written. The window slides: the
 * minute before counts by its rest. Times are Unix milliseconds, except the monotonic `elapsed`.
 */
export class RequestWindow {
  readonly #own = new Map<number, number>();
  readonly #written = new Map<number, number>();
  readonly #others = new Map<number, number>();
  #writtenAt = Number.NEGATIVE_INFINITY;

  /** Takes a request if the key has any left, and returns what is left then. */
  take(limit: number, at: number): RequestAllowance & { isTaken: boolean } {
    const minute = findMinute(at);
    for (const counts of [this.#own, this.#written, this.#others]) forgetBefore(counts, minute - 1);
    const before = this.#weigh(limit, at);
    const isTaken = before.weight < limit;
    if (isTaken) add(this.#own, minute, 1);
    const { weight, waitUntilBelow } = this.#weigh(limit, at);
    const remaining = isTaken ? Math.max(0, Math.floor(limit - weight)) : 0;
    const wait = waitUntilBelow(isTaken ? limit - remaining - 1 : limit);
    return { isTaken, limit, remaining, waitSeconds: Math.min(windowSeconds, Math.ceil(wait / 1000)) };
  }

  /** Returns how many requests count at a time. */
  countUsed(limit: number, at: number): number {
    return Math.min(limit, Math.ceil(this.#weigh(limit, at).weight));
  }

  /** Returns the requests that are to be written now; undefined if there are none, or an earlier write was just now. */
  beginWrite(at: number, elapsed: number): RequestCounts | undefined {
    if (elapsed - this.#writtenAt < writeMilliseconds) return undefined;
    const minute = findMinute(at);
    const unwritten = [minute - 1, minute].flatMap((one) => {
      const count = get(this.#own, one) - get(this.#written, one);
      return count > 0 ? [[one, count] as const] : [];
    });
    if (unwritten.length === 0) return undefined;
    this.#writtenAt = elapsed;
    for (const [one, count] of unwritten) add(this.#written, one, count);
    return new Map(unwritten);
  }

  /** Writes again what was not written. */
  failWrite(counts: RequestCounts): void {
    for (const [minute, count] of counts) add(this.#written, minute, -count);
  }

  /** Learns the written counts of all instances. A write under way may be in them or not: the requests of others only grow. */
  learn(counts: RequestCounts): void {
    for (const [minute, count] of counts)
      this.#others.set(minute, Math.max(get(this.#others, minute), count - get(this.#written, minute)));
  }

  /** Returns the requests that count, and how long it takes until fewer than `target` do. */
  #weigh(limit: number, at: number) {
    const minute = findMinute(at);
    const elapsed = at - minute * windowMilliseconds;
    // More than the limit would make the next minute wait as well.
    const former = Math.min(limit, this.#total(minute - 1));
    // The clock of another instance may be in the next minute already.
    const present = this.#total(minute) + this.#total(minute + 1);
    const rest = windowMilliseconds - elapsed;
    const weight = (former * rest) / windowMilliseconds + present;
    const waitUntilBelow = (target: number) => {
      const [count, fixed, begins] =
        present < target ? [former, present, -elapsed] : [Math.min(limit, present), 0, rest];
      // Within its next minute, `count` decays: it must be below `target - fixed`.
      const decay = count === 0 ? 0 : Math.max(0, 1 - (target - fixed) / count) * windowMilliseconds;
      return Math.max(0, begins + decay) + 1;
    };
    return { weight, waitUntilBelow };
  }

  #total(minute: number): number {
    return get(this.#own, minute) + get(this.#others, minute);
  }
}

const get = (counts: RequestCounts, minute: number) => counts.get(minute) ?? 0;
const add = (counts: Map<number, number>, minute: number, count: number) =>
  counts.set(minute, get(counts, minute) + count);
const forgetBefore = (counts: Map<number, number>, minute: number) => {
  for (const one of counts.keys()) if (one < minute) counts.delete(one);
};
