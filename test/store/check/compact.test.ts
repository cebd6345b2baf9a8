import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensurePagePartition } from '../../../db/sql/page-partitions.ts';
import { doneOn } from '../../export/export-support.ts';
import { withClient } from '../../support/database/database.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';
import { nowInSeconds, segmentsOf, verify } from './verify-support.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
});

afterAll(() => lab.close());

const importAt = (ts: number, key = 'a') =>
  lab.importSamples([{ group: guidOf(1), key, ts, values: { 0: 1 } }]);

const compact = (...more: string[]) => doneOn(lab, 'compact', '--context', CONTEXT, ...more);

describe('compact', () => {
  it('seals slices that have ended at once, and reports what it did', async () => {
    for (let i = 0; i < 3; i += 1) await importAt(T0 + i * 60);
    await importAt(T0 + DAY);
    expect(await segmentsOf(lab)).toHaveLength(4);
    const { out } = await compact();
    expect(out).toHaveLength(2);
    expect(out[0]).toBe('1 roll-up was made');
    expect(out[1]).toMatch(
      /^Context lab was compacted: 4 segments became 2 in 2 merges; it has 2 segments of \S+ \S+ now, and had 4 of /,
    );
    expect((await segmentsOf(lab)).map(({ level }) => level)).toEqual([100, 100]);
    expect(await verify(lab)).toMatchObject({ samples: 4, differences: [] });
  });

  it('reports when there is nothing to do', async () => {
    const { out } = await compact();
    expect(out).toEqual([
      'There is nothing to merge in context lab: 2 segments are as few as can be.',
    ]);
  });

  it('does not merge few segments of a slice that has not ended', async () => {
    const now = nowInSeconds();
    const minute = now - (now % DAY) + 60;
    await importAt(Math.min(minute, now));
    const { out } = await compact('--json');
    const report = JSON.parse(out[0] ?? '');
    expect(report).toMatchObject({ context: CONTEXT, merges: 0, merged: 0, swept: 0, damaged: [] });
    expect(report.after).toEqual(report.before);
    expect(report.after.segments).toBe(3);
  });

  it('removes segments that were replaced some minutes ago', async () => {
    await lab.sql(`update segments set died_at = died_at - interval '10 minutes'`);
    const { out } = await compact();
    expect(out[0]).toBe('4 segments replaced earlier were removed');
    expect(await lab.sql('select from segments where died is not null')).toEqual([]);
  });

  it('names a table that cannot be removed, until it can be', async () => {
    await withClient(lab.databaseUrl, (client) =>
      ensurePagePartition(client, { table: 'sealed_segment_pages', sliceId: 999 }),
    );
    await lab.sql('create view in_the_way as select from sealed_segment_pages_999');
    const { err } = await compact();
    expect(err).toEqual([
      expect.stringMatching(
        /^sealed_segment_pages_999 is not needed, but cannot be removed \(in_the_way depends on it\)/,
      ),
    ]);
    await lab.sql('drop view in_the_way');
    expect((await compact()).err).toEqual([]);
    expect(
      await lab.sql("select from pg_class where relname = 'sealed_segment_pages_999'"),
    ).toEqual([]);
  });

  it('says so when segments of slices that have ended are rewritten, but not combined', async () => {
    await importAt(T0 + 2 * DAY);
    const { out } = await compact();
    expect(out.at(-1)).toMatch(/^Context lab was compacted: 1 segment was rewritten on its own; /);
  });
});
