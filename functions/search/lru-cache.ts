/** Values that a process keeps between requests, up to a total size. The least recently used are removed. */
export class LruCache<V> {
  readonly #maxSize: number;
  /** The least recently used first. */
  readonly #entries = new Map<string, { value: V; size: number }>();
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Keeps a value as the most recently used one. */
  set(key: string, value: V, size: number): void {
    this.delete(key);
    this.#entries.set(key, { value, size });
    this.#size += size;
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }

  /** Forgets the least recently used values, if all are too large together. */
  evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) return;
      this.delete(key);
    }
  }
}
