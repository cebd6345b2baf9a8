import { AsyncResource } from 'node:async_hooks';
import { LIMITS } from '../../domain/limits.ts';

/** How one who asks reads, and how they wait for what is read for several. */
export type Reader<T> = {
  /** By themselves. */
  readonly own: () => Promise<T>;
  /** For all who wait; aborted when none of them does any longer. Of the first who waits only. */
  readonly together: (signal: AbortSignal) => Promise<T>;
  /** Before they wait: what they hold that others may need. */
  readonly letGo: () => void;
  /** As long as they may wait; fails when they may no longer. */
  readonly wait: <R>(what: Promise<R>) => Promise<R>;
  /** Whether what a read for several failed with is what each would meet by themselves. */
  readonly isCommon: (error: unknown) => boolean;
};

/**
 * What many ask for at once, each of whom must see what is there when they ask or later. A few read
 * by themselves; whoever comes while they do waits for the next read, which is one for all of them.
 * It begins after each of them has asked, when one of the reads before it is over or after
 * `LIMITS.sharedReadMs`, so that one that hangs holds up nobody for long.
 */
export class SharedReads {
  readonly #reads = new Map<string, Underway>();

  /**
   * What is read under a name. Where a read for several fails, each reads by themselves, but for
   * what would fail again.
   */
  async read<T>(name: string, reader: Reader<T>): Promise<T> {
    const reads = this.#reads.get(name) ?? new Underway(() => this.#reads.delete(name));
    this.#reads.set(name, reads);
    if (reads.isOpen) return reads.run(reader.own);
    const next = reads.next(reader);
    reader.letGo();
    const outcome = await next.waitedFor(reader.wait);
    if ('value' in outcome) return outcome.value as T;
    if (reader.isCommon(outcome.error)) throw outcome.error;
    return reader.own();
  }
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** The reads under one name. */
class Underway {
  #count = 0;
  #next: Next | null = null;
  readonly #onIdle: () => void;

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** Whether one more may read by themselves. */
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
    // It is begun where another one ends, and traced as part of the request that it is for.
    const traced = new AsyncResource('SharedRead');
    const begin = (signal: AbortSignal) => {
      this.#next = null;
      return traced.runInAsyncScope(() => this.run(() => together(signal)));
    };
    this.#next = new Next(begin);
    return this.#next;
  }
}

/** A read that has not begun, and those who wait for it. */
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

  /** There is room for it now. */
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

  /** Before it has begun somebody else may come, and once it is over there is nothing to stop. */
  #stopIfUnwanted(): void {
    if (this.#isUnderWay && this.#waiting === 0) this.#stop.abort();
  }
}
