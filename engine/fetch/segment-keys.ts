import { sharedMemory } from '../../segments/filter/key-set.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import { KeyListBuilder } from '../../segments/keys/key-list-builder.ts';
import { addKeysOfRange } from '../../segments/pages/read-range.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { type SectionRequests, type SegmentReader, wholeName } from '../snapshot/segment-reader.ts';

/** Lists of keys, by segment. */
export type KeyLists = {
  /** Lists of the same name are equal. */
  readonly name: string;
  readonly of: (segment: ScopedSegment) => KeyList;
};

/** The keys of segments of one group. Keys that are not cached are read. */
export class SegmentKeys implements KeyLists {
  readonly name = 'keys';
  readonly #reader: SegmentReader;
  readonly #lists = new Map<ScopedSegment, KeyList>();
  readonly #missing = new Map<ScopedSegment, KeyCodec>();

  constructor(reader: SegmentReader) {
    this.#reader = reader;
  }

  /** Looks up the keys of a segment in the cache, and requests them if they are not there. */
  request(
    { codec }: Pick<SegmentGroup, 'codec'>,
    segment: ScopedSegment,
    requests: SectionRequests,
  ): void {
    if (this.#lists.has(segment) || this.#missing.has(segment)) return;
    const known = this.#reader.memory.find('keys', wholeName(this.#reader, segment));
    if (known) {
      this.#lists.set(segment, known);
      return;
    }
    this.#missing.set(segment, codec);
    requests.add(
      segment,
      segment.directory().ranges.flatMap(({ keys }) => keys),
    );
  }

  /** Decodes the keys that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: ScopedSegment) => Sections): Promise<void> {
    const { memory, pause } = this.#reader;
    for (const [segment, codec] of this.#missing) {
      const into = sharedBuilder(segment, codec);
      const target = { codec, sections: sectionsOf(segment), into };
      for (const range of segment.directory().ranges) {
        addKeysOfRange(range, target);
        await pause();
      }
      const keys = into.finish();
      memory.keep('keys', wholeName(this.#reader, segment), keys);
      this.#lists.set(segment, keys);
    }
    this.#missing.clear();
  }

  /** Returns the keys of a segment that was requested. */
  of(segment: ScopedSegment): KeyList {
    const keys = this.#lists.get(segment);
    if (!keys) throw new Error(`the keys of segment ${segment.segmentId} were not requested`);
    return keys;
  }
}

/**
 * Returns a builder of a list in memory that threads share. If all keys have the same length, it
 * has the capacity for all of the segment's keys, so that millions of keys are never copied.
 */
function sharedBuilder(segment: ScopedSegment, { shapes }: KeyCodec): KeyListBuilder {
  const keys = segment.directory().ranges.reduce((sum, { keyCount }) => sum + keyCount, 0);
  const [first, ...others] = shapes ?? [];
  const isFixed = first !== undefined && others.every(({ length }) => length === first.length);
  return new KeyListBuilder({ keys, bytes: isFixed ? keys * first.length : 0 }, sharedMemory);
}
