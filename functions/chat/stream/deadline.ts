/** Returned by `Deadline.wait` when the deadline comes first. */
export const expired = Symbol('expired');

/** A deadline on the clock of `performance.now()`. */
export class Deadline {
  readonly #at: number;

  constructor(milliseconds: number, since = performance.now()) {
    this.#at = since + milliseconds;
  }

  /** Returns the result of a promise, or `expired` at the deadline. It does not cancel the promise. */
  async wait<T>(promise: Promise<T>): Promise<T | typeof expired> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<typeof expired>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, this.#at - performance.now()), expired);
    });
    return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
  }
}
