import type { CopySource } from '../../db/session/copy-source.ts';
import { checkHeads } from '../../segments/check/check-heads.ts';
import {
  compareWithSources,
  cutRollUp,
  type RollUpRange,
  readRollUpRange,
} from '../../segments/check/check-roll-up.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { SegmentHeads } from '../../segments/heads/segment-heads.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import { splitRange } from '../../segments/merge/split-range.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import { rollUpShape } from '../../segments/roll-up-shape.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import type { Manifest, RollUp, StoredSegment } from '../read/manifest.ts';
import { MissingPages } from '../read/missing-pages.ts';
import { readingsOf } from '../roll-up/plan-roll-up.ts';
import { sourceRanges } from '../roll-up/source-ranges.ts';
import { checkContent, checkSpan, openDirectory } from './check-stored-segment.ts';

/** The group as declared, and the manifest that has the roll-up. */
type RollUpSurroundings = {
  readonly shape: SegmentShape;
  readonly manifest: Manifest;
};

/**
 * Yields what is wrong with a stored roll-up, in words; nothing if its pages are whole and it
 * agrees with its sources. Memory holds one range of it and one of each source. Errors: those of
 * the source.
 */
export async function* checkStoredRollUp(
  source: CopySource,
  rollUp: RollUp,
  { shape, manifest }: RollUpSurroundings,
): AsyncGenerator<string> {
  const directory = yield* openDirectory(rollUp, shape);
  if (!directory) return;
  const sources = sourcesOf(rollUp, manifest);
  if (!sources || directory.span.last !== sources.length - 1) {
    yield 'what it was made of is not there';
    return;
  }
  const readings = readingsOf(rollUp, manifest);
  if (new Set(readings).size < readings.length) yield 'it was made of the same segment twice';
  yield* checkSpan(rollUp, {
    first: Math.min(...sources.map(({ firstBucket }) => firstBucket)),
    last: Math.max(...sources.map(({ lastBucket }) => lastBucket)),
  });
  const codec = keyCodecOf(shape);
  const beside = new SourceKeys(sourceRanges(source, { sources, shape, codec }));
  const own = { directory, codec, shape: rollUpShape(shape) };
  const heads = new SegmentHeads({ ...directory, shape: own.shape, isRollUp: true });
  const isReadable = yield* checkContent(
    { source, segment: rollUp, directory },
    {
      async *range(range, sections) {
        const stored = readRollUpRange({ directory, range, sections }, codec);
        yield* beside.compare(stored, shape);
        const { keys, readings } = stored.whole;
        const { firstOrdinal } = range;
        const totals = readings.columns;
        heads.addRange({ keys, firstOrdinal, byTopperBucket: readings, totals });
      },
      heads: (sections) => checkHeads({ ...own, sections, found: heads.finish() }),
    },
  );
  if (isReadable) yield* beside.end();
}

function sourcesOf({ sources }: RollUp, manifest: Manifest): StoredSegment[] | null {
  const found = sources.map((id) => manifest.segments.get(id) ?? manifest.rollUps.get(id) ?? null);
  return found.every((segment) => segment !== null) ? found : null;
}

/** The contents of the sources, whose ranges may end elsewhere than those of the roll-up. */
class SourceKeys {
  readonly #stream: AsyncGenerator<KeyRange>;
  #pending: KeyRange | null = null;
  /** Nothing can be compared any more. */
  #isBroken = false;

  constructor(stream: AsyncGenerator<KeyRange>) {
    this.#stream = stream;
  }

  async *compare(stored: RollUpRange, shape: SegmentShape): AsyncGenerator<string> {
    let rest = stored;
    while (rest.members.keys.count > 0) {
      const next = yield* this.#next();
      if (!next) return;
      const count = Math.min(rest.members.keys.count, next.keys.count);
      const [own, after] = cutRollUp(rest, count);
      yield* compareWithSources(own, splitRange(next, 0, count), shape);
      rest = after;
      const isAll = count === next.keys.count;
      this.#pending = isAll ? null : splitRange(next, count, next.keys.count);
    }
  }

  async *end(): AsyncGenerator<string> {
    if (this.#isBroken) return;
    const next = yield* this.#next(true);
    if (next) yield 'it lacks keys of its sources';
  }

  async *#next(isEnd = false): AsyncGenerator<string, KeyRange | null> {
    if (this.#isBroken) return null;
    try {
      const next = this.#pending ?? (await this.#stream.next()).value ?? null;
      if (next || isEnd) return next;
      yield 'it has keys that its sources do not have';
    } catch (error) {
      // The source cannot be read, which its own check reports.
      if (!(error instanceof DamagedSegment || error instanceof MissingPages)) throw error;
    }
    this.#isBroken = true;
    return null;
  }
}
