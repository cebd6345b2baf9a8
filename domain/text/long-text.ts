/** Text: short as a string, long as chunks of UTF-8 bytes, which lie outside the heap. */
export type Piece = string | readonly Buffer[];

/** Characters that are collected before they become bytes. */
const CHUNK_CHARACTERS = 65_536;

export const isChunk = (characters: number): boolean => characters >= CHUNK_CHARACTERS;

const HALF = /[\ud800-\udbff]/;

/** Joins pieces in order. Text of several chunks is never a single string. */
export class LongText {
  #text = '';
  readonly #chunks: Buffer[] = [];

  add(piece: Piece): void {
    if (typeof piece === 'string') {
      this.#text += piece;
      if (isChunk(this.#text.length)) this.#flushPairs();
      return;
    }
    this.#flush();
    for (const chunk of piece) this.#chunks.push(chunk);
  }

  /** Returns everything that was added. */
  end(): Piece {
    if (this.#chunks.length === 0) return this.#text;
    this.#flush();
    return this.#chunks;
  }

  /** Keeps the first half of a surrogate pair, which the next piece may complete. */
  #flushPairs(): void {
    const last = this.#text.length - 1;
    const half = HALF.test(this.#text.charAt(last)) ? this.#text.charAt(last) : '';
    if (half !== '') this.#text = this.#text.slice(0, last);
    this.#flush();
    this.#text = half;
  }

  #flush(): void {
    if (this.#text !== '') this.#chunks.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

/** Returns pieces with `separator` between them as one. */
export function joinPieces(pieces: readonly Piece[], separator = ''): Piece {
  if (areStrings(pieces)) {
    // Flat text: V8 would keep every step of adding up strings.
    const text = pieces.join(separator);
    return isChunk(text.length) ? [Buffer.from(text)] : text;
  }
  const text = new LongText();
  for (const [i, piece] of pieces.entries()) {
    if (i > 0 && separator !== '') text.add(separator);
    text.add(piece);
  }
  return text.end();
}

const areStrings = (pieces: readonly Piece[]): pieces is readonly string[] =>
  pieces.every((piece) => typeof piece === 'string');

/** Text, or bytes that were encoded before. */
export type Body = Piece | Buffer;

export const textOf = (body: Body): string =>
  typeof body === 'string' ? body : bytesOf(body).toString();

/** Returns all as one: of long text this takes as much memory again. */
export const bytesOf = (body: Body): Buffer => {
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.isBuffer(body) ? body : Buffer.concat(body);
};

export const byteLength = (body: Body): number =>
  typeof body === 'string'
    ? Buffer.byteLength(body)
    : chunksOf(body).reduce((bytes, { length }) => bytes + length, 0);

export const chunksOf = (body: Exclude<Body, string>): readonly Buffer[] =>
  Buffer.isBuffer(body) ? [body] : body;
