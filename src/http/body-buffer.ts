const FIRST_BYTES = 16 * 1024;

/**
 * Collects the chunks of a body. Copies them into a buffer that doubles when it is full: a chunk of
 * one byte would keep the whole packet that it came with.
 */
export class BodyBuffer {
  readonly #maxBytes: number;
  #buffer = Buffer.alloc(0);
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes so far. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Adds a chunk. Returns false, and adds nothing, if the body would be too large. */
  add(chunk: Buffer): boolean {
    const size = this.#size + chunk.length;
    if (size > this.#maxBytes) {
      return false;
    }
    if (size > this.#buffer.length) {
      const doubled = Math.max(FIRST_BYTES, this.#buffer.length * 2, size);
      const grown = Buffer.alloc(Math.min(doubled, this.#maxBytes));
      this.bytes.copy(grown);
      this.#buffer = grown;
    }
    chunk.copy(this.#buffer, this.#size);
    this.#size = size;
    return true;
  }
}
