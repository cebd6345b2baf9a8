import { LIMITS } from '../../domain/limits.ts';

type UnreadLimits = {
  /** Bytes of all answers together. */
  readonly unreadBytes: number;
  readonly unreadBytesPerAddress: number;
  /** How long a reader may take nothing while there are too many bytes. */
  readonly stuckReaderMs: number;
};

/** The answers to one address. */
class Address {
  readonly answers = new Set<UnreadAnswer>();
  /** Calls that wait for room, in order. */
  readonly waiting: (() => void)[] = [];
  bytes = 0;
  /** The answer that is rendered whatever its size. */
  exempt: UnreadAnswer | null = null;

  get isIdle(): boolean {
    return this.answers.size + this.waiting.length === 0;
  }
}

/**
 * Bounds the bytes of answers that are rendered but not taken by their readers, of one address and
 * of all together. One answer may be larger than the limit: then nothing else is rendered for its
 * address, and it counts for the process as the most that an address may have. While there are too
 * many, readers that take nothing are disconnected, beginning with those that have taken least.
 */
export class UnreadAnswers {
  readonly #limits: UnreadLimits;
  readonly now: () => number;
  readonly #addresses = new Map<string, Address>();
  #bytes = 0;
  #waiting = 0;
  #check: NodeJS.Timeout | null = null;

  constructor(limits: UnreadLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.now = now;
  }

  /** Bytes that count for the whole process. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of addresses with answers. */
  get addresses(): number {
    return this.#addresses.size;
  }

  /** Returns an answer to an address, of no bytes yet. */
  open(address: string): UnreadAnswer {
    return new UnreadAnswer(this, address);
  }

  /** Sets the bytes of an answer. */
  resize(answer: UnreadAnswer, bytes: number): Address {
    const address = this.#addresses.get(answer.address) ?? new Address();
    this.#addresses.set(answer.address, address);
    address.answers.add(answer);
    const before = this.#counted(address);
    address.bytes += bytes - answer.bytes;
    answer.bytes = bytes;
    this.#bytes += this.#counted(address) - before;
    return address;
  }

  #counted({ bytes }: Address): number {
    return Math.min(bytes, this.#limits.unreadBytesPerAddress);
  }

  hasRoom({ bytes }: Address): boolean {
    const { unreadBytesPerAddress, unreadBytes } = this.#limits;
    return bytes <= unreadBytesPerAddress && this.#bytes <= unreadBytes;
  }

  release(answer: UnreadAnswer): void {
    const address = this.#addresses.get(answer.address);
    if (!address?.answers.has(answer)) return;
    this.resize(answer, 0);
    address.answers.delete(answer);
    if (address.exempt === answer) address.exempt = null;
    if (address.isIdle) this.#addresses.delete(answer.address);
    this.admit();
  }

  /** Resolves when the answer may be rendered whatever its size. */
  turn(answer: UnreadAnswer, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const address = this.resize(answer, 0);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting -= 1;
        signal.removeEventListener('abort', giveUp);
      };
      const begin = () => {
        leave();
        address.exempt = answer;
        resolve();
      };
      const giveUp = () => {
        leave();
        address.waiting.splice(address.waiting.indexOf(begin), 1);
        this.release(answer);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      address.waiting.push(begin);
      this.#waiting += 1;
      this.admit();
      this.watch();
    });
  }

  /** Lets answers begin for which there is room by now. */
  admit(): void {
    if (this.#waiting === 0) return;
    for (const address of this.#addresses.values()) {
      if (address.exempt === null && this.hasRoom(address)) address.waiting.shift()?.();
    }
  }

  /** Looks for readers that take nothing, as long as there are too many bytes. */
  watch(): void {
    if (this.#check !== null || [...this.#addresses.values()].every((at) => this.hasRoom(at)))
      return;
    this.#check = setTimeout(() => {
      this.#check = null;
      this.#disconnectStuck();
      this.watch();
    }, this.#limits.stuckReaderMs / 10).unref();
  }

  #disconnectStuck(): void {
    const since = this.now() - this.#limits.stuckReaderMs;
    const isStuck = ({ movedAt }: UnreadAnswer) => movedAt !== null && movedAt <= since;
    const stuck = [...this.#addresses.values()].flatMap((address) =>
      [...address.answers].filter(isStuck).map((answer) => ({ answer, address })),
    );
    for (const { answer, address } of stuck.sort((a, b) => a.answer.taken - b.answer.taken)) {
      if (this.hasRoom(address)) continue;
      answer.disconnect();
      this.release(answer);
    }
  }
}

/** One answer, as far as its reader has not taken it. */
export class UnreadAnswer {
  readonly #all: UnreadAnswers;
  readonly address: string;
  /** Changed only by `UnreadAnswers`. */
  bytes = 0;
  /** Bytes that the reader has taken. */
  taken = 0;
  /** When it was complete, or its reader last took something; null: it is not complete. */
  movedAt: number | null = null;
  /** Ends its connection. */
  disconnect: () => void = () => undefined;
  #isClosed = false;

  constructor(all: UnreadAnswers, address: string) {
    this.#all = all;
    this.address = address;
  }

  /**
   * Notes that the answer has so many bytes by now. Returns false if its address has too many: the
   * answer has to be dropped, and rendered again after `turn`.
   */
  grow(bytes: number): boolean {
    if (this.#isClosed || bytes <= LIMITS.smallAnswerBytes) return true;
    const address = this.#all.resize(this, bytes);
    if (address.exempt === this || this.#all.hasRoom(address)) return true;
    this.release();
    return false;
  }

  turn(signal: AbortSignal): Promise<void> {
    return this.#all.turn(this, signal);
  }

  /** Notes that the answer is complete. */
  complete(bytes: number, disconnect: () => void): void {
    if (this.#isClosed) return;
    const address = this.#all.resize(this, bytes);
    if (address.exempt === this) address.exempt = null;
    this.movedAt = this.#all.now();
    this.disconnect = disconnect;
    this.#all.admit();
    this.#all.watch();
  }

  /** Notes that the reader has taken so many bytes more. */
  take(bytes: number): void {
    if (bytes === 0 || this.bytes === 0) return;
    this.#all.resize(this, this.bytes - bytes);
    this.taken += bytes;
    this.movedAt = this.#all.now();
    this.#all.admit();
  }

  /** Forgets its bytes until it has some again. */
  release(): void {
    this.#all.release(this);
  }

  /** Call when the reader has taken all, or has gone: what is still under way counts no more. */
  close(): void {
    this.#isClosed = true;
    this.release();
  }
}
