const LINE_BREAK = 0x0a;
const COLON = 0x3a;

/**
 * Finds the messages in an event stream without parsing them, because it shares the machine with
 * the server. Text between two empty lines is a message, unless it begins with a colon.
 */
export class EventReader {
  readonly #onMessage: () => void;
  #chunks: Buffer[] = [];
  #last: Buffer[] = [];

  constructor(onMessage: () => void) {
    this.#onMessage = onMessage;
  }

  /** The data of the last message. */
  get last(): string {
    const text = Buffer.concat(this.#last).toString();
    return text.slice(text.indexOf('data: ') + 'data: '.length).trimEnd();
  }

  read(chunk: Buffer): void {
    let from = 0;
    for (let end = this.#endIn(chunk, 0); end !== -1; end = this.#endIn(chunk, from)) {
      this.#chunks.push(chunk.subarray(from, end));
      this.#finish();
      from = end;
    }
    if (from < chunk.length) this.#chunks.push(chunk.subarray(from));
  }

  /** The position after the next empty line, whose first half may be in the previous chunk. */
  #endIn(chunk: Buffer, from: number): number {
    const before = from === 0 ? this.#chunks.at(-1)?.at(-1) : undefined;
    if (before === LINE_BREAK && chunk[0] === LINE_BREAK) return 1;
    const at = chunk.indexOf('\n\n', from);
    return at === -1 ? -1 : at + 2;
  }

  #finish(): void {
    const [first] = this.#chunks;
    const isMessage = first?.[0] !== COLON;
    if (isMessage) {
      this.#last = this.#chunks;
      this.#onMessage();
    }
    this.#chunks = [];
  }
}
