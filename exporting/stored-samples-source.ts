import { type SamplePlace, samplePages } from '../db/write/sample-pages.ts';
import { selectCoveredSpans } from '../db/write/select-covered-spans.ts';
import {
  countKeys,
  type ExportedKey,
  selectExportedKeys,
} from '../db/write/select-exported-keys.ts';
import { selectProbeNames } from '../db/write/select-names.ts';
import { groupBy } from '../domain/group-by.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Fold } from '../domain/meter-type.ts';
import { type CombinedSample, combineSamples } from './combine-samples.ts';
import { estimateShare, type ShareEstimate } from './estimate-share.ts';
import type {
  ExportedGroup,
  ExportedSlice,
  KeyTexts,
  ReadingPage,
  ReadingQuery,
  ReadingRow,
  ReadingSource,
} from './reading-source.ts';
import { SeenKeys } from './seen-keys.ts';

/** The readings that the tables `samples` and `keys` hold, slice by slice and group by group. */
export async function openStoredSamples(query: ReadingQuery): Promise<ReadingSource> {
  const { connection, contextId, groups, slices, from, to } = query;
  const probes = await selectProbeNames(connection, contextId);
  const spans = await selectCoveredSpans(connection, contextId);
  const shareOf = estimateShare({ slices, groups, within: { from, to } }, spans);
  const walks = groups.map((group) => ({ group, folds: foldsOf(group), seen: new SeenKeys() }));
  async function* pages(): AsyncGenerator<ReadingPage> {
    for (const slice of slices) {
      for (const walk of walks) yield* pagesOf({ ...walk, slice, probes, query, shareOf });
    }
  }
  async function keyCounts() {
    const read = walks.reduce((sum, { seen }) => sum + seen.size, 0);
    const groupIds = groups.map(({ groupId }) => groupId);
    return { read, withoutReadings: (await countKeys(connection, groupIds)) - read };
  }
  return { pages, keyCounts };
}

function foldsOf({ meters }: ExportedGroup): (Fold | null)[] {
  const folds: (Fold | null)[] = [];
  for (const { slot, fold } of meters) folds[slot - 1] = fold;
  return Array.from(folds, (fold) => fold ?? null);
}

/** The samples of one group in one slice. */
type Walk = {
  readonly query: ReadingQuery;
  readonly group: ExportedGroup;
  readonly folds: readonly (Fold | null)[];
  readonly slice: ExportedSlice;
  readonly seen: SeenKeys;
  readonly probes: ReadonlyMap<number, string>;
  readonly shareOf: ShareEstimate;
};

async function* pagesOf(walk: Walk): AsyncGenerator<ReadingPage> {
  const { query, group, folds, slice, shareOf } = walk;
  const { connection, from, to, signal } = query;
  const selection = { sliceId: slice.sliceId, groupId: group.groupId, within: { from, to } };
  const known: KnownKeys = new Map();
  for await (const page of samplePages(connection, selection, LIMITS.packedPageRows)) {
    const samples = combineSamples(page, folds);
    for (let at = 0; at < samples.length; at += LIMITS.exportPageRows) {
      signal?.throwIfAborted();
      const part = samples.slice(at, at + LIMITS.exportPageRows);
      const rows = await readRows(walk, known, part);
      const last = part.at(-1)?.place[0] ?? slice.endsAt;
      for (const [probe, own] of groupBy(rows, ({ probeId }) => probeNameOf(walk, probeId))) {
        yield { group, probe, rows: own, done: shareOf(slice, group, last) };
      }
    }
  }
}

/** 0 stands for none. */
function probeNameOf({ probes }: Walk, probeId: number): string | null {
  if (probeId === 0) return null;
  const name = probes.get(probeId);
  if (name === undefined) throw new Error(`the samples name probe ${probeId}, which is not there`);
  return name;
}

/** Raw keys by place. */
type KnownKeys = Map<number, string>;

const HIGH_UNIT = 2 ** 32;

const numberOf = ([, shard, keyId]: SamplePlace): number => shard * HIGH_UNIT + keyId;

type ProbedRow = ReadingRow & { readonly probeId: number };

async function readRows(
  { query, group, seen }: Walk,
  known: KnownKeys,
  samples: readonly CombinedSample[],
): Promise<ProbedRow[]> {
  const texts = await learnKeys(query, group, { known, samples });
  return samples.map(({ place, readings, counts }) => {
    const [bucket, shard, keyId, probeId] = place;
    const number = numberOf(place);
    const key = known.get(number);
    if (key === undefined) {
      throw new Error(`the samples of group ${group.guid} name key ${keyId}, which is not there`);
    }
    const isFirst = seen.add(shard, keyId);
    const own = isFirst ? (texts.get(number) ?? null) : null;
    return { key, bucket, probeId, readings, counts, texts: own };
  });
}

/** Looks up what is not known yet; returns the texts of these keys. */
async function learnKeys(
  { connection }: ReadingQuery,
  { groupId }: ExportedGroup,
  { known, samples }: { known: KnownKeys; samples: readonly CombinedSample[] },
): Promise<ReadonlyMap<number, KeyTexts>> {
  if (known.size > LIMITS.exportKnownKeys) known.clear();
  const missing = new Map<number, { shard: number; keyId: number }>();
  for (const { place } of samples) {
    const number = numberOf(place);
    if (!known.has(number)) missing.set(number, { shard: place[1], keyId: place[2] });
  }
  const texts = new Map<number, KeyTexts>();
  if (missing.size === 0) return texts;
  for (const key of await selectExportedKeys(connection, groupId, [...missing.values()])) {
    const number = key.shard * HIGH_UNIT + key.keyId;
    known.set(number, key.key);
    const said = textsOf(key);
    if (said) texts.set(number, said);
  }
  return texts;
}

function textsOf({ label, labelSource, description, attributes }: ExportedKey): KeyTexts | null {
  if (label === null && description === null && attributes === null) return null;
  const isLabelDerived = labelSource === 'dns' || labelSource === 'mmdb';
  return { label, isLabelDerived, description, attributes };
}
