import { LRUCache } from 'lru-cache';
import type { VersionsRow } from '../../db/sql/versions.ts';
import { type Body, byteLength } from '../../domain/text/long-text.ts';
import { CacheStats } from './cache-stats.ts';

/** An answer as it is sent to the client. */
export type Rendered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
};

/** Returns the current versions of a context; undefined if the caller may not read it. */
type VersionsOf = (contextId: number) => VersionsRow | undefined;

type Kept = { readonly rendered: Rendered; readonly validAt: readonly VersionsRow[] };

/** Approximate size of an answer and its compressed copies besides its body and its name. */
const ENTRY_BYTES = 2000;

/** Approximate size of a body, and of its copies compressed by Brotli and gzip, all remembered. */
export const sizeWithCopies = (bytes: number): number => ENTRY_BYTES + Math.ceil(1.5 * bytes);

/** Maximum number of remembered names of answers that are not cached. */
const MOMENTARY_NAMES = 1000;

/** A new answer. validAt: the versions at which it is valid; null: valid only at this moment. */
export type Made = {
  readonly rendered: Rendered;
  readonly validAt: readonly VersionsRow[] | null;
};

/**
 * A cache, of bounded size in bytes, of rendered answers that depend only on the data of contexts
 * at their versions. `name` contains the whole request and everything else that determines the
 * answer; access is checked before. If the version of one of the contexts changes, the answer is
 * made again, once for all requests that wait for it.
 */
export class ResponseCache {
  readonly tally = new CacheStats();
  readonly #kept: LRUCache<string, Kept> | null;
  /** Answers in progress: resolves, never rejects, when the answer is cached or will not be. */
  readonly #making = new Map<string, Promise<void>>();
  /** Names of answers that are valid only at their moment, or too large for the cache. */
  readonly #momentary = new LRUCache<string, true>({ max: MOMENTARY_NAMES });

  /** maxBytes 0: nothing is cached. */
  constructor(maxBytes: number) {
    const sizeCalculation = ({ rendered }: Kept, name: string) =>
      sizeWithCopies(byteLength(rendered.body)) + 2 * name.length;
    this.#kept = maxBytes > 0 ? new LRUCache({ maxSize: maxBytes, sizeCalculation }) : null;
  }

  get bytes(): number {
    return this.#kept?.calculatedSize ?? 0;
  }

  find(name: string, versionsOf: VersionsOf): Rendered | null {
    if (!this.#kept) return null;
    const kept = this.#kept.get(name);
    const holds = kept?.validAt.every((then) => isSame(then, versionsOf(then.contextId))) ?? false;
    this.tally.count(holds ? 1 : 0, holds ? 0 : 1);
    return holds && kept ? kept.rendered : null;
  }

  /** Resolves when another request has made the answer of this name; null: nothing to wait for. */
  underway(name: string): Promise<void> | null {
    return this.#momentary.has(name) ? null : (this.#making.get(name) ?? null);
  }

  /** Makes an answer. Returns it as cached: as bytes, so that its text is not encoded each time. */
  async make(name: string, work: () => Promise<Made>): Promise<Rendered> {
    const kept = this.#kept;
    if (!kept) return (await work()).rendered;
    const making = this.#make(kept, name, work);
    if (!this.#making.has(name)) {
      const over = making.then(
        () => {},
        () => {},
      );
      this.#making.set(name, over);
      void over.then(() => this.#making.delete(name));
    }
    return making;
  }

  async #make(
    kept: LRUCache<string, Kept>,
    name: string,
    work: () => Promise<Made>,
  ): Promise<Rendered> {
    const { rendered, validAt } = await work();
    if (validAt === null) {
      this.#momentary.set(name, true);
      return rendered;
    }
    const { body } = rendered;
    const asBytes = { ...rendered, body: typeof body === 'string' ? Buffer.from(body) : body };
    // A request that began before an import may end after one that has seen it.
    if (!isOlder(validAt, kept.peek(name))) kept.set(name, { rendered: asBytes, validAt });
    // Requests would wait in vain, one after another, for an answer that does not fit.
    if (kept.has(name)) this.#momentary.delete(name);
    else this.#momentary.set(name, true);
    return asBytes;
  }

  clear(): void {
    this.#kept?.clear();
    this.#momentary.clear();
  }
}

const isSame = (then: VersionsRow, now: VersionsRow | undefined): boolean =>
  now !== undefined &&
  now.history === then.history &&
  now.version === then.version &&
  now.textVersion === then.textVersion;

const isOlder = (validAt: readonly VersionsRow[], kept: Kept | undefined): boolean =>
  validAt.some((now) =>
    kept?.validAt.some(
      (then) =>
        then.contextId === now.contextId &&
        then.history === now.history &&
        (then.version > now.version || then.textVersion > now.textVersion),
    ),
  );

/** Waits until `underway` settles. Returns false if the signal is aborted first. */
export const settledBefore = (signal: AbortSignal, underway: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    const giveUp = () => resolve(false);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void underway.then(() => {
      signal.removeEventListener('abort', giveUp);
      resolve(true);
    });
  });
