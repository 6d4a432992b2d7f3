/** Requests without a failure after which the pace doubles. */
const successesToGrow = 4;

/**
 * The size and the number of parallel requests. Both are halved when the service is too slow. A few successful requests double
 * them again, up to their initial values.
 */
export class Pace {
  readonly #max: { rows: number; parallel: number };
  readonly #waiting: (() => void)[] = [];
  #rows: number;
  #parallel: number;
  #running = 0;
  #successes = 0;

  constructor(rows: number, parallel: number) {
    this.#max = { rows, parallel };
    this.#rows = rows;
    this.#parallel = parallel;
  }

  /** The maximum number of rows of the next request. */
  get rows() {
    return this.#rows;
  }

  /** Runs a request when fewer are running than may be in parallel. */
  async run<T>(request: () => Promise<T>): Promise<T> {
    while (this.#running >= this.#parallel) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await request();
    } finally {
      this.#running--;
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }

  slowDown() {
    this.#successes = 0;
    this.#set(this.#rows / 2, this.#parallel / 2);
  }

  /** Counts a request that succeeded. */
  succeed() {
    this.#successes++;
    if (this.#successes % successesToGrow === 0) this.#set(this.#rows * 2, this.#parallel * 2);
  }

  #set(rows: number, parallel: number) {
    this.#rows = Math.min(this.#max.rows, Math.max(1, Math.floor(rows)));
    this.#parallel = Math.min(this.#max.parallel, Math.max(1, Math.floor(parallel)));
  }
}
