import type { Deadline } from '../../db/session/read-session.ts';
import { type Interval, isEmpty } from '../../domain/time/interval.ts';
import { addKey, emptyKeySet, type KeySet } from '../../segments/filter/key-set.ts';
import { type BlockMeter, SegmentBlocks } from '../fetch/segment-blocks.ts';
import { VisibleKeys } from '../fetch/visible-keys.ts';
import { type BlockRun, coverSegment } from '../kernel/cover/cover.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import { timeOf } from '../plan/plan-segments.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { SectionRequests, type SegmentReader, segmentName } from '../snapshot/segment-reader.ts';

/** A segment, and which of its keys count. */
export type SegmentKeySet = {
  readonly segment: ScopedSegment;
  /** null: all of its keys that may be seen. */
  readonly present: KeySet | null;
};

/** Returns, for each segment, the keys that may be seen. */
export async function visibleKeys(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  deadline: Deadline | null,
): Promise<SegmentKeySet[]> {
  const visible = new VisibleKeys(reader);
  const requests = new SectionRequests();
  for (const segment of live) visible.request(segment, requests);
  await visible.decode(await requests.read(reader, deadline));
  return live.map((segment) => ({ segment, present: visible.of(segment) }));
}

type KeysInWindow = {
  readonly group: SegmentGroup;
  readonly live: readonly ScopedSegment[];
  readonly window: Interval;
  readonly deadline: Deadline | null;
};

/** A segment that lies partly in the window, and its blocks inside the window. */
type CutSegment = { readonly segment: ScopedSegment; readonly runs: readonly BlockRun[] };

/**
 * Returns, for each segment, the keys that may be seen and have a reading of any meter in a window,
 * even if zero. Every key of a segment has a reading somewhere in its span. So blocks are read only
 * if the span lies partly outside the window, and only the keys of these blocks.
 */
export async function presentKeys(
  reader: SegmentReader,
  { group, live, window, deadline }: KeysInWindow,
): Promise<SegmentKeySet[]> {
  const { memory } = reader;
  const nameOf = (segment: ScopedSegment): string =>
    `${segmentName(reader, segment)} present ${window.from} ${window.to}`;
  const found: SegmentKeySet[] = [];
  const whole: ScopedSegment[] = [];
  const cut: CutSegment[] = [];
  for (const segment of isEmpty(window) ? [] : live) {
    const { firstBucket, lastBucket } = segment;
    if (lastBucket < window.from || firstBucket >= window.to) continue;
    const isWhole = window.from <= firstBucket && lastBucket < window.to;
    const present = isWhole ? null : memory.find('filters', nameOf(segment));
    if (isWhole) whole.push(segment);
    else if (present) found.push({ segment, present });
    else
      cut.push({ segment, runs: coverSegment(window, timeOf(segment, group.shape), false).runs });
  }
  found.push(...(await visibleKeys(reader, whole, deadline)));
  for (const { segment, present } of await readPresent(reader, cut, { group, deadline })) {
    memory.keep('filters', nameOf(segment), present);
    found.push({ segment, present });
  }
  return found;
}

type PresentKeys = { readonly segment: ScopedSegment; readonly present: KeySet };

async function readPresent(
  reader: SegmentReader,
  cut: readonly CutSegment[],
  { group, deadline }: Pick<KeysInWindow, 'group' | 'deadline'>,
): Promise<PresentKeys[]> {
  const { bucketSeconds } = group.shape;
  const meter: BlockMeter = { meterIndex: null, bucketSeconds, aggregate: 'sum' };
  const requests = new SectionRequests();
  const blocks = new SegmentBlocks(reader);
  for (const { segment, runs } of cut) {
    for (const run of runs) blocks.request(segment, run, meter, requests);
  }
  const sectionsOf = await requests.read(reader, deadline);
  await reader.afterKeys(cut.reduce((sum, { segment }) => sum + segment.keyCount, 0));
  await blocks.decode(sectionsOf);
  const found: PresentKeys[] = [];
  for (const { segment, runs } of cut) {
    const present = emptyKeySet(segment.keyCount);
    for (const run of runs) {
      for (const ids of blocks.keysOf(segment, run, meter)) {
        for (let i = 0; i < ids.length; i += 1) addKey(present, ids[i] as number);
        await reader.pause();
      }
    }
    found.push({ segment, present });
  }
  return found;
}
