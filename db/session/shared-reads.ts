import { AsyncResource } from 'node:async_hooks';
import { LIMITS } from '../../domain/limits.ts';

/** How one request reads, and how it waits for a shared read. */
export type Reader<T> = {
  /** Reads for this request alone. */
  readonly own: () => Promise<T>;
  /**
   * Reads for all waiting requests; aborted when none of them waits any longer. Only that of the
   * first waiting request is called.
   */
  readonly together: (signal: AbortSignal) => Promise<T>;
  /** Called before the request waits. Releases what it holds and others may need. */
  readonly release: () => void;
  /** Waits as long as the request may; fails when it may no longer. */
  readonly wait: <R>(what: Promise<R>) => Promise<R>;
  /**
   * Whether the error of a shared read is one that each request would also get by reading alone.
   */
  readonly isCommon: (error: unknown) => boolean;
};

/**
 * Shares reads among many concurrent requests, each of which must see the data as of its own call
 * or later. The first few requests read alone. Requests that arrive during those reads wait for the
 * next read, which is one for all of them. It begins after each of them has asked: when one of the
 * reads before it ends, or after `LIMITS.sharedReadMs`, so that a read that hangs does not delay
 * them for long.
 */
export class SharedReads {
  readonly #reads = new Map<string, Underway>();

  /**
   * Returns what is read under a name. If a shared read fails, each request reads alone, unless
   * that would fail with the same error.
   */
  async read<T>(name: string, reader: Reader<T>): Promise<T> {
    const reads = this.#reads.get(name) ?? new Underway(() => this.#reads.delete(name));
    this.#reads.set(name, reads);
    if (reads.isOpen) return reads.run(reader.own);
    const next = reads.next(reader);
    reader.release();
    const outcome = await next.waitedFor(reader.wait);
    if ('value' in outcome) return outcome.value as T;
    if (reader.isCommon(outcome.error)) throw outcome.error;
    return reader.own();
  }
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** The reads in progress under one name. */
class Underway {
  #count = 0;
  #next: Next | null = null;
  readonly #onIdle: () => void;

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** Whether one more request may read alone. */
  get isOpen(): boolean {
    return this.#next === null && this.#count < LIMITS.sharedReads;
  }

  async run<T>(read: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await read();
    } finally {
      this.#count -= 1;
      if (this.#next) this.#next.begin();
      else if (this.#count === 0) this.#onIdle();
    }
  }

  next({ together }: Pick<Reader<unknown>, 'together'>): Next {
    if (this.#next) return this.#next;
    // The read begins where another one ends, but is traced as part of the request that it is for.
    const traced = new AsyncResource('SharedRead');
    const begin = (signal: AbortSignal) => {
      this.#next = null;
      return traced.runInAsyncScope(() => this.run(() => together(signal)));
    };
    this.#next = new Next(begin);
    return this.#next;
  }
}

/** A read that has not begun yet, and the requests that wait for it. */
class Next {
  readonly #read: (signal: AbortSignal) => Promise<unknown>;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #tell: ((outcome: Outcome) => void)[] = [];
  #waiting = 0;
  #isUnderWay = false;

  constructor(read: (signal: AbortSignal) => Promise<unknown>) {
    this.#read = read;
    this.#timer = setTimeout(() => this.begin(), LIMITS.sharedReadMs);
  }

  /** Begins the read: an earlier read has ended, or the wait for one is over. */
  begin(): void {
    clearTimeout(this.#timer);
    this.#isUnderWay = true;
    this.#stopIfUnwanted();
    const tell = (outcome: Outcome): void => {
      this.#isUnderWay = false;
      for (const each of this.#tell) each(outcome);
    };
    this.#read(this.#stop.signal).then(
      (value) => tell({ value }),
      (error: unknown) => tell({ error }),
    );
  }

  async waitedFor(wait: <R>(what: Promise<R>) => Promise<R>): Promise<Outcome> {
    this.#waiting += 1;
    const told = new Promise<Outcome>((resolve) => this.#tell.push(resolve));
    try {
      return await wait(told);
    } finally {
      this.#waiting -= 1;
      this.#stopIfUnwanted();
    }
  }

  /**
   * Aborts the running read if nobody waits for it. Before the read begins, more requests may still
   * come; after it ends, there is nothing to abort.
   */
  #stopIfUnwanted(): void {
    if (this.#isUnderWay && this.#waiting === 0) this.#stop.abort();
  }
}
