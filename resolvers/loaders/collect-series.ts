import { type KeySeriesRow, selectKeySeries } from '../../db/queries/select-key-series.ts';
import type { TimeBound } from '../../db/read-session.ts';
import type { KeyPlace } from '../../topk/key-rows.ts';
import type { CoverageRow } from './catalog.ts';
import { catchUp } from './catch-up.ts';
import type { ContextState, NodeReader } from './node-reader.ts';
import type { SeriesOfKeys, SeriesPlace, SeriesReadings } from './series-memory.ts';
import { pageReadings } from './step-series.ts';
import { pause } from './turns.ts';

/** Keys whose series of one slot are wanted, and where these are stored. */
export type WantedSeries = {
  readonly state: ContextState;
  readonly groupId: number;
  readonly slot: number;
  readonly places: readonly CoverageRow[];
  readonly keys: readonly KeyPlace[];
};

/** What a key has in a place, by its place on the slice's grid. */
export type FoundSeries = (place: SeriesPlace, key: string) => SeriesReadings;

/** What has to be read for one of the wanted. */
type Missing = WantedSeries & { readonly fresh: ReadonlyMap<string, Map<string, SeriesReadings>> };

export const keyText = ({ shard, keyId }: KeyPlace): string => `${shard} ${keyId}`;

const placeText = ({ groupId, slot, sliceId, probeId }: SeriesPlace): string =>
  `${groupId} ${slot} ${sliceId} ${probeId}`;

/**
 * The series of keys, before they are cut to a window: those that are remembered, and all others in
 * one statement. What was read is remembered, unless the data have moved on meanwhile.
 */
export async function collectSeries(
  reader: NodeReader,
  wanted: readonly WantedSeries[],
  bound: TimeBound | null,
): Promise<FoundSeries> {
  for (const state of new Set(wanted.map((each) => each.state))) {
    await catchUp(reader, state, bound);
  }
  const known = new Map<string, SeriesOfKeys>();
  const missing = wanted.flatMap((each) => missingOf(reader, each, known) ?? []);
  if (missing.length > 0) await readMissing(reader, missing, bound);
  const fresh = new Map<string, SeriesOfKeys[]>();
  for (const [name, keys] of missing.flatMap((each) => [...each.fresh])) {
    fresh.set(name, [...(fresh.get(name) ?? []), keys]);
  }
  return (place, key) => {
    const name = placeText(place);
    const remembered = known.get(name)?.get(key);
    if (remembered !== undefined) return remembered;
    const read = fresh.get(name)?.find((keys) => keys.has(key));
    if (!read) throw new Error('a series was asked for and not read');
    return read.get(key) ?? null;
  };
}

const seriesPlace = ({ groupId, slot }: WantedSeries, { sliceId, probeId }: CoverageRow) => ({
  ...{ groupId, slot, sliceId, probeId },
});

/** The places and keys that are not remembered, null when all are; fills `known`. */
function missingOf(
  { memory }: NodeReader,
  wanted: WantedSeries,
  known: Map<string, SeriesOfKeys>,
): Missing | null {
  const { memoryKey, versions } = wanted.state;
  const keys = new Map<string, KeyPlace>();
  const fresh = new Map<string, Map<string, SeriesReadings>>();
  const places = wanted.places.filter((row) => {
    const place = seriesPlace(wanted, row);
    const found = memory.series.find(memoryKey, versions.version, place);
    if (found) known.set(placeText(place), found);
    const unknown = wanted.keys.filter((key) => !found?.has(keyText(key)));
    memory.series.tally.count(wanted.keys.length - unknown.length, unknown.length);
    for (const key of unknown) keys.set(keyText(key), key);
    if (unknown.length > 0) fresh.set(placeText(place), new Map());
    return unknown.length > 0;
  });
  return places.length === 0 ? null : { ...wanted, places, keys: [...keys.values()], fresh };
}

async function readMissing(
  reader: NodeReader,
  missing: readonly Missing[],
  bound: TimeBound | null,
): Promise<void> {
  const names = missing.map(({ keys }) => new Set(keys.map(keyText)));
  for (const [i, { fresh }] of missing.entries()) {
    // A key without a page has no readings there.
    for (const keys of fresh.values()) for (const name of names[i] ?? []) keys.set(name, null);
  }
  for (const row of await selectKeySeries(reader.session, missing, bound)) {
    const each = missing[row.range];
    const wanted = names[row.range];
    if (each && wanted) unpack(each, row, wanted);
    await pause();
  }
  for (const each of missing) remember(reader, each);
}

function unpack(missing: Missing, row: KeySeriesRow, wanted: ReadonlySet<string>): void {
  const keys = missing.fresh.get(placeText({ ...missing, ...row }));
  const nameOf = (keyId: number): string => keyText({ shard: row.shard, keyId });
  for (const { keyId, readings } of pageReadings(row, (id) => wanted.has(nameOf(id)))) {
    keys?.set(nameOf(keyId), readings);
  }
}

function remember({ memory, session }: NodeReader, missing: Missing): void {
  const { state, places, fresh } = missing;
  // Read in another snapshot, it may be of another version.
  if (state.snapshot !== session.snapshot) return;
  const { memoryKey, versions, catalog } = state;
  for (const row of places) {
    const place = seriesPlace(missing, row);
    const keys = fresh.get(placeText(place));
    const slice = catalog.slices.find(({ sliceId }) => sliceId === row.sliceId);
    if (!keys || !slice) continue;
    const covers = { from: slice.startsAt, to: slice.endsAt };
    memory.series.keep(memoryKey, versions.version, { ...place, covers }, keys);
  }
}
