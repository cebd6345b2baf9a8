/** Arrays up to this size share a piece of memory; larger ones have their own. */
const SMALL_BYTES = 16_384;

/** Maximum size to which pieces grow: a single array in use keeps its whole piece in memory. */
const MAX_BYTES = 65_536;

/** Every array begins at a multiple of this number of bytes. */
const ALIGNMENT = 8;

/**
 * Allocates arrays of zeros in memory that threads share. Creating a piece of shared memory and
 * passing it to another thread costs tens of microseconds, as much as filling a small array. So the
 * small arrays of one task lie together in larger pieces.
 */
export class SharedArrays {
  #piece = new SharedArrayBuffer(0);
  #used = 0;

  words(length: number): Uint32Array {
    const { buffer, from } = this.#take(length * Uint32Array.BYTES_PER_ELEMENT);
    return new Uint32Array(buffer, from, length);
  }

  shorts(length: number): Uint16Array {
    const { buffer, from } = this.#take(length * Uint16Array.BYTES_PER_ELEMENT);
    return new Uint16Array(buffer, from, length);
  }

  singles(length: number): Float32Array {
    const { buffer, from } = this.#take(length * Float32Array.BYTES_PER_ELEMENT);
    return new Float32Array(buffer, from, length);
  }

  doubles(length: number): Float64Array {
    const { buffer, from } = this.#take(length * Float64Array.BYTES_PER_ELEMENT);
    return new Float64Array(buffer, from, length);
  }

  #take(bytes: number): { readonly buffer: SharedArrayBuffer; readonly from: number } {
    if (bytes > SMALL_BYTES) return { buffer: new SharedArrayBuffer(bytes), from: 0 };
    const size = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    if (this.#used + size > this.#piece.byteLength) {
      const next = Math.min(MAX_BYTES, 4 * this.#piece.byteLength);
      this.#piece = new SharedArrayBuffer(Math.max(size, next));
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += size;
    return { buffer: this.#piece, from };
  }
}
