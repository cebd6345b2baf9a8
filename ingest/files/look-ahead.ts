import type { PortRule } from '../flows/flow.ts';
import { createWayFinder } from '../formats/nfdump/nfdump-ways.ts';
import type { ImportFormat } from './import-format.ts';
import type { ImportSource } from './import-source.ts';
import { contentDigest } from './read-content.ts';
import { spoolSource } from './spool-source.ts';

export type LookAheadOptions = {
  readonly source: ImportSource;
  readonly format: ImportFormat;
  /** The rule for flows that are told in one direction. */
  readonly portRule: PortRule;
  readonly signal: AbortSignal | undefined;
};

/** What is known of a source before any of it is imported. */
export type LookAhead = {
  /** The source, or a copy of it that can be read again. */
  readonly source: ImportSource;
  /** SHA-256 of the content; null for a source that can be read only once. */
  readonly digest: Buffer | null;
  /** Whether nfdump paired directions; null where that is not asked. */
  readonly isTwoWay: boolean | null;
};

/**
 * Reads a source once before the import that `work` does, as far as that is of use: content that was
 * imported already is then refused before any work is done, and only a whole file of nfdump tells
 * whether it was made with -B. Memory is bounded: a pipe is copied to a temporary file for that.
 */
export async function withLookAhead<T>(
  options: LookAheadOptions,
  work: (known: LookAhead) => Promise<T>,
): Promise<T> {
  const { source, format, portRule, signal } = options;
  const asksForWays = format === 'nfdump' && portRule === 'registered';
  if (!asksForWays) {
    const digest = source.isRepeatable ? await contentDigest(source, { signal }) : null;
    return work({ source, digest, isTwoWay: null });
  }
  const spooled = source.isRepeatable ? null : await spoolSource(source, signal);
  try {
    const repeatable = spooled?.source ?? source;
    const ways = createWayFinder();
    const digest = await contentDigest(repeatable, { signal, onBlock: ways.push });
    return await work({ source: repeatable, digest, isTwoWay: ways.end() });
  } finally {
    await spooled?.remove();
  }
}
