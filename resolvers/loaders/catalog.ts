import type {
  CatalogRow,
  CatalogSliceRow,
  CoarseBlockRow,
  CounterGroupRow,
  CoverageRow,
  MeterRow,
  ProbeRow,
} from '../../db/queries/select-catalogs.ts';
import { groupBy } from '../../domain/group-by.ts';

export type {
  CatalogSliceRow,
  CounterGroupRow,
  CoverageRow,
  MeterRow,
} from '../../db/queries/select-catalogs.ts';

/** A context's groups and which of their data there are, as they are at one version. */
export type Catalog = {
  readonly version: number;
  /** About what it takes in memory. */
  readonly bytes: number;
  readonly sliceSeconds: number;
  readonly groups: readonly CounterGroupRow[];
  readonly probes: readonly ProbeRow[];
  readonly metersOf: (groupId: number) => readonly MeterRow[];
  readonly coverageOf: (groupId: number) => readonly CoverageRow[];
  /** Available slices, oldest first. */
  readonly slices: readonly CatalogSliceRow[];
  /** The slices of a group's whole coarse block of a probe; undefined: there is none. */
  readonly coarseSlices: (
    groupId: number,
    level: number,
    start: number,
    probeId: number,
  ) => readonly number[] | undefined;
};

export function openCatalog(row: CatalogRow, version: number): Catalog {
  const meters = groupBy(row.meters, ({ group_id }) => group_id);
  const coverage = groupBy(row.coverage, ({ groupId }) => groupId);
  const coarse = new Map(row.coarse.map((block) => [coarseKey(block), block.sliceIds]));
  return {
    version,
    bytes: ROW_BYTES * LISTS.reduce((count, list) => count + row[list].length, 1),
    sliceSeconds: row.sliceSeconds,
    groups: row.groups,
    probes: row.probes,
    slices: row.slices,
    metersOf: (groupId) => meters.get(groupId) ?? [],
    coverageOf: (groupId) => coverage.get(groupId) ?? [],
    coarseSlices: (groupId, level, start, probeId) =>
      coarse.get(coarseKey({ groupId, level, start, probeId })),
  };
}

const LISTS = ['groups', 'meters', 'probes', 'slices', 'coverage', 'coarse'] as const;

/** About what a row of one of them takes, with its places in maps. */
const ROW_BYTES = 200;

const coarseKey = ({ groupId, level, start, probeId }: Omit<CoarseBlockRow, 'sliceIds'>): string =>
  `${groupId} ${level} ${start} ${probeId}`;
