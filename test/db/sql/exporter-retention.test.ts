import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/connection.ts';
import { foldExporters } from '../../../db/sql/exporter-retention.ts';
import {
  type ExporterRow,
  selectAllExporters,
  upsertExporters,
} from '../../../db/sql/exporters.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { exporter } from '../../support/lab/hear-exporters.ts';
import { T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;

beforeAll(async () => {
  db = await openQueryDatabase();
  await db.apply({ context: 'lab', groups: [] });
  await db.apply({ context: 'other', groups: [] });
});

beforeEach(() => db.sql('delete from feeds'));

afterAll(() => db.close());

type Run = {
  readonly context?: string;
  readonly startedAt: number;
  /** When it was last heard, as an interval before now. */
  readonly heardAgo?: string;
  readonly isOver?: boolean;
};

async function run(
  { context = 'lab', startedAt, heardAgo = '0', isOver = true }: Run,
  ...exporters: ExporterRow[]
): Promise<void> {
  const feedId = randomUUID();
  await db.sql(
    `insert into feeds (feed_id, context_id, format, started_at, commits, flows, newest_us,
       heard_at, ended_at)
     select $1, context_id, 'collect', to_timestamp($2), 1, 1, 0, now() - $3::interval,
       case when $4 then now() end
     from contexts where name = $5`,
    [feedId, startedAt, heardAgo, isOver, context],
  );
  await upsertExporters(db.connection, feedId, exporters);
}

const addresses = async () =>
  (
    await db.sql<{ said: string }>(
      `select name || ' ' || address || ' ' || e.flows as said
       from exporters e join feeds using (feed_id) join contexts using (context_id) order by 1`,
    )
  ).map(({ said }) => said);

const fold = (most = 1_000) => foldExporters(db.connection, most);
const all = () => selectAllExporters(db.connection, 1_000);

const drawn = fc.record({
  context: fc.constantFrom('lab', 'other'),
  startedAt: fc.integer({ min: T0, max: T0 + 5 }),
  isOver: fc.boolean(),
  exporters: fc.uniqueArray(
    fc
      .record({
        address: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1'),
        protocols: fc.uniqueArray(fc.constantFrom('netflow5', 'netflow9', 'sflow')),
        firstSeen: fc.nat(99).map((s) => new Date((T0 + s) * 1000)),
        lastSeen: fc.nat(99).map((s) => new Date((T0 + s) * 1000)),
        flows: fc.nat(),
        lostFlows: fc.nat(),
        lostPackets: fc.nat(),
        lostDatagrams: fc.nat(),
        refused: fc.dictionary(fc.constantFrom('late', 'badTime'), fc.nat()),
        waitingForTemplate: fc.nat(9),
        samplingRates: fc.array(fc.nat(9)),
      })
      .map(({ address, ...more }) => exporter(address, more)),
    { selector: ({ address }) => address },
  ),
});

describe('folding', () => {
  it('keeps one row of each exporter and context, and those of runs that go on', async () => {
    await run({ startedAt: T0 }, exporter('192.0.2.1', { flows: 1 }));
    await run({ startedAt: T0 + 1 }, exporter('192.0.2.1', { flows: 2 }), exporter('192.0.2.2'));
    await run({ startedAt: T0, context: 'other' }, exporter('192.0.2.1', { flows: 8 }));
    await run({ startedAt: T0, isOver: false }, exporter('192.0.2.1', { flows: 4 }));
    const died = { startedAt: T0, isOver: false };
    await run({ ...died, heardAgo: '6 days' }, exporter('192.0.2.1', { flows: 16 }));
    await run({ ...died, heardAgo: '8 days' }, exporter('192.0.2.1', { flows: 32 }));
    await fold();
    const folded = [
      'lab 192.0.2.1 16',
      'lab 192.0.2.1 35',
      'lab 192.0.2.1 4',
      'lab 192.0.2.2 1',
      'other 192.0.2.1 8',
    ];
    expect(await addresses()).toEqual(folded);
    await fold();
    expect(await addresses()).toEqual(folded);
  });

  it('changes nothing that is told of exporters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { maxLength: 8 }), async (runs) => {
        await db.sql('delete from feeds');
        for (const [i, { exporters, startedAt, ...each }] of runs.entries()) {
          // Of several runs that began at the same moment, any may be the newest.
          await run({ ...each, startedAt: startedAt + i / 100 }, ...exporters);
        }
        const before = await all();
        await fold();
        expect(await all()).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });

  it('leaves those with the most flows of each context, but all of runs that go on', async () => {
    const three = [1, 3, 2].map((flows) => exporter(`192.0.2.${flows}`, { flows }));
    await run({ startedAt: T0 }, ...three);
    await run({ startedAt: T0, context: 'other' }, ...three);
    await run({ startedAt: T0, isOver: false }, exporter('192.0.2.9', { flows: 0 }));
    await fold(3);
    expect(await addresses()).toHaveLength(7);
    await fold(2);
    expect(await addresses()).toEqual([
      'lab 192.0.2.2 2',
      'lab 192.0.2.3 3',
      'lab 192.0.2.9 0',
      'other 192.0.2.2 2',
      'other 192.0.2.3 3',
    ]);
  });

  it('counts nothing twice if several servers do it at once', async () => {
    for (let i = 0; i < 20; i += 1) {
      await run({ startedAt: T0 + i }, exporter('192.0.2.1', { flows: 1 }));
    }
    const others = await Promise.all([1, 2, 3].map(() => openConnection(db.url, 'test')));
    try {
      await Promise.all(others.map((connection) => foldExporters(connection, 10)));
    } finally {
      await Promise.all(others.map((connection) => connection.end()));
    }
    expect(await addresses()).toEqual(['lab 192.0.2.1 20']);
  });
});
