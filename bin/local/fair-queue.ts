/** The maximum work of one user for each slot that is free apart from the last one. */
const runningPerFreeSlot = 3;
/** While the machine is busy, a user's next work begins this long after the one before. */
const busyPauseMilliseconds = 1000;
const checkMilliseconds = 100;

/**
 * Runs work with bounded concurrency and shares it among users: a free slot goes to the user with the least work running, in
 * turn. No user takes more than three quarters of the slots. The last slot is for users without running work. So one user's
 * backlog does not delay the others. While `isBusy` says so, each user runs one piece of work a second.
 */
export class FairQueue {
  readonly #concurrency: number;
  readonly #isBusy: () => boolean;
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  readonly #running = new Map<string, number>();
  /** When each user was last served (milliseconds since the process began). */
  readonly #servedAt = new Map<string, number>();
  #check: NodeJS.Timeout | undefined;

  constructor(concurrency: number, isBusy = () => false) {
    this.#concurrency = concurrency;
    this.#isBusy = isBusy;
  }

  /** Adds work, which reports its own errors. */
  add(user: string, work: () => Promise<void>): void {
    const waiting = this.#waiting.get(user) ?? [];
    waiting.push(work);
    this.#waiting.set(user, waiting);
    this.#startAll();
  }

  #startAll(): void {
    while (this.#startNext());
    if (this.#waiting.size === 0 || !this.#isBusy()) return;
    this.#check ??= setTimeout(() => {
      this.#check = undefined;
      this.#startAll();
    }, checkMilliseconds).unref();
  }

  /** Returns false where no work may start. */
  #startNext(): boolean {
    const free = this.#concurrency - [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    const running = (user: string) => this.#running.get(user) ?? 0;
    const findServedTime = (user: string) => this.#servedAt.get(user) ?? Number.NEGATIVE_INFINITY;
    const isBusy = this.#isBusy();
    const now = performance.now();
    const mayStart = (user: string) =>
      isBusy
        ? free > 0 && running(user) === 0 && now - findServedTime(user) >= busyPauseMilliseconds
        : running(user) <= runningPerFreeSlot * (free - 1);
    const [user] = [...this.#waiting.keys()]
      .filter(mayStart)
      .sort((a, b) => running(a) - running(b) || findServedTime(a) - findServedTime(b));
    if (user === undefined) return false;
    const waiting = this.#waiting.get(user) ?? [];
    const work = waiting.shift();
    if (waiting.length === 0) this.#waiting.delete(user);
    this.#running.set(user, running(user) + 1);
    this.#servedAt.set(user, now);
    void Promise.allSettled([work?.()]).then(() => {
      if (running(user) > 1) this.#running.set(user, running(user) - 1);
      else this.#running.delete(user);
      this.#startAll();
    });
    return true;
  }
}
