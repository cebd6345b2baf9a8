import { type BlockRun, blocksIn } from '../kernel/cover/cover.ts';
import type { Catalog } from './catalog.ts';
import type { MeterScan } from './meter-scan.ts';
import type { SegmentPart } from './plan-segments.ts';

/** Explains to a human reader how a topper was answered: which blocks were added up. */
export type PlanNote = {
  readonly counterGroup: string;
  readonly meter: number;
  readonly probe: string | null;
  readonly window: { readonly from: number; readonly to: number };
  /** The answer was cached, and nothing was added up. */
  readonly remembered: boolean;
  /** Number of segments and roll-ups that are read; one that is read twice counts twice. */
  readonly segments: number;
  /** The added blocks of all segments. */
  readonly blocks: readonly BlocksNote[];
  /** The subtracted blocks: a day without its first minutes is the day minus these minutes. */
  readonly blocksLess: readonly BlocksNote[];
  /** The largest keys of a segment, and what lies outside the window, were enough. */
  readonly certified: boolean;
  /** Number of blocks that were not cached and had to be read; null: that failed, or unknown. */
  readonly blocksRead: number | null;
};

/** Called when a topper is answered. The note is rarely needed, so it is made only on demand. */
export type TellPlan = (plan: () => PlanNote) => void;

/**
 * A run of blocks, which are parts of a tile, tiles or spans: the length of each in seconds, the
 * start and end of the run, and the number.
 */
type BlocksNote = {
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
};

/** certified, if it is not given: false. */
type NotedRead = {
  readonly read: MeterScan;
  readonly parts: readonly SegmentPart[];
  readonly certified?: boolean;
};

export const planNote = (
  catalog: Catalog,
  { read, parts, certified = false }: NotedRead,
  blocksRead: number | null,
): PlanNote => ({
  ...readNote(catalog, read),
  remembered: false,
  segments: parts.length,
  blocks: blocksNotes(parts.flatMap(({ cover }) => cover.runs)),
  blocksLess: blocksNotes(parts.flatMap(({ cover }) => cover.subtract)),
  certified,
  blocksRead,
});

export const cachedNote = (catalog: Catalog, read: MeterScan): PlanNote => ({
  ...readNote(catalog, read),
  remembered: true,
  segments: 0,
  blocks: [],
  blocksLess: [],
  certified: false,
  blocksRead: 0,
});

/** Describes the request. */
function readNote(
  catalog: Catalog,
  { groupId, meterIndex, probeId, interval }: MeterScan,
): Pick<PlanNote, 'counterGroup' | 'meter' | 'probe' | 'window'> {
  const guid = catalog.groups.find((each) => each.groupId === groupId)?.guid ?? '';
  const meter = catalog.metersOf(groupId).find((each) => each.meterIndex === meterIndex);
  const probe = catalog.probes.find((each) => each.probeId === probeId);
  return {
    counterGroup: `{${guid.toUpperCase()}}`,
    meter: meter?.meterId ?? 0,
    probe: probe?.name ?? null,
    window: interval,
  };
}

/** Combines equal runs of several segments into one. */
function blocksNotes(runs: readonly BlockRun[]): BlocksNote[] {
  const notes = new Map<string, BlocksNote>();
  for (const run of runs) {
    const { seconds, from, to } = run;
    const name = `${seconds} ${from} ${to}`;
    const count = (notes.get(name)?.count ?? 0) + blocksIn(run);
    notes.set(name, { seconds, from, to, count });
  }
  return [...notes.values()];
}
