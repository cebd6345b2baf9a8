import type { Deadline } from '../../db/session/read-session.ts';
import { floorTo } from '../../domain/time/interval.ts';
import { groupBy } from '../../domain/toppers/group-by.ts';
import { laneValue } from '../../segments/codes/lanes.ts';
import { findKey, type KeyList } from '../../segments/keys/key-list.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import { rowOf } from '../kernel/blocks/segment-series.ts';
import { nameOfRead } from '../plan/meter-read.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';

import { readStepBlocks, type SegmentSteps, type StepRead } from './step-blocks.ts';
import { type SeriesPart, StepSeries, valuePart } from './step-series.ts';

/** One key's readings by steps shorter than those of its series; key in raw form. */
type FineStepsRequest = StepRead & { readonly key: string };

/** Reads the steps of any number of keys from blocks, in the order of the requests. */
export async function readFineSteps(
  reader: SegmentReader,
  live: readonly StoredSegment[],
  requests: readonly FineStepsRequest[],
  deadline: Deadline | null,
): Promise<StepSeries[]> {
  const grids = [...groupBy(requests, gridName).values()];
  const firsts = grids.map(([first]) => first as FineStepsRequest);
  const { keys, steps } = await readStepBlocks(reader, live, firsts, deadline);
  const found = new Map<FineStepsRequest, StepSeries>();
  for (const [i, ofGrid] of grids.entries()) {
    for (const request of ofGrid) {
      const parts = (steps[i] ?? []).flatMap((part) =>
        partsOf(request, part, keys.of(part.segment)),
      );
      const { stepSeconds, read } = request;
      found.set(
        request,
        new StepSeries({ origin: originOf(request), stepSeconds }, parts, read.fold),
      );
      await reader.pause();
    }
  }
  return requests.map((request) => found.get(request) as StepSeries);
}

const gridName = ({ read, stepSeconds }: FineStepsRequest): string =>
  `${nameOfRead(read)} ${stepSeconds}`;

const originOf = ({ read, stepSeconds }: StepRead): number =>
  floorTo(read.interval.from, stepSeconds);

function partsOf(request: FineStepsRequest, { blocks }: SegmentSteps, keys: KeyList): SeriesPart[] {
  const { group, key, stepSeconds } = request;
  const bytes = group.codec.encodeIfKey(key);
  const position = bytes && findKey(keys, bytes);
  if (!position?.isThere) return [];
  return blocks.flatMap(({ step, block: { ids, column } }) => {
    const row = rowOf(ids, position.ordinal);
    if (column === null || row < 0 || Number.isNaN(column.values.low[row])) return [];
    const sum = laneValue(column.values, row);
    const count = column.counts === null ? 1n : laneValue(column.counts, row);
    return [valuePart((step - originOf(request)) / stepSeconds, { sum, count })];
  });
}
