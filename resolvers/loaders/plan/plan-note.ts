import { WHOLE_SPAN } from '../../../segments/blocks/levels.ts';
import type { BlockRun } from '../../../topk/cover/cover.ts';
import { blocksIn } from '../blocks/segment-blocks.ts';
import type { Catalog } from '../session/catalog.ts';
import type { MeterRead } from './meter-read.ts';
import type { SegmentPart } from './plan-segments.ts';

/** How a topper was answered, for people: which blocks were added up. */
export type PlanNote = {
  readonly counterGroup: string;
  readonly meter: number;
  readonly probe: string | null;
  readonly window: { readonly from: number; readonly to: number };
  /** It was asked before, and nothing was added up. */
  readonly remembered: boolean;
  /** How many segments and roll-ups are read; one that is read twice counts twice. */
  readonly segments: number;
  /** What was added up, of all segments. */
  readonly blocks: readonly BlocksNote[];
  /** What was taken out again: a day but for its first minutes is the day less these. */
  readonly blocksLess: readonly BlocksNote[];
  /** How many were not remembered and had to be read; null: that failed, or nobody counted. */
  readonly blocksRead: number | null;
};

/** Told how a topper was answered. Hardly anybody wants to know, so it is put in words then. */
export type TellPlan = (plan: () => PlanNote) => void;

/** A run of blocks: their length in seconds, from where to where, and how many. */
type BlocksNote = {
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
};

export const planNote = (
  catalog: Catalog,
  { read, parts }: { readonly read: MeterRead; readonly parts: readonly SegmentPart[] },
  blocksRead: number | null,
): PlanNote => ({
  ...readNote(catalog, read),
  remembered: false,
  segments: parts.length,
  blocks: blocksNotes(parts.flatMap(({ cover }) => cover.runs)),
  blocksLess: blocksNotes(parts.flatMap(({ cover }) => cover.less)),
  blocksRead,
});

export const rememberedNote = (catalog: Catalog, read: MeterRead): PlanNote => ({
  ...readNote(catalog, read),
  remembered: true,
  segments: 0,
  blocks: [],
  blocksLess: [],
  blocksRead: 0,
});

/** What was asked for. */
function readNote(
  catalog: Catalog,
  { groupId, slot, probeId, interval }: MeterRead,
): Pick<PlanNote, 'counterGroup' | 'meter' | 'probe' | 'window'> {
  const guid = catalog.groups.find((each) => each.groupId === groupId)?.guid ?? '';
  const meter = catalog.metersOf(groupId).find((each) => each.slot === slot);
  const probe = catalog.probes.find((each) => each.probeId === probeId);
  return {
    counterGroup: `{${guid.toUpperCase()}}`,
    meter: meter?.meterId ?? 0,
    probe: probe?.name ?? null,
    window: interval,
  };
}

/** The same run of several segments is one. */
function blocksNotes(runs: readonly BlockRun[]): BlocksNote[] {
  const notes = new Map<string, BlocksNote>();
  for (const run of runs) {
    const { level, from, to } = run;
    const seconds = level === WHOLE_SPAN ? to - from : level;
    const name = `${seconds} ${from} ${to}`;
    const count = (notes.get(name)?.count ?? 0) + blocksIn(run);
    notes.set(name, { seconds, from, to, count });
  }
  return [...notes.values()];
}
