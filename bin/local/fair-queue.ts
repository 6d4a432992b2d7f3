/** The maximum work of one user for each slot that is free apart from the last one. */
const runningPerFreeSlot = 3;

/**
 * Runs work with bounded concurrency and shares it among users: a free slot goes to the user with the least work running, in
 * turn. No user takes more than three quarters of the slots. The last slot is for users without running work. So one user's
 * backlog does not delay the others.
 */
export class FairQueue {
  readonly #concurrency: number;
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  readonly #running = new Map<string, number>();
  /** The turn in which each user was last served, as an increasing number. */
  readonly #servedAt = new Map<string, number>();
  #served = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Adds work, which reports its own errors. */
  add(user: string, work: () => Promise<void>): void {
    this.#waiting.set(user, [...(this.#waiting.get(user) ?? []), work]);
    this.#startNext();
  }

  #startNext(): void {
    const free = this.#concurrency - [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    const running = (user: string) => this.#running.get(user) ?? 0;
    const servedAt = (user: string) => this.#servedAt.get(user) ?? 0;
    const [user] = [...this.#waiting.keys()].sort((a, b) => running(a) - running(b) || servedAt(a) - servedAt(b));
    if (user === undefined || running(user) > runningPerFreeSlot * (free - 1)) return;
    const [work, ...rest] = this.#waiting.get(user) ?? [];
    if (rest.length > 0) this.#waiting.set(user, rest);
    else this.#waiting.delete(user);
    this.#running.set(user, running(user) + 1);
    this.#servedAt.set(user, ++this.#served);
    void Promise.allSettled([work?.()]).then(() => {
      if (running(user) > 1) this.#running.set(user, running(user) - 1);
      else this.#running.delete(user);
      this.#startNext();
    });
  }
}
