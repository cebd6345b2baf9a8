import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTEXT_IMPORT_LOCK, CONTEXT_MERGE_LOCK } from '../../db/advisory-locks.ts';
import { type Connection, inSnapshot } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import { type MergeOptions, mergeContext } from '../../store/merge/merge-context.ts';
import { MERGE_FAN_IN } from '../../store/merge/plan-merge.ts';
import { runMerge } from '../../store/merge/run-merge.ts';
import { plainTable, SHAPE, samples, sorted } from '../segments/plain-segments.ts';
import {
  DAY,
  DAY_START,
  importLists,
  minute,
  openStoreLab,
  type StoreLab,
  sample,
  tableOf,
} from './store-lab.ts';

let lab: StoreLab;

beforeEach(async () => {
  lab = await openStoreLab();
});

afterEach(() => lab.close());

const DURING = DAY_START + 3600;
const AFTERWARDS = DAY_START + 10 * DAY;

const merge = (connection: Connection, now: number, more: Partial<MergeOptions> = {}) =>
  mergeContext(connection, { contextId: 1, now: () => now, ...more });

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

const importMinutes = (numbers: readonly number[]) =>
  importLists(
    lab.importer,
    numbers.map((number) => ({ list: minute(number) })),
    DURING,
  );

const tableOfMinutes = (numbers: readonly number[]) =>
  sorted(
    new Map(
      [...plainTable(numbers.flatMap((number) => minute(number)))].map(([at, reading]) => [
        `1 0 ${at}`,
        reading,
      ]),
    ),
  );

const levels = async () =>
  [...(await lab.manifest()).segments.values()].map(({ level }) => level).sort((a, b) => a - b);

describe('merging a context', () => {
  it('turns many segments into few with the same readings, and keeps the version', async () => {
    await importMinutes(range(0, 30));
    const before = await lab.manifest();
    expect(await merge(lab.importer, DURING)).toBe('done');
    expect(await levels()).toEqual([...range(0, 6).map(() => 0), 1, 1]);
    const after = await lab.manifest(before);
    expect(after.version).toBe(before.version);
    expect(after.layout).toBe(before.layout + 2);
    expect(sorted(await lab.table())).toEqual(tableOfMinutes(range(0, 30)));
  });

  it('seals a slice that is over, and again once enough late readings have come', async () => {
    await importMinutes(range(0, 30));
    await merge(lab.importer, AFTERWARDS);
    expect(await levels()).toEqual([SEALED_LEVEL]);
    await importMinutes(range(30, 90));
    await merge(lab.importer, AFTERWARDS);
    expect(await levels()).toEqual([SEALED_LEVEL]);
    expect(sorted(await lab.table())).toEqual(tableOfMinutes(range(0, 90)));
    await importMinutes([90]);
    await merge(lab.importer, AFTERWARDS);
    expect(await levels()).toEqual([SEALED_LEVEL, SEALED_LEVEL]);
    expect(sorted(await lab.table())).toEqual(tableOfMinutes(range(0, 91)));
  });

  it('combines the readings of several segments for a key and bucket by their aggregates', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(samples, { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (lists, sliceId) => {
          const scope = { probeId: lists.length, sliceId };
          await importLists(
            lab.importer,
            lists.map((list) => ({ list, scope })),
            DURING,
          );
          const merged: number[] = [];
          await merge(lab.importer, AFTERWARDS, {
            sealAfterSeconds: 0,
            onMerged: (_, { inputs }) => merged.push(inputs.length),
          });
          expect(merged[0]).toBe(lists.length);
          const [last] = [...(await lab.manifest()).segments.values()].slice(-1);
          expect(last?.probeId).toBe(lists.length);
          expect(sorted(await lab.table())).toEqual(
            [...plainTable(lists.flat())]
              .map(([at, reading]) => [`1 ${lists.length} ${at}`, reading])
              .sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1)),
          );
          await lab.importer.query(
            'update segments set died = born + 1, died_at = now() where died is null',
          );
        },
      ),
      { numRuns: 15 },
    );
  });

  it('keeps groups, probes and slices apart', async () => {
    await lab.importer.query(
      `insert into counter_groups (context_id, guid, name, key_kind, bucket_size,
         topper_bucket_size, sampling_rate, enabled)
       values (1, gen_random_uuid(), 'more', 'ip', 60, 300, 1, true);
       insert into meters select 3, meter_id, slot, type, topcount, name, description, units
         from meters where group_id = 1`,
    );
    const scopes = [
      { groupId: 1, probeId: 0, sliceId: 1 },
      { groupId: 1, probeId: 1, sliceId: 1 },
      { groupId: 3, probeId: 0, sliceId: 1 },
      { groupId: 1, probeId: 0, sliceId: 2 },
    ];
    await importLists(
      lab.importer,
      scopes.flatMap((scope) => [1, 2].map((number) => ({ list: minute(number), scope }))),
      DURING,
    );
    await merge(lab.importer, AFTERWARDS);
    const { segments } = await lab.manifest();
    expect(
      [...segments.values()].map(({ groupId, probeId, sliceId }) => ({
        groupId,
        probeId,
        sliceId,
      })),
    ).toHaveLength(4);
    expect([...segments.values()]).toEqual(
      expect.arrayContaining(scopes.map((scope) => expect.objectContaining(scope))),
    );
  });

  it('gives a segment the meters that were declared since its inputs were written', async () => {
    await importMinutes([1]);
    await lab.importer.query(
      `insert into meters (group_id, meter_id, slot, type, topcount, name, description, units)
       values (1, 6, 7, 2, 100, 'new', '', '')`,
    );
    await merge(lab.importer, AFTERWARDS);
    const [segment] = (await lab.manifest()).segments.values();
    expect(segment?.directory().slots).toBe(7);
    expect(sorted(await lab.table())).toEqual(tableOfMinutes([1]));
  });

  it('refuses a group that has fewer meters than an input, as readings would be lost', async () => {
    await importMinutes([1]);
    const inputs = [...(await lab.manifest()).segments.values()];
    const plan = { inputs, level: 1 };
    const shape = { ...SHAPE, aggregates: SHAPE.aggregates.slice(0, 5) };
    const merging = runMerge(lab.importer, { contextId: 1, plan, shape, now: () => DURING });
    await expect(merging).rejects.toThrow('has 6 meters, its group only 5');
  });

  it('does not wait for an import that is not at its last step', async () => {
    await importMinutes(range(0, MERGE_FAN_IN));
    const second = await lab.open();
    await second.query('begin');
    await second.query('select pg_advisory_xact_lock($1, 1)', [CONTEXT_IMPORT_LOCK]);
    expect(await merge(lab.importer, DURING)).toBe('done');
    expect(await levels()).toEqual([1]);
    await second.query('rollback');
  });

  it('does nothing while another process merges the same context', async () => {
    await importMinutes(range(0, MERGE_FAN_IN));
    const second = await lab.open();
    await second.query('begin');
    await second.query('select pg_advisory_xact_lock($1, 1)', [CONTEXT_MERGE_LOCK]);
    expect(await merge(lab.importer, DURING)).toBe('busy');
    await second.query('rollback');
    expect(await merge(lab.importer, DURING)).toBe('done');
  });

  it('ends between two merges when its signal is aborted', async () => {
    await importMinutes(range(0, 2 * MERGE_FAN_IN));
    const stop = new AbortController();
    const merging = merge(lab.importer, DURING, {
      signal: stop.signal,
      onMerged: () => stop.abort(new Error('enough')),
    });
    await expect(merging).rejects.toThrow('enough');
    expect(await levels()).toEqual([...range(0, MERGE_FAN_IN).map(() => 0), 1]);
  });

  it('has nothing to do in a context that is empty or does not exist', async () => {
    expect(await merge(lab.importer, DURING)).toBe('done');
    expect(await merge(lab.importer, DURING, { contextId: 9 })).toBe('done');
  });
});

describe('a reader in a snapshot from before a merge', () => {
  it('reads the old segments, page by page, and after its end the merged one', async () => {
    await importMinutes(range(0, 30));
    await inSnapshot(lab.reader, async () => {
      const before = await lab.manifest();
      await merge(lab.importer, AFTERWARDS);
      const table = await tableOf(copiesOf(lab.reader), before);
      expect(sorted(table)).toEqual(tableOfMinutes(range(0, 30)));
      expect((await lab.manifest(before)).segments.size).toBe(30);
    });
    expect((await lab.manifest()).segments.size).toBe(1);
  });
});

describe('a merge that is killed halfway', () => {
  it('loses nothing, leaves nothing behind, and is done by the next run', async () => {
    await importMinutes(range(0, 30));
    const before = await lab.manifest();
    const killed = await lab.open('killed');
    const { rows } = await killed.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]?.pid;
    // It has written all of its pages by the time it waits for the row of the context's numbers.
    await lab.importer.query('begin');
    await lab.importer.query('select from context_versions where context_id = 1 for update');
    const dying = expect(merge(killed, AFTERWARDS)).rejects.toThrow(/terminat/);
    await untilWaiting(pid ?? 0);
    await lab.reader.query('select pg_terminate_backend($1::int)', [pid]);
    await dying;
    await lab.importer.query('rollback');
    expect(await lab.manifest(before)).toBe(before);
    expect(await lab.rows('select from sealed_segment_pages')).toEqual([]);
    expect(sorted(await lab.table())).toEqual(tableOfMinutes(range(0, 30)));
    expect(await merge(lab.importer, AFTERWARDS)).toBe('done');
    expect(await levels()).toEqual([SEALED_LEVEL]);
    expect(sorted(await lab.table())).toEqual(tableOfMinutes(range(0, 30)));
  });

  async function untilWaiting(pid: number): Promise<void> {
    const text = `select from pg_stat_activity where pid = ${pid} and wait_event_type = 'Lock'`;
    while ((await lab.rows(text)).length === 0);
  }
});

describe('a merge while an import commits', () => {
  it('still publishes, and leaves the new segment to the next merge', async () => {
    await importMinutes(range(0, MERGE_FAN_IN));
    const second = await lab.open();
    const now = () => DURING;
    const inputs = [...(await lab.manifest()).segments.values()];
    await lab.importer.query('begin');
    await importLists(second, [{ list: [sample(1, DAY_START + 30_000, 5)] }], DURING);
    const plan = { inputs, level: 1 };
    await runMerge(lab.importer, { contextId: 1, plan, shape: SHAPE, now });
    await lab.importer.query('commit');
    expect(await levels()).toEqual([0, 1]);
  });
});
