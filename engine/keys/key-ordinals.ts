import { findOneKey, type KeyList } from '../../segments/keys/key-list.ts';
import { SECTION_KEYS } from '../../segments/keys/key-section.ts';
import { locateKey } from '../../segments/pages/locate-key.ts';
import { type KeySection, readKeysOfSection } from '../../segments/pages/read-range.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import { SegmentKeys } from '../fetch/segment-keys.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { type SectionRequests, type SegmentReader, wholeName } from '../snapshot/segment-reader.ts';

/** A key that is looked for. compact: a list of this one key. */
export type SoughtKey = { readonly key: string; readonly compact: KeyList };

type KeyOfSegment = {
  readonly group: SegmentGroup;
  readonly segment: ScopedSegment;
  readonly key: SoughtKey;
};

type MissingSection = {
  readonly segment: ScopedSegment;
  readonly group: SegmentGroup;
  readonly location: KeySection;
};

/**
 * Finds the ordinals of some keys in segments. Of a segment with many keys, it reads only the
 * sections that can have them, unless all keys are cached.
 */
export class KeyOrdinals {
  readonly #reader: SegmentReader;
  readonly #all: SegmentKeys;
  /** The segments of which all keys are read. */
  readonly #whole = new Map<ScopedSegment, boolean>();
  readonly #sections = new Map<string, KeyList>();
  readonly #missing = new Map<string, MissingSection>();

  constructor(reader: SegmentReader) {
    this.#reader = reader;
    this.#all = new SegmentKeys(reader);
  }

  /** Requests what is needed to find a key and is not cached. */
  request({ group, segment, key }: KeyOfSegment, requests: SectionRequests): void {
    if (this.#isWhole(segment)) {
      this.#all.request(group, segment, requests);
      return;
    }
    const location = locate(segment, key);
    const name = location && this.#name(segment, location);
    if (!name || this.#sections.has(name) || this.#missing.has(name)) return;
    const known = this.#reader.memory.find('keys', name);
    if (known) {
      this.#sections.set(name, known);
      return;
    }
    this.#missing.set(name, { segment, group, location });
    requests.add(segment, [location.range.keys[location.section] ?? null]);
  }

  /** Decodes the sections that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: ScopedSegment) => Sections): Promise<void> {
    await this.#all.decode(sectionsOf);
    for (const [name, { segment, group, location }] of this.#missing) {
      const keys = readKeysOfSection(location, group.codec, sectionsOf(segment));
      this.#sections.set(name, keys);
      this.#reader.memory.keep('keys', name, keys);
      await this.#reader.pause();
    }
    this.#missing.clear();
  }

  /** Returns the ordinal of a requested key; null: the segment does not have it. */
  of({ segment, key }: Omit<KeyOfSegment, 'group'>): number | null {
    if (this.#isWhole(segment)) {
      const { ordinal, isThere } = findOneKey(this.#all.of(segment), key.compact);
      return isThere ? ordinal : null;
    }
    const location = locate(segment, key);
    if (location === null) return null;
    const keys = this.#sections.get(this.#name(segment, location));
    if (!keys) throw new Error(`a key of segment ${segment.segmentId} was not requested`);
    const { ordinal, isThere } = findOneKey(keys, key.compact);
    return isThere ? location.range.firstOrdinal + location.section * SECTION_KEYS + ordinal : null;
  }

  #isWhole(segment: ScopedSegment): boolean {
    const known = this.#whole.get(segment);
    const name = wholeName(this.#reader, segment);
    const isWhole =
      known ?? (segment.keyCount <= SECTION_KEYS || this.#reader.memory.has('keys', name));
    this.#whole.set(segment, isWhole);
    return isWhole;
  }

  #name(segment: ScopedSegment, { range, section }: KeySection): string {
    return `${wholeName(this.#reader, segment)} ${range.firstOrdinal} ${section}`;
  }
}

const locate = (segment: ScopedSegment, { compact }: SoughtKey): KeySection | null =>
  locateKey(segment.directory(), compact.bytes);
