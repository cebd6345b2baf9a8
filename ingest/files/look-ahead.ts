import type { PortRule } from '../flows/flow.ts';
import { createWayFinder } from '../formats/nfdump/nfdump-ways.ts';
import type { ImportFormat } from './import-format.ts';
import { type ImportSource, untilAborted } from './import-source.ts';
import { contentDigest } from './read-content.ts';
import { spoolSource } from './spool-source.ts';

type LookAheadOptions = {
  readonly source: ImportSource;
  readonly format: ImportFormat;
  /** The rule for one-way flows. */
  readonly portRule: PortRule;
  readonly signal: AbortSignal | undefined;
};

/** What is known about a source before any of it is imported. */
export type LookAhead = {
  /** The source, or a copy of it that can be read again. */
  readonly source: ImportSource;
  /** SHA-256 of the content; null for a source that can be read only once. */
  readonly digest: Buffer | null;
  /** Whether nfdump paired directions; null if that does not matter. */
  readonly isTwoWay: boolean | null;
};

/**
 * Reads a source once before `work` imports it, if that is useful. Content that was already
 * imported is then refused before any work, and only a whole nfdump file shows whether it was made
 * with -B. To bound memory, a pipe is copied to a temporary file for that.
 */
export async function withLookAhead<T>(
  options: LookAheadOptions,
  work: (known: LookAhead) => Promise<T>,
): Promise<T> {
  const { source, format, portRule, signal } = options;
  const asksForWays = format === 'nfdump' && portRule === 'registered';
  if (!asksForWays) {
    const digest = source.isRepeatable ? await contentDigest(source, { signal }) : null;
    return work({ source: untilAborted(source, signal), digest, isTwoWay: null });
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
