/** A set of E.164 numbers in eight bytes each: all have at most 15 digits, which a double holds exactly. */
export class NumberSet {
  readonly #values: Float64Array;
  #size = 0;
  #isSorted = false;

  constructor(capacity: number) {
    this.#values = new Float64Array(capacity);
  }

  add(phone: string): void {
    this.#values[this.#size++] = Number(phone);
    this.#isSorted = false;
  }

  has(phone: string): boolean {
    const values = this.#values.subarray(0, this.#size);
    if (!this.#isSorted) values.sort();
    this.#isSorted = true;
    const wanted = Number(phone);
    let [low, high] = [0, values.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[middle] as number) < wanted) low = middle + 1;
      else high = middle;
    }
    return values[low] === wanted;
  }
}
