import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import { checkStoredRollUp } from '../../store/check/check-roll-up.ts';
import { mergeContext } from '../../store/merge/merge-context.ts';
import type { Manifest, RollUp } from '../../store/read/manifest.ts';
import { makeRollUp } from '../../store/roll-up/make-roll-up.ts';
import { ALL_PROBES } from '../../store/roll-up/plan-roll-up.ts';
import { SHAPE } from '../segments/plain-segments.ts';
import { sweepAll } from '../support/lab/sweep-all.ts';
import {
  DAY,
  DAY_START,
  importLists,
  minute,
  openStoreLab,
  publish,
  type StoreLab,
  sample,
} from './store-lab.ts';

let lab: StoreLab;

beforeEach(async () => {
  lab = await openStoreLab();
});

afterEach(() => lab.close());

/** DAY_START is day 20,284 since 1970: a multiple of 4, and four days before a multiple of 64. */
const AFTERWARDS = DAY_START + 70 * DAY;

/** Imports a sealed segment for each day, counted from 0; some hosts recur, and some do not. */
const importDays = (days: readonly number[], probeId = 0, hosts = 6) =>
  importLists(
    lab.importer,
    days.map((day) => ({
      list: Array.from({ length: hosts }, (_, host) =>
        sample(day + 3 * host, DAY_START + day * DAY + 60 * host, 100 * day + host),
      ),
      scope: { sliceId: day + 1, probeId, level: SEALED_LEVEL },
    })),
  );

const merge = (now = AFTERWARDS) => mergeContext(lab.importer, { contextId: 1, now: () => now });

const rollUpsOf = ({ rollUps }: Manifest): RollUp[] =>
  [...rollUps.values()].sort((a, b) => a.segmentId - b.segmentId);

const daysOf = (manifest: Manifest, { sources }: RollUp): unknown[] =>
  sources.map((id) => {
    const segment = manifest.segments.get(id);
    if (segment) return segment.sliceId - 1;
    const rollUp = manifest.rollUps.get(id);
    return rollUp ? daysOf(manifest, rollUp) : null;
  });

async function madeOf(probeId = 0): Promise<unknown[]> {
  const manifest = await lab.manifest();
  const own = rollUpsOf(manifest).filter((rollUp) => rollUp.probeId === probeId);
  return own.map((rollUp) => daysOf(manifest, rollUp));
}

async function faults(): Promise<string[]> {
  const manifest = await lab.manifest();
  const found: string[] = [];
  for (const rollUp of rollUpsOf(manifest)) {
    const source = copiesOf(lab.reader);
    for await (const fault of checkStoredRollUp(source, rollUp, { shape: SHAPE, manifest })) {
      found.push(fault);
    }
  }
  return found;
}

describe('roll-ups', () => {
  it('are made of four slices, and of four such roll-ups, and only once', async () => {
    await importDays([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await merge()).toBe('done');
    expect(await madeOf()).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
      [
        [4, 5, 6, 7],
        [8, 9],
      ],
    ]);
    expect(await faults()).toEqual([]);
    const before = await lab.manifest();
    await merge();
    expect((await lab.manifest(before)).layout).toBe(before.layout);
  });

  it('wait until their span is over and fully sealed', async () => {
    await importDays([0, 1, 4, 5]);
    const fifthDayEnds = DAY_START + 6 * DAY;
    await merge(fifthDayEnds + 3600);
    expect(await madeOf()).toEqual([[0, 1]]);
    await importLists(lab.importer, [{ list: minute(0), scope: { sliceId: 5 } }], AFTERWARDS);
    await merge(AFTERWARDS);
    expect(await madeOf()).toEqual([[0, 1]]);
  });

  it('of all probes start at single slices, beside the roll-ups of each probe', async () => {
    await importDays([0, 1], 1);
    await importDays([0, 1], 2);
    await merge();
    expect(await madeOf(1)).toEqual([[0, 1]]);
    expect(await madeOf(2)).toEqual([[0, 1]]);
    expect(await madeOf(ALL_PROBES)).toEqual([
      [0, 0],
      [1, 1],
      [
        [0, 0],
        [1, 1],
      ],
    ]);
    expect(await faults()).toEqual([]);
  });

  it('die with any of their sources, as do the roll-ups made of them', async () => {
    const [first] = await importDays([4, 5, 6, 8, 9]);
    await merge();
    expect(await madeOf()).toEqual([
      [4, 5, 6],
      [8, 9],
      [
        [4, 5, 6],
        [8, 9],
      ],
    ]);
    const removed = [first?.segmentId ?? 0];
    await inTransaction(lab.importer, () => publish(lab.importer, { removed }));
    expect(await madeOf()).toEqual([[8, 9]]);
    await merge();
    expect(await madeOf()).toEqual([
      [8, 9],
      [5, 6],
      [
        [5, 6],
        [8, 9],
      ],
    ]);
    expect(await faults()).toEqual([]);
  });

  it('are not made of a segment that dies while they are written', async () => {
    const [first] = await importDays([0, 1]);
    const manifest = await lab.manifest();
    const sources = [...manifest.segments.values()];
    const plan = { name: 'span', groupId: 1, probeId: 0, sources, replaces: null };
    const second = await lab.open();
    await lab.importer.query('begin');
    await publish(lab.importer, { removed: [first?.segmentId ?? 0] });
    const made = makeRollUp(second, { manifest, plan }, () => AFTERWARDS);
    // It has found its sources live, and waits to publish.
    const waiting = `select from pg_stat_activity join pg_locks using (pid)
      where datname = current_database() and not granted`;
    await expect.poll(() => lab.rows(waiting)).toHaveLength(1);
    await lab.importer.query('commit');
    expect(await made).toBe('stale');
    expect(await madeOf()).toEqual([]);
  });

  it('stay if few late readings come, and are rebuilt if many do', async () => {
    await importDays([0, 1, 2]);
    await merge();
    await importDays([1], 0, 1);
    await merge();
    expect(await madeOf()).toEqual([[0, 1, 2]]);
    await importDays([2], 0, 8);
    await merge();
    expect(await madeOf()).toEqual([[0, 1, 1, 2, 2]]);
    expect(await faults()).toEqual([]);
  });

  it('have no segment twice, even if a neighbour of one comes late', async () => {
    await lab.importer.query(`insert into slices (context_id, engine, starts_at, ends_at)
      select 1, 0, ends_at, ends_at + ${DAY} from (
        select ${DAY_START} + day * ${DAY} as ends_at from generate_series(10, 21) as day) days`);
    await importDays([4, 5, 6, 7, 20, 21]);
    await importDays([8], 0, 1);
    const before = DAY_START + 40 * DAY;
    await merge(before);
    expect(await madeOf()).toEqual([
      [4, 5, 6, 7],
      [20, 21],
      [[4, 5, 6, 7], 8],
    ]);
    await importDays([9], 0, 1);
    await merge(before);
    expect(await madeOf()).toContainEqual([8, 9]);
    await merge();
    expect((await madeOf()).at(-1)).toEqual([
      [[4, 5, 6, 7], 8],
      [20, 21],
    ]);
    expect(await faults()).toEqual([]);
  });

  it('leave nothing behind once they are replaced and swept', async () => {
    await importDays([0, 1, 2]);
    await merge();
    await importDays([2], 0, 8);
    await merge();
    await sweepAll(lab.importer, AFTERWARDS + 3600);
    const [{ pages } = { pages: -1 }] = await lab.rows<{ pages: number }>(
      `select count(*)::int as pages from sealed_segment_pages where slice_id = 0
         and segment_id not in (select segment_id from segments)`,
    );
    expect(pages).toBe(0);
    expect(await madeOf()).toEqual([[0, 1, 2, 2]]);
  });
});

describe('the check of a roll-up', () => {
  it('finds a flipped bit in any of its pages', async () => {
    await importDays([0, 1, 2]);
    await merge();
    const [rollUp] = rollUpsOf(await lab.manifest());
    for (let page = 0; page < (rollUp?.pageCount ?? 0); page += 1) {
      const flip = `update sealed_segment_pages set bytes = set_bit(bytes, 77, 1 - get_bit(bytes, 77))
        where slice_id = 0 and segment_id = ${rollUp?.segmentId} and page = ${page}`;
      await lab.importer.query(flip);
      expect(await faults()).toContainEqual(
        expect.stringMatching(`^the digest of page ${page} does not fit its bytes`),
      );
      await lab.importer.query(flip);
    }
    expect(await faults()).toEqual([]);
  });

  it.each([
    ['sources = array[sources[1], sources[3], sources[2]]', /keys|sums/],
    ['sources = array[sources[1], sources[2]]', 'what it was made of is not there'],
    ['first_bucket = first_bucket - 60', 'the first bucket is'],
    ['row_count = row_count + 1', 'the number of rows is'],
    ['size_bytes = size_bytes + 1', 'the size is'],
  ])('finds a manifest row that contradicts the roll-up: %s', async (change, fault) => {
    await importDays([0, 1, 2]);
    await merge();
    await lab.importer.query(`update segments set ${change} where sources is not null`);
    expect((await faults()).join('\n')).toMatch(fault);
  });

  it('finds one that counts a segment twice, even if it matches its sources', async () => {
    await importDays([0, 1, 2]);
    await merge();
    const manifest = await lab.manifest();
    const sources = [...rollUpsOf(manifest), ...manifest.segments.values()].slice(0, 2);
    const plan = { name: 'twice', groupId: 1, probeId: 0, sources, replaces: null };
    await makeRollUp(lab.importer, { manifest, plan }, () => AFTERWARDS);
    expect(await faults()).toEqual(['it was made of the same segment twice']);
  });

  it('finds sums, keys and sources that differ from those it was made of', async () => {
    await importDays([0, 1, 2]);
    await merge();
    const { segments } = await lab.manifest();
    const [first] = segments.values();
    // These replace a source in turn: the same keys with other readings, another key, one key.
    const others = await importLists(lab.importer, [
      {
        list: Array.from({ length: 6 }, (_, host) => sample(3 * host, DAY_START + 60 * host, 7)),
        scope: { level: SEALED_LEVEL },
      },
      { list: [sample(250, DAY_START, 7)], scope: { level: SEALED_LEVEL } },
      { list: [sample(0, DAY_START, 7)], scope: { level: SEALED_LEVEL } },
    ]);
    const wanted = [
      'its sums are not what its sources add up to',
      'its keys are not those of its sources',
      /its sums are not|other keys than it has|its keys are not/,
    ];
    for (const [i, { segmentId }] of others.entries()) {
      await lab.importer.query(
        'update segments set sources = array_replace(sources, $1, $2) where sources is not null',
        [i === 0 ? first?.segmentId : others[i - 1]?.segmentId, segmentId],
      );
      expect((await faults()).join('\n')).toMatch(wanted[i] ?? '');
    }
  });
});
