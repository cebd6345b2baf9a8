import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../../db/connection/with-connection.ts';
import { removeIdlePartitions } from '../../db/sql/remove-partitions.ts';
import { importFile } from '../../ingest/files/import-file.ts';
import { compactContext } from '../../store/merge/compact-context.ts';
import { keepingOf } from '../store/archive/keep-support.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { DAY, group, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/lab/service.ts';
import { hasCluster } from './cluster.ts';
import { leadThrough, type WorkerWay } from './worker-way.ts';

const GROUPS = Array.from({ length: 8 }, (_, n) => group(n + 1));

/** One key in each group on each day, so that each worker has some of the segments. */
const linesOf = (day: number): Line[] =>
  GROUPS.map(({ guid }, n) => ({
    group: guid,
    key: `key ${n}`,
    ts: T0 + day * DAY + 600,
    values: { 0: 10 * (day + 1) + n },
  }));

const DAYS = [0, 1, 2];

describe.skipIf(!hasCluster)('a Citus cluster', { timeout: 60_000 }, () => {
  let lab: TestService;
  let way: WorkerWay;
  /** The imported days. */
  let days: number[];

  beforeAll(async () => {
    days = [...DAYS];
    lab = await startLab({ groups: GROUPS, lines: DAYS.flatMap(linesOf) });
    way = await leadThrough(lab.databaseUrl);
  });

  afterEach(() => way.open());

  afterAll(async () => {
    if (lab) await finishCommits();
    await lab?.close();
    await way?.remove();
  });

  const window = { window_fromts: T0, window_tots: T0 + 30 * DAY };

  const askAll = (changes: Partial<typeof window> = {}) =>
    Promise.all(
      GROUPS.map(({ guid }) =>
        lab.rest('topper', { counter_group: guid, meter: 0, ...window, ...changes }),
      ),
    );

  /** Reads all toppers with empty caches: each must be the sum of all days. */
  async function expectAnswers(): Promise<void> {
    lab.emptyCaches();
    const answers = await askAll();
    const sums = GROUPS.map((_, n) => days.reduce((sum, day) => sum + 10 * (day + 1) + n, 0));
    const failed = answers.filter(({ status }) => status !== 200);
    expect(failed.map(({ body }) => body)).toEqual([]);
    expect(answers.map(({ body }) => (body as Body).keys.map(({ metric }) => metric))).toEqual(
      sums.map((sum) => [sum]),
    );
  }

  /** A worker that did not answer is checked every second. */
  const expectRecovery = () => expect.poll(() => expectAnswers().then(() => 'whole')).toBe('whole');

  type Body = { readonly keys: readonly { readonly metric: number }[] };

  /** Citus itself does this every minute. */
  const finishCommits = () => rowsOf(lab.databaseUrl, 'select recover_prepared_transactions()');

  async function importDay(day: number): Promise<void> {
    days.push(day);
    await lab.importSamples(linesOf(day));
  }

  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
  }

  it('waits in requests and commands for a worker that commits late', async () => {
    await expectAnswers();
    way.holdCommits();
    const importing = importDay(5);
    await until(() => way.held() > 0);
    const asked = expectAnswers();
    const verified = keepingOf(lab).verify();
    const compacted = compactContext({
      databaseUrl: lab.databaseUrl,
      context: CONTEXT,
      now: () => lab.clock.seconds,
    });
    await until(async () => (await pageReads()) >= 3);
    await way.open();
    await asked;
    expect((await verified).differences).toEqual([]);
    expect((await compacted).damaged).toEqual([]);
    await importing;
  });

  /** Returns the number of connections that read pages, or have just done so. */
  async function pageReads(): Promise<number> {
    const [row] = await rowsOf<{ count: number }>(
      lab.databaseUrl,
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and query ilike '%copy (%segment_pages%'`,
    );
    return row?.count ?? 0;
  }

  it('fails reads from a worker that does not commit, until Citus finishes the commit', async () => {
    way.holdCommits();
    const importing = importDay(6);
    await until(() => way.held() > 0);
    await way.close();
    await importing;
    await way.open();
    lab.emptyCaches();
    const answers = await askAll();
    const failed = answers.filter(({ status }) => status === 500);
    expect(failed.length).toBeGreaterThan(0);
    for (const { body } of failed) expect(body).toMatchObject({ status: 'ERROR' });
    await finishCommits();
    await expectAnswers();
  });

  it('fails reads from a stopped worker at once, and nothing else', async () => {
    await expectAnswers();
    const remembered = { counter_group: GROUPS[0]?.guid, meter: 0, ...window };
    const before = await lab.rest('topper', remembered);
    await way.close();
    const started = performance.now();
    expect(await lab.rest('topper', remembered)).toMatchObject({ status: 200, body: before.body });
    expect((await lab.rest('slices')).status).toBe(200);
    expect((await lab.rest('groups')).status).toBe(200);
    lab.emptyCaches();
    const answers = await askAll();
    const failed = answers.filter(({ status }) => status !== 200);
    expect(failed.length).toBeGreaterThan(0);
    for (const { status, body } of failed) {
      expect({ status, body }).toEqual({
        status: 500,
        body: { status: 'ERROR', message: 'Database is not reachable' },
      });
    }
    await expect(lab.importSamples(linesOf(7))).rejects.toThrow(/connection|reach/i);
    expect(performance.now() - started).toBeLessThan(20_000);
    await way.open();
    await expectAnswers();
    await importDay(7);
    await expectAnswers();
    expect((await keepingOf(lab).verify()).differences).toEqual([]);
  });

  it.each([
    ['a paused worker', true],
    ['a paused worker that is being drained', false],
  ])('fails reads from %s within seconds, and nothing else', async (_, isFilled) => {
    await way.mayFill(isFilled);
    lab.emptyCaches();
    way.silence();
    const started = performance.now();
    const asked = askAll();
    expect((await lab.rest('slices')).status).toBe(200);
    const answers = await asked;
    const failed = answers.filter(({ status }) => status !== 200);
    expect(failed.length).toBeGreaterThan(0);
    for (const { status, body } of failed) {
      expect({ status, body }).toEqual({
        status: 500,
        body: { status: 'ERROR', message: 'Database is not reachable' },
      });
    }
    expect(performance.now() - started).toBeLessThan(20_000);
    await way.open();
    await way.mayFill(true);
    await expectRecovery();
  });

  it('answers from the other workers, however many requests wait for a paused one', async () => {
    lab.emptyCaches();
    way.silence();
    // Each reads one segment. They are more than there are connections.
    const windows = days.map((day) => ({
      window_fromts: T0 + day * DAY,
      window_tots: T0 + (day + 1) * DAY,
    }));
    const together = (await Promise.all(windows.map(askAll))).flat();
    const statuses = together.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 500]));
    lab.emptyCaches();
    const alone: number[] = [];
    for (const each of windows) alone.push(...(await askAll(each)).map(({ status }) => status));
    expect(statuses).toEqual(alone);
    await way.open();
    await expectRecovery();
  });

  it('locks nobody out to remove a partition that a paused worker has, too', async () => {
    const name = 'sealed_segment_pages_9999';
    await lab.write(async (connection) => {
      await connection.query(`create table ${name} (like sealed_segment_pages including all)`);
      await connection.query(
        `alter table sealed_segment_pages attach partition ${name} for values in (9999)`,
      );
    });
    const isThere = async () =>
      (await rowsOf(lab.databaseUrl, `select from pg_class where relname = '${name}'`)).length > 0;
    way.silence();
    let isOver = false;
    // On a connection of its own, which has none to the worker yet.
    const target = { databaseUrl: lab.databaseUrl };
    const removing = withConnection(target, 'test', removeIdlePartitions).finally(() => {
      isOver = true;
    });
    await until(async () => {
      const locks = await rowsOf(
        lab.databaseUrl,
        `select from pg_locks join pg_database d on d.oid = database
         where datname = current_database() and granted and mode = 'AccessExclusiveLock'
           and relation in ('open_segment_pages'::regclass, 'sealed_segment_pages'::regclass)`,
      );
      expect(locks).toEqual([]);
      return isOver;
    });
    await removing;
    expect(await isThere()).toBe(true);
    await way.open();
    await expectRecovery();
    await lab.write(removeIdlePartitions);
    expect(await isThere()).toBe(false);
  });

  it('keeps nothing of an import that loses a worker midway', async () => {
    const slices = (await lab.rest('slices')).body;
    const importing = importFile({
      databaseUrl: lab.databaseUrl,
      context: CONTEXT,
      format: 'samples',
      source: {
        name: 'cut off',
        sizeBytes: null,
        isRepeatable: false,
        open: () => Readable.from(cutOff()),
      },
      now: () => T0 + 30 * DAY,
    });
    await expect(importing).rejects.toThrow();
    await way.open();
    expect((await lab.rest('slices')).body).toEqual(slices);
    await expectAnswers();
    expect((await keepingOf(lab).verify()).differences).toEqual([]);
  });

  async function* cutOff() {
    yield Buffer.from(textOf(linesOf(8)));
    await way.close();
    yield Buffer.from(textOf(linesOf(9)));
  }

  const textOf = (lines: readonly Line[]): string =>
    lines.map((line) => `${JSON.stringify(line)}\n`).join('');
});

describe.skipIf(!hasCluster)('moving shards', { timeout: 180_000 }, () => {
  it('changes no answer, and fails neither requests nor imports', async () => {
    const lab = await startLab({ groups: GROUPS, lines: DAYS.flatMap(linesOf) });
    const ask = () =>
      lab.topper({
        counter_group: GROUPS[1]?.guid,
        meter: 0,
        window_fromts: T0,
        window_tots: T0 + 9 * DAY,
      });
    const expected = await ask();
    let isMoved = false;
    /** Repeats work while shards are moved. Returns how often. */
    const meanwhile = async (work: (count: number) => Promise<void>): Promise<number> => {
      let count = 0;
      for (; !isMoved; count += 1) await work(count);
      return count;
    };
    const asking = meanwhile(async () => {
      lab.emptyCaches();
      expect(await ask()).toEqual(expected);
    });
    // Beyond the window of the question.
    const importing = meanwhile((count) => lab.importSamples(linesOf(10 + count)));
    const moving = moveAll(lab.databaseUrl).finally(() => {
      isMoved = true;
    });
    const [asked, imported] = await Promise.all([asking, importing, moving]);
    expect(asked).toBeGreaterThan(3);
    expect(imported).toBeGreaterThan(0);
    expect(await ask()).toEqual(expected);
    expect((await keepingOf(lab).verify()).differences).toEqual([]);
    await lab.close();
  });
});

/** Moves each shard of pages to another worker, and removes the old copy. */
async function moveAll(databaseUrl: string): Promise<void> {
  const shards = await rowsOf<{ shard: string; from: number; to: number }>(
    databaseUrl,
    `select shardid as shard, p.groupid as from, (select min(n.groupid) from pg_dist_node n
       where n.groupid not in (0, p.groupid)) as to
     from pg_dist_shard join pg_dist_placement p using (shardid)
     where logicalrelid = 'sealed_segment_pages'::regclass order by 1`,
  );
  for (const { shard, from, to } of shards) {
    await untilFree(() =>
      rowsOf(
        databaseUrl,
        `select citus_move_shard_placement($1::bigint, f.nodename, f.nodeport, t.nodename, t.nodeport)
       from pg_dist_node f, pg_dist_node t where f.groupid = $2 and t.groupid = $3`,
        [shard, from, to],
      ),
    );
    await rowsOf(databaseUrl, 'call citus_cleanup_orphaned_resources()');
  }
}

/** Retries, as Citus's rebalancer does: no shard can move while a partition is created. */
async function untilFree(move: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await move();
      return;
    } catch (error) {
      expect(error).toMatchObject({ message: expect.stringMatching(/could not acquire the lock/) });
    }
  }
}
