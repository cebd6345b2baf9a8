import { type BlockRun, blockCount } from '../../topk/cover.ts';
import type { Catalog } from './catalog.ts';
import type { MeterRead, ReadPlan } from './read-plan.ts';

/** How a topper was answered, for people: which blocks were added up. */
export type PlanNote = {
  readonly counterGroup: string;
  readonly meter: number;
  readonly probe: string | null;
  readonly window: { readonly from: number; readonly to: number };
  /** What was added up. */
  readonly blocks: readonly BlocksNote[];
  /** What was taken out again: a day but for its first minutes is the day less these. */
  readonly blocksLess: readonly BlocksNote[];
  /** It was asked before, and nothing was added up. */
  readonly remembered: boolean;
  /** How many of them were not remembered and had to be read; null: that failed. */
  readonly blocksRead: number | null;
  /** False: some slice is not packed yet, and the samples themselves were read. */
  readonly packed: boolean;
};

/** A run of blocks: their length in seconds, from where to where, and how many. */
type BlocksNote = {
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
};

export function planNote(
  catalog: Catalog,
  read: MeterRead,
  plan: ReadPlan,
  blocksRead: number | null,
): PlanNote {
  return {
    ...readNote(catalog, read),
    remembered: false,
    blocks: plan.isPacked ? plan.runs.map(blocksNote) : [],
    blocksLess: plan.isPacked ? plan.less.map(blocksNote) : [],
    blocksRead,
    packed: plan.isPacked,
  };
}

export const rememberedNote = (catalog: Catalog, read: MeterRead): PlanNote => ({
  ...readNote(catalog, read),
  ...{ remembered: true, blocks: [], blocksLess: [], blocksRead: 0, packed: true },
});

/** What was asked for. */
function readNote(
  catalog: Catalog,
  { groupId, slot, probeId, interval }: MeterRead,
): Pick<PlanNote, 'counterGroup' | 'meter' | 'probe' | 'window'> {
  const guid = catalog.groups.find(({ group_id }) => group_id === groupId)?.guid ?? '';
  const meter = catalog.metersOf(groupId).find((each) => each.slot === slot);
  const probe = catalog.probes.find((each) => each.probeId === probeId);
  return {
    counterGroup: `{${guid.toUpperCase()}}`,
    meter: meter?.meter_id ?? 0,
    probe: probe?.name ?? null,
    window: interval,
  };
}

const blocksNote = (run: BlockRun): BlocksNote => ({
  ...{ seconds: run.level, from: run.from, to: run.to },
  count: blockCount([run]),
});
