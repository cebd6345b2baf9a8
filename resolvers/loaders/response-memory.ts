import { LRUCache } from 'lru-cache';
import type { VersionsRow } from '../../db/queries/select-versions.ts';
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

/**
 * Rendered answers that depend on nothing but what contexts hold at their versions, in a bounded
 * number of bytes. `name` is all that was asked, with whatever else decides what is answered; that
 * the caller may ask is known before. Another version of one of the contexts, and it is made anew.
 */
export class ResponseMemory {
  readonly tally = new Tally();
  readonly #kept: LRUCache<string, Kept> | null;

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

  /** Gives the answer as it is kept: as bytes, which are not made of text again and again. */
  keep(name: string, holdsAt: readonly VersionsRow[], rendered: Rendered): Rendered {
    if (!this.#kept) return rendered;
    const kept = { ...rendered, body: Buffer.from(rendered.body) };
    this.#kept.set(name, { rendered: kept, holdsAt });
    return kept;
  }

  clear(): void {
    this.#kept?.clear();
  }
}

const isSame = (then: VersionsRow, now: VersionsRow | undefined): boolean =>
  now !== undefined && now.version === then.version && now.textVersion === then.textVersion;
