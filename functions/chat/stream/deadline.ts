/** What `Deadline.wait` returns when the deadline comes first. */
export const expired = Symbol('expired');

/** A moment on the clock of `performance.now()` by which something must have happened. */
export class Deadline {
  readonly #at: number;

  constructor(milliseconds: number, since = performance.now()) {
    this.#at = since + milliseconds;
  }

  /** The outcome of a promise, or `expired` at the deadline. The promise itself is not canceled. */
  async wait<T>(promise: Promise<T>): Promise<T | typeof expired> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<typeof expired>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, this.#at - performance.now()), expired);
    });
    return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
  }
}
