import { LRUCache } from 'lru-cache';
import type { VersionsRow } from '../../../db/queries/select-versions.ts';
import { Tally } from './tally.ts';

/** An answer as a caller gets it. */
export type Rendered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
};

/** What a context is at now; undefined: whoever asks may not read it. */
export type VersionsOf = (contextId: number) => VersionsRow | undefined;

type Kept = { readonly rendered: Rendered; readonly holdsAt: readonly VersionsRow[] };

/** About what an answer takes besides its body and its name. */
const ENTRY_BYTES = 1000;

/** How many names of answers are known that are not kept. */
const MOMENTARY_NAMES = 1000;

/** An answer that was made; holdsAt null: it holds for this moment only. */
export type Made = {
  readonly rendered: Rendered;
  readonly holdsAt: readonly VersionsRow[] | null;
};

/**
 * Rendered answers that depend on nothing but what contexts hold at their versions, in a bounded
 * number of bytes. `name` is all that was asked, with whatever else decides what is answered; that
 * the caller may ask is known before. Another version of one of the contexts, and it is made anew:
 * once for all who ask meanwhile.
 */
export class ResponseMemory {
  readonly tally = new Tally();
  readonly #kept: LRUCache<string, Kept> | null;
  /** What is being made: settles, never fails, when the answer is kept or there will be none. */
  readonly #making = new Map<string, Promise<void>>();
  /** Answers that hold for a moment only, or are too large to be kept. */
  readonly #momentary = new LRUCache<string, true>({ max: MOMENTARY_NAMES });

  /** maxBytes 0: nothing is remembered. */
  constructor(maxBytes: number) {
    const sizeCalculation = ({ rendered }: Kept, name: string) =>
      ENTRY_BYTES + rendered.body.length + 2 * name.length;
    this.#kept = maxBytes > 0 ? new LRUCache({ maxSize: maxBytes, sizeCalculation }) : null;
  }

  get bytes(): number {
    return this.#kept?.calculatedSize ?? 0;
  }

  find(name: string, versionsOf: VersionsOf): Rendered | null {
    if (!this.#kept) return null;
    const kept = this.#kept.get(name);
    const holds = kept?.holdsAt.every((then) => isSame(then, versionsOf(then.contextId))) ?? false;
    this.tally.count(holds ? 1 : 0, holds ? 0 : 1);
    return holds && kept ? kept.rendered : null;
  }

  /** When what somebody else is making under this name is there; null: nobody is. */
  underway(name: string): Promise<void> | null {
    return this.#momentary.has(name) ? null : (this.#making.get(name) ?? null);
  }

  /** Gives the answer as it is kept: as bytes, which are not made of text again and again. */
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
    const { rendered, holdsAt } = await work();
    if (holdsAt === null) {
      this.#momentary.set(name, true);
      return rendered;
    }
    const asBytes = { ...rendered, body: Buffer.from(rendered.body) };
    // Whoever began before an import may end after those who have seen it.
    if (!isOlder(holdsAt, kept.peek(name))) kept.set(name, { rendered: asBytes, holdsAt });
    // What there is no room for would be waited for in vain, by one after the other.
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

const isOlder = (holdsAt: readonly VersionsRow[], kept: Kept | undefined): boolean =>
  holdsAt.some((now) =>
    kept?.holdsAt.some(
      (then) =>
        then.contextId === now.contextId &&
        then.history === now.history &&
        (then.version > now.version || then.textVersion > now.textVersion),
    ),
  );
