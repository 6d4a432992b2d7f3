/**
 * Runs work with bounded concurrency and shares it among users: a free slot goes to the user with the least work
 * running, in turn. The last slot is for users with none running, so that nobody's backlog delays somebody else.
 */
export class FairQueue {
  readonly #concurrency: number;
  /** By user; the user who was served longest ago comes first. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  readonly #running = new Map<string, number>();

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  add(user: string, work: () => Promise<void>): void {
    const waiting = this.#waiting.get(user);
    if (waiting) waiting.push(work);
    else this.#waiting.set(user, [work]);
    this.#startNext();
  }

  #startNext(): void {
    const free = this.#concurrency - [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    const runningOf = (user: string) => this.#running.get(user) ?? 0;
    const [user] = [...this.#waiting.keys()].sort((a, b) => runningOf(a) - runningOf(b));
    if (user === undefined || free < 1 || (free === 1 && runningOf(user) > 0)) return;
    const [work, ...rest] = this.#waiting.get(user) ?? [];
    this.#waiting.delete(user);
    if (rest.length > 0) this.#waiting.set(user, rest);
    this.#running.set(user, runningOf(user) + 1);
    work?.().finally(() => {
      const left = runningOf(user) - 1;
      if (left > 0) this.#running.set(user, left);
      else this.#running.delete(user);
      this.#startNext();
    });
  }
}
