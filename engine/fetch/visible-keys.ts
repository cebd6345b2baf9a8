import { groupBy } from '../../domain/group-by.ts';
import type { KeySet } from '../../segments/filter/key-set.ts';
import { limitTest } from '../../segments/filter/network-keys.ts';
import { type KeyList, oneKey } from '../../segments/keys/key-list.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import type { Seen } from '../plan/context-limit.ts';
import type { KeyLimit, ScopedSegment } from '../plan/scoped-segment.ts';
import {
  type SectionRequests,
  type SegmentReader,
  segmentName,
} from '../snapshot/segment-reader.ts';
import { SegmentKeys } from './segment-keys.ts';

/** The keys of segments that the caller may see. Those that are not cached are looked for. */
export class VisibleKeys {
  readonly #reader: SegmentReader;
  readonly #keys: SegmentKeys;
  readonly #found = new Map<ScopedSegment, KeySet>();
  readonly #missing = new Set<ScopedSegment>();

  constructor(reader: SegmentReader) {
    this.#reader = reader;
    this.#keys = new SegmentKeys(reader);
  }

  request(segment: ScopedSegment, requests: SectionRequests): void {
    if (segment.limit === null || this.#found.has(segment) || this.#missing.has(segment)) return;
    const known = this.#reader.memory.find('filters', this.#name(segment));
    if (known) {
      this.#found.set(segment, known);
      return;
    }
    this.#missing.add(segment);
    this.#keys.request(segment.limit, segment, requests);
  }

  /** Looks through the keys that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: ScopedSegment) => Sections): Promise<void> {
    if (this.#missing.size === 0) return;
    const { memory, threadPool, caller } = this.#reader;
    await this.#keys.decode(sectionsOf);
    for (const [limit, segments] of groupBy(this.#missing, (segment) => segment.limit)) {
      if (limit === null) continue;
      const lists = segments.map((segment) => this.#keys.of(segment));
      for (const [i, visible] of (await threadPool.limit(lists, limit, caller)).entries()) {
        const segment = segments[i] as ScopedSegment;
        memory.keep('filters', this.#name(segment), visible);
        this.#found.set(segment, visible);
      }
    }
    this.#missing.clear();
  }

  /** Returns the keys of a requested segment that the caller may see; null: all. */
  of(segment: ScopedSegment): KeySet | null {
    if (segment.limit === null) return null;
    const found = this.#found.get(segment);
    if (!found) throw new Error(`the keys of segment ${segment.segmentId} were not requested`);
    return found;
  }

  #name(segment: ScopedSegment): string {
    return `${segmentName(this.#reader, segment)} visible`;
  }
}

/** By limit: its test, which is made once. */
const tests = new WeakMap<KeyLimit, ReturnType<typeof limitTest>>();

/** Returns a test whether the caller may see key i of a list. */
export function visibleTest(limit: KeyLimit): ReturnType<typeof limitTest> {
  const test = tests.get(limit) ?? limitTest(limit.codec, limit.networks);
  tests.set(limit, test);
  return test;
}

/** Whether the caller may see a key in a segment, given as a list of this one. */
export const isVisible = ({ limit }: Pick<ScopedSegment, 'limit'>, key: KeyList): boolean =>
  limit === null || visibleTest(limit)(key, 0);

/** Whether a key in raw form is among those that may be seen. */
export function seesKey(seen: Seen, key: string): boolean {
  if (seen === 'nothing' || seen === null) return seen === null;
  const bytes = seen.codec.encodeIfKey(key);
  return bytes !== null && visibleTest(seen)(oneKey(bytes), 0);
}
