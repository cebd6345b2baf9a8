import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyContext } from '../../store/check/verify-context.ts';
import { sums } from '../ingest/import-support.ts';
import { type BreakableServer, startBreakable } from '../support/database/breakable-server.ts';
import { type CommitBreaker, startCommitBreaker } from '../support/database/commit-breaker.ts';
import { makeReady } from '../support/database/database.ts';
import { holdTables } from '../support/database/held-tables.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { flowLine, startFeed } from '../support/lab/feed-lab.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';

let server: BreakableServer;
let program: BuiltProgram;
let databaseUrl: string;

beforeAll(async () => {
  program = await buildProgram();
  server = await startBreakable();
}, 120_000);

afterAll(async () => {
  await server.remove();
  await program.remove();
});

/** Each test has its own database. */
beforeEach(async () => {
  const url = new URL(server.url);
  url.pathname = `/feed_${process.hrtime.bigint()}`;
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`create database ${url.pathname.slice(1)}`);
  await admin.end();
  databaseUrl = url.href;
  await makeReady(databaseUrl);
});

/** The given minute of a stream: ten flows of 100 bytes. */
const minute = (number: number): string =>
  Array.from({ length: 10 }, (_, i) => flowLine({ at: 60 * number + i, from: `10.0.0.${i}` })).join(
    '',
  );

/** Each flow is stored once, and all derived data are right. */
async function expectOnce(flows: number): Promise<void> {
  const all = await sums(databaseUrl);
  expect([all['Aggregates TOTALBW 1'], all['Aggregates TOTALBW 2']]).toEqual([
    String(100 * flows),
    String(flows),
  ]);
  expect(await verifyContext({ databaseUrl, context: 'lab' })).toMatchObject({ differences: [] });
  const noted = await rowsOf<{ flows: number }>(
    databaseUrl,
    'select sum(flows)::int as flows from feeds',
  );
  expect(noted).toEqual([{ flows }]);
}

describe('a commit whose response is lost', () => {
  let breaker: CommitBreaker;

  beforeEach(async () => {
    breaker = await startCommitBreaker(databaseUrl);
  });
  afterEach(() => breaker.close());

  it.each(['after', 'before'] as const)(
    'is made once, even if the connection is cut %s it',
    async (when) => {
      const feed = startFeed({ databaseUrl: breaker.url });
      for (const [number, commits] of [0, 1, 2, 3].entries()) {
        breaker.breakNext(when);
        feed.write(minute(10 * number));
        // Each minute makes the one before it due.
        await feed.until((status) => status.commits === commits);
      }
      breaker.breakNext(when);
      feed.end();
      expect(await feed.done).toMatchObject({ flows: 40, committedFlows: 40, commits: 4 });
      expect(breaker.broken()).toBe(4);
      await expectOnce(40);
    },
  );
});

describe('a feed whose backends are ended repeatedly', () => {
  it('neither loses nor duplicates a flow', async () => {
    const feed = startFeed({ databaseUrl });
    let isOver = false;
    const ending = (async () => {
      let ended = 0;
      while (!isOver && ended < 10) {
        const rows = await rowsOf<{ ended: boolean }>(
          server.url,
          `select pg_terminate_backend(pid) as ended from pg_stat_activity
           where application_name like 'countergraph import%' and state <> 'idle'
             and datname = $1`,
          [new URL(databaseUrl).pathname.slice(1)],
        );
        ended += rows.length;
        // Waits a little longer each time, to interrupt attempts at different points.
        await delay(20 + ended * 20);
      }
      return ended;
    })();
    for (let number = 0; number < 5; number += 1) {
      feed.write(minute(10 * number));
      await feed.until(({ commits }) => commits >= number);
    }
    feed.end();
    const tally = await feed.done;
    isOver = true;
    expect(await ending).toBeGreaterThan(0);
    expect(tally).toMatchObject({ flows: 50, committedFlows: 50 });
    await expectOnce(50);
  });
});

describe('while the database is away', () => {
  it.each([
    ['stopped', () => server.stop()],
    ['killed', () => server.kill()],
    ['its postmaster killed', () => server.killPostmaster()],
  ])('(%s) a feed continues to read, reports it, and commits afterwards', async (_, goAway) => {
    const feed = startFeed({ databaseUrl });
    feed.write(minute(0), minute(10));
    await feed.until(({ commits }) => commits === 1);
    await goAway();
    feed.write(minute(20));
    await feed.until(({ trouble }) => trouble !== null);
    expect(feed.status().trouble).toMatch(/^the database is unavailable \(.+\), trying again$/);
    feed.write(minute(30));
    await feed.until(({ flows }) => flows === 40);
    expect(feed.status()).toMatchObject({ commits: 1, committedFlows: 10, uncommitted: 30 });
    await server.start();
    await feed.until(({ committedFlows, trouble }) => committedFlows >= 20 && trouble === null);
    feed.end();
    expect(await feed.done).toMatchObject({ flows: 40, committedFlows: 40 });
    await expectOnce(40);
  });

  it('for long, a feed that is stopped reports what it could not commit', async () => {
    const feed = startFeed({ databaseUrl, limits: { lastCommitMs: 50 } });
    feed.write(minute(0), minute(10));
    await feed.until(({ commits }) => commits === 1);
    await server.stop();
    feed.stop();
    await expect(feed.done).rejects.toThrow(/^10 flows that were read are not committed: /);
    await server.start();
    await expectOnce(10);
  });
});

it('a feed that is stopped while a commit waits reports what it could not commit', async () => {
  const feed = startFeed({ databaseUrl, limits: { lastCommitMs: 50 } });
  feed.write(minute(0), minute(10));
  await feed.until(({ commits }) => commits === 1);
  const held = await holdTables(databaseUrl, ['feeds']);
  feed.stop();
  await expect(feed.done).rejects.toThrow(
    /^10 flows that were read are not committed: told to stop, and the last commit takes too long$/,
  );
  await held.release();
  await expectOnce(10);
});

type Follower = {
  readonly process: ChildProcess;
  readonly errors: () => string;
  readonly output: () => string;
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
  said(what: RegExp): Promise<void>;
};

/** Starts the command, which reads what the test writes. */
function follow(...more: string[]): Follower {
  const main = join(program.folder, 'dist/bundle/main.js');
  const parameters = [
    'import',
    '--context',
    'lab',
    '--format',
    'goflow2',
    '--follow',
    ...more,
    '-',
  ];
  const child = spawn(process.execPath, [main, ...parameters], {
    cwd: program.folder,
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const texts = { errors: '', output: '' };
  child.stderr.on('data', (data) => {
    texts.errors += String(data);
  });
  child.stdout.on('data', (data) => {
    texts.output += String(data);
  });
  // The command may end before it has read everything: the test must not fail.
  child.stdin.on('error', () => {});
  return {
    process: child,
    errors: () => texts.errors,
    output: () => texts.output,
    ended: once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
    async said(what) {
      while (!what.test(texts.errors)) {
        if (child.exitCode !== null) throw new Error(`it ended: ${texts.errors}`);
        await delay(5);
      }
    },
  };
}

const committedFlows = async (): Promise<number> => {
  const rows = await rowsOf<{ flows: number }>(
    databaseUrl,
    'select coalesce(sum(flows), 0)::int as flows from feeds',
  );
  return rows[0]?.flows ?? 0;
};

async function untilCommitted(flows: number): Promise<void> {
  while ((await committedFlows()) < flows) await delay(20);
}

describe('the command import --follow', () => {
  it('commits what it has read at SIGTERM, and exits with 0', async () => {
    const follower = follow();
    follower.process.stdin?.write(minute(0) + minute(10));
    await untilCommitted(10);
    follower.process.kill('SIGTERM');
    expect(await follower.ended).toEqual([0, null]);
    expect(follower.output()).toBe('standard input: 20 flows from 20 lines, in 2 commits\n');
    await expectOnce(20);
  });

  it('exits with 0 at the end of its input, and reports in JSON what it did', async () => {
    const follower = follow('--json');
    follower.process.stdin?.end(minute(0));
    expect(await follower.ended).toEqual([0, null]);
    expect(JSON.parse(follower.output())).toEqual({
      source: 'standard input',
      context: 'lab',
      format: 'goflow2',
      lines: 10,
      flows: 10,
      skipped: { events: 0, tunnelLines: 0, notIp: 0 },
      badLines: 0,
      commits: 1,
      committedFlows: 10,
      leftOutFlows: 0,
      lost: { flows: 0, packets: 0, datagrams: 0 },
      exporters: [],
    });
  });

  it('reports its lag, and after SIGKILL how far it had come', async () => {
    const follower = follow();
    follower.process.stdin?.write(minute(0) + minute(10));
    await untilCommitted(10);
    await follower.said(
      /"msg":"lab: 20 flows, \d+ d behind; \d+ not committed, for \d+ s; (nothing committed yet|committed up to 2023-11-14T22:14:09Z)"}$/m,
    );
    follower.process.kill('SIGKILL');
    expect(await follower.ended).toEqual([null, 'SIGKILL']);
    await expectOnce(10);
    const next = follow();
    await next.said(
      /"msg":"lab: the feed before, begun at .+, committed 10 flows, the newest of 2023-11-14T22:14:09.000Z"}$/m,
    );
    // A sender that still has the lost flows can send them again from there.
    next.process.stdin?.end(minute(10));
    expect(await next.ended).toEqual([0, null]);
    await expectOnce(20);
  });

  it('survives a restart of the database', async () => {
    const follower = follow();
    follower.process.stdin?.write(minute(0) + minute(10));
    await untilCommitted(10);
    await server.stop();
    follower.process.stdin?.write(minute(20));
    await follower.said(/; the database is unavailable \(.+\), trying again; committed up to /m);
    await server.start();
    await untilCommitted(20);
    follower.process.stdin?.end();
    expect(await follower.ended).toEqual([0, null]);
    await expectOnce(30);
  });

  it('exits with 1 at a bad line, and commits what came before it', async () => {
    const follower = follow();
    follower.process.stdin?.write(`${minute(0)}nonsense\n${minute(1)}`);
    expect(await follower.ended).toEqual([1, null]);
    expect(follower.errors()).toMatch(
      /^countergraph: standard input, line 11: it must be a JSON object, got "nonsense": everything before it is committed; --skip-bad-lines skips such lines$/m,
    );
    await expectOnce(10);
  });

  it('continues after bad lines if asked to, and names them', async () => {
    const follower = follow('--skip-bad-lines');
    follower.process.stdin?.end(`${minute(0)}nonsense\n${minute(1)}`);
    expect(await follower.ended).toEqual([0, null]);
    expect(follower.errors()).toContain('standard input, line 11 was skipped: it must be a JSON');
    expect(follower.output()).toContain('20 flows from 21 lines, 1 bad line skipped');
    await expectOnce(20);
  });
});
