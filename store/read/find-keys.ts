import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import { findKey } from '../../segments/keys/key-list.ts';
import { locateKey } from '../../segments/pages/locate-key.ts';
import { type KeySection, readKeysOfSection } from '../../segments/pages/read-range.ts';
import { pagesOfSections, type Sections } from '../../segments/pages/sections.ts';
import type { FetchedPages, PageRequest } from './fetch-pages.ts';
import type { StoredSegment } from './manifest.ts';
import { sectionsOf } from './segment-ranges.ts';

/*
 * Finds which of some keys are in segments. The directory of a segment leads to the one section of
 * 4,096 keys that may have a key, so only that section is read per segment and key. The sections of
 * all keys, groups and segments are read in one statement. If they are too many to hold, they are
 * read in several, newest segments first: most keys are found there and need no further search.
 */

/** Maximum pages fetched at once: 16 MB. */
const MAX_PAGES = 2048;

/** Keys of a group to look for, in canonical raw form. */
type KeysOfGroup = {
  readonly groupId: number;
  readonly codec: KeyCodec;
  readonly keys: readonly string[];
};

export type KeySearch = {
  /** Of any groups. */
  readonly segments: Iterable<StoredSegment>;
  /** Each group once. */
  readonly missing: readonly KeysOfGroup[];
  /** Runs one statement (fetch-pages.ts). */
  readonly fetch: (requests: readonly PageRequest[]) => Promise<FetchedPages>;
  /** Awaited during long work. */
  readonly pause?: (() => Promise<void> | undefined) | undefined;
  /** MAX_PAGES unless set; tests set fewer. */
  readonly maxPages?: number;
};

/** The wanted keys that were found, by groupId; every wanted group has an entry. */
export type FoundKeys = ReadonlyMap<number, ReadonlySet<string>>;

/** Finds keys in segments. Errors: MissingPages, DamagedSegment, those of `fetch`. */
export async function findKeys(search: KeySearch): Promise<FoundKeys> {
  const groups = search.missing.map(newGroupSearch);
  const maxPages = search.maxPages ?? MAX_PAGES;
  let batch = new SectionBatch();
  for (const [segment, group] of newestFirst(search.segments, groups)) {
    for (const key of group.pending.keys()) {
      const section = locateKey(segment.directory(), key);
      if (section?.isNamed) group.settle(key);
      else if (section) batch.add({ segment, group, key, section });
      if (batch.pageCount < maxPages) continue;
      await batch.read(search);
      batch = new SectionBatch();
    }
  }
  await batch.read(search);
  return new Map(groups.map(({ groupId, found }) => [groupId, found]));
}

/** The keys of a group that are still to be found, by compact key. */
type GroupSearch = {
  readonly groupId: number;
  readonly codec: KeyCodec;
  /** In ascending order, so that keys of one section are adjacent. */
  readonly pending: Map<Uint8Array, string>;
  readonly found: Set<string>;
  readonly settle: (key: Uint8Array) => void;
};

function newGroupSearch({ groupId, codec, keys }: KeysOfGroup): GroupSearch {
  const encoded = [...new Set(keys)].flatMap((text): [Uint8Array, string][] => {
    const key = codec.encodeIfKey(text);
    return key === null ? [] : [[key, text]];
  });
  const pending = new Map(encoded.sort(([a], [b]) => Buffer.compare(a, b)));
  const found = new Set<string>();
  const settle = (key: Uint8Array): void => {
    const text = pending.get(key);
    if (text !== undefined) found.add(text);
    pending.delete(key);
  };
  return { groupId, codec, pending, found, settle };
}

function newestFirst(
  segments: Iterable<StoredSegment>,
  groups: readonly GroupSearch[],
): [StoredSegment, GroupSearch][] {
  const byId = new Map(groups.map((group) => [group.groupId, group]));
  const searched = Array.from(segments).flatMap((segment): [StoredSegment, GroupSearch][] => {
    const group = byId.get(segment.groupId);
    return group ? [[segment, group]] : [];
  });
  return searched.sort(([a], [b]) => b.lastBucket - a.lastBucket);
}

type SectionSearch = {
  readonly segment: StoredSegment;
  readonly group: GroupSearch;
  readonly key: Uint8Array;
  readonly section: KeySection;
};

/** The keys to look for in one section. */
type SectionKeys = Omit<SectionSearch, 'key'> & { readonly keys: Uint8Array[] };

/** Sections to read in one statement. */
class SectionBatch {
  readonly #sections: SectionKeys[] = [];
  readonly #pages = new Map<StoredSegment, Set<number>>();
  pageCount = 0;

  add({ key, ...of }: SectionSearch): void {
    const { range, section } = of.section;
    // Keys ascend within a segment, so those of one section are adjacent.
    const last = this.#sections.at(-1);
    if (last?.section.range === range && last.section.section === section) last.keys.push(key);
    else this.#sections.push({ ...of, keys: [key] });
    // If the directory omits a section, the code that reads it reports that.
    const pages = this.#pages.get(of.segment) ?? new Set();
    this.#pages.set(of.segment, pages);
    const before = pages.size;
    for (const page of pagesOfSections([range.keys[section] ?? null])) pages.add(page);
    this.pageCount += pages.size - before;
  }

  async read({ fetch, pause }: KeySearch): Promise<void> {
    if (this.#sections.length === 0) return;
    const requests = [...this.#pages].map(([segment, pages]) => ({ segment, pages }));
    const fetched = await fetch(requests);
    const opened = new Map(
      requests.map(({ segment }) => [segment, sectionsOf(segment, fetched)] as const),
    );
    for (const section of this.#sections) {
      settleKeys(section, opened.get(section.segment) ?? sectionsOf(section.segment, fetched));
      await pause?.();
    }
  }
}

function settleKeys({ group, section, keys }: SectionKeys, sections: Sections): void {
  // Another segment may have had them.
  const pending = keys.filter((key) => group.pending.has(key));
  if (pending.length === 0) return;
  const stored = readKeysOfSection(section, group.codec, sections);
  for (const key of pending) if (findKey(stored, key).isThere) group.settle(key);
}
