/** Writes numbers and texts to a growing buffer. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(4096);
  length = 0;

  /** Writes a whole number from 0 to 2^32 - 1; small ones take one byte. */
  number(value: number): void {
    this.#reserve(5);
    let rest = value >>> 0;
    while (rest >= 128) {
      this.#bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.length++] = rest;
  }

  numbers(values: Iterable<number>): void {
    for (const value of values) this.number(value);
  }

  /** Writes bytes, from a position on. */
  bytes(bytes: Buffer, from = 0): void {
    this.#reserve(bytes.length - from);
    this.length += bytes.copy(this.#bytes, this.length, from);
  }

  /** Writes a text after its length. */
  text(text: string): void {
    const bytes = Buffer.from(text);
    this.number(bytes.length);
    this.bytes(bytes);
  }

  get written(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.length + count));
    larger.set(this.written);
    this.#bytes = larger;
  }
}

/** Reads what a `ByteWriter` wrote, in the same order. */
export class ByteReader {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  }

  numbers(count: number): Uint32Array {
    const values = new Uint32Array(count);
    for (let index = 0; index < count; index++) values[index] = this.number();
    return values;
  }

  text(): string {
    const length = this.number();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  /** Reads a number of bytes without copying them. */
  take(length: number): Buffer {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}
