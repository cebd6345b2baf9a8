import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { compactContext } from '../../store/merge/compact-context.ts';
import { makeReady, withClient } from '../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../support/database/standby.ts';
import type { TopperBody } from '../support/http/answers.ts';
import { group, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, type TestService } from '../support/lab/service.ts';
import { sweepAll } from '../support/lab/sweep-all.ts';
import { killServer, pauseServer, resumeServer } from '../support/programs/server-processes.ts';
import {
  type Answer,
  GROUP,
  OTHER,
  QUESTION,
  REMEMBERED,
  stateOf,
  WINDOW,
} from './shared-questions.ts';

let primary: Primary;
let a: Standby;
let b: Standby;
let lab: TestService;

/** The numbers of imports that have begun, and that have committed. */
let begun = 0;
let committed = 0;

/** The n-th import raises totals in both groups by known amounts, and labels a key with n. */
async function importNext(): Promise<void> {
  begun += 1;
  const n = begun;
  await lab.importSamples([
    { group: GROUP, key: 'total', ts: T0, values: { 0: 1 }, label: `label ${n}` },
    { group: GROUP, key: `key ${n}`, ts: T0 + 60, values: { 0: 1000 } },
    { group: OTHER, key: 'total', ts: T0, values: { 0: 7 } },
  ]);
  committed = n;
}

beforeAll(async () => {
  primary = await startPrimary();
  await makeReady(primary.url);
  // PostgreSQL soon ends a reader that delays the replay of the write-ahead log.
  const settings = { max_standby_streaming_delay: '50ms' };
  [a, b] = await Promise.all([startStandby(primary, settings), startStandby(primary, settings)]);
  lab = await startLab({
    databaseUrl: primary.url,
    groups: [group(1), group(2)],
    declaration: { nodes: [shared('a', a.url), shared('b', b.url)] },
    // The tests import in the server's own process: on a busy machine, requests queue meanwhile.
    settings: { maxWaitMs: 60_000 },
  });
  await importNext();
  await caughtUp();
}, 120_000);

const shared = (name: string, url: string) => ({ name, role: 'replica', url, share: true });

const caughtUp = () => Promise.all([a.waitUntilCaughtUp(), b.waitUntilCaughtUp()]);

afterAll(async () => {
  for (const standby of [a, b]) if (standby) resumeServer(standby);
  await lab?.close();
  await Promise.all([a?.remove(), b?.remove()]);
  await primary?.remove();
});

/** The answer must reflect the last import that committed before the request, or a later one. */
async function ask(question = QUESTION): Promise<Answer['context']> {
  const before = committed;
  const answer = await lab.data<Answer>(question);
  const state = stateOf(answer);
  expect(state).toBeGreaterThanOrEqual(before);
  expect(state).toBeLessThanOrEqual(begun);
  return answer.context;
}

/** Like `ask`, by REST, which does not return the node. */
async function askRest(): Promise<void> {
  const before = committed;
  const { keys, sysgrouptotal } = await lab.topper({
    counter_group: GROUP,
    window_fromts: T0,
    window_tots: T0 + 600,
    maxitems: 1,
    key_filter: '^total',
    resolve_keys: true,
  });
  const n = Number(keys[0]?.metric);
  expect({ keys, sysgrouptotal }).toMatchObject({
    keys: [{ key: 'total', label: `label ${n}` }],
    sysgrouptotal: 1000 * n,
  } satisfies Partial<Record<keyof TopperBody, unknown>>);
  expect(n).toBeGreaterThanOrEqual(before);
  expect(n).toBeLessThanOrEqual(begun);
}

/** Returns the nodes that answer `count` consecutive requests. */
async function nodesOf(count: number): Promise<string[]> {
  const names = [];
  for (let i = 0; i < count; i += 1) names.push((await ask()).nodeName);
  return names;
}

const PATIENCE = { timeout: 20_000, interval: 20 };

/** Asks until the named node answers. */
const untilAnsweredBy = (name: string) =>
  vi.waitFor(async () => expect(await nodesOf(3)).toContain(name), PATIENCE);

async function metric(name: string): Promise<number> {
  const { text } = await lab.call('/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}

const passedOver = (node: string, reason: string) =>
  metric(`countergraph_shared_passed_over_total{node="${node}",reason="${reason}"}`);

const answeredBy = (node: string) => metric(`countergraph_shared_requests_total{node="${node}"}`);

describe('shared standbys', () => {
  it('share requests with the primary, and answer the same except for the name', async () => {
    const answers: Answer['context'][] = [];
    await vi.waitFor(async () => {
      answers.push(await ask());
      const names = new Set(answers.map(({ nodeName }) => nodeName));
      expect([...names].sort()).toEqual(['a', 'b', 'primary']);
    }, PATIENCE);
    const [first, ...others] = answers.map((answer) => ({ ...answer, nodeName: '' }));
    for (const other of others) expect(other).toEqual(first);
    expect(first?.haSlaveMode).toBe(false);
    const named = await lab.data<Answer>(QUESTION.replace('"lab"', '"lab", destinationNode: "a"'));
    expect(named.context.id).not.toBe(first?.id);
    expect(named.context.haSlaveMode).toBe(true);
  });

  it('need one statement more than the primary, which checks their snapshot', async () => {
    const counts = new Map<string, number[]>();
    for (let i = 0; i < 30; i += 1) {
      lab.emptyCaches();
      const sent = lab.watchStatements();
      const { nodeName } = await lab
        .data<Answer>(QUESTION.replace('haSlaveMode', ''))
        .then(({ context }) => context);
      counts.set(nodeName, [...(counts.get(nodeName) ?? []), sent().length]);
    }
    // On a busy machine a request may begin anew, which takes more, or two of its batches may fall
    // together, which takes less.
    const usual = (node: string) => counts.get(node)?.sort((x, y) => x - y)[4] ?? 0;
    expect([usual('a'), usual('b')]).toEqual([usual('primary') + 1, usual('primary') + 1]);
  });

  it('are not used if the primary is named, for slices, or if everything is cached', async () => {
    const before = (await answeredBy('a')) + (await answeredBy('b'));
    const question = QUESTION.replace('"lab"', '"lab", destinationNode: "primary"');
    for (let i = 0; i < 4; i += 1) {
      expect((await lab.data<Answer>(question)).context.nodeName).toBe('primary');
      expect((await lab.ok<{ ha_slave_mode: boolean }>('slices')).ha_slave_mode).toBe(false);
      await lab.data('{ context(name: "lab") { haSlaveMode slices { status diskSize } } }');
      await askRest();
    }
    // The first of several equal requests is not cached yet.
    expect((await answeredBy('a')) + (await answeredBy('b'))).toBeLessThanOrEqual(before + 1);
  });
});

/** The replay that resumes may cancel this statement itself. */
const replay = (standby: Standby, what: 'pause' | 'resume') =>
  withClient(standby.url, (client) => client.query(`select pg_wal_replay_${what}()`)).catch(
    (error: unknown) => expect(error).toMatchObject({ code: '40001' }),
  );

describe('a standby that lags', () => {
  afterAll(() => Promise.all([a, b].map((standby) => replay(standby, 'resume'))));

  it('is passed over while its data are older, and used again when it has caught up', async () => {
    await untilAnsweredBy('a');
    await Promise.all([replay(a, 'pause'), replay(b, 'pause')]);
    await importNext();
    expect(new Set(await nodesOf(9))).toEqual(new Set(['primary']));
    expect(await passedOver('a', 'behind')).toBeGreaterThan(0);
    expect(await metric('countergraph_shared_standby_used{node="a"}')).toBe(0);
    await Promise.all([replay(a, 'resume'), replay(b, 'resume')]);
    await untilAnsweredBy('a');
    await untilAnsweredBy('b');
    expect(await metric('countergraph_shared_standby_used{node="a"}')).toBe(1);
  });

  it('is passed over while its texts are older', async () => {
    await Promise.all([replay(a, 'pause'), replay(b, 'pause')]);
    await lab.sql(`update key_texts set description = 'changed' where key = 'total'`);
    expect(new Set(await nodesOf(6))).toEqual(new Set(['primary']));
    await Promise.all([replay(a, 'resume'), replay(b, 'resume')]);
    await untilAnsweredBy('b');
  });

  it('is used again if the primary has lost the versions that it had to reach', async () => {
    await Promise.all([replay(a, 'pause'), replay(b, 'pause')]);
    const [row] = await lab.sql<{ nonce: string }>('select nonce from context_versions');
    await lab.sql('update context_versions set version = version + 1');
    expect(new Set(await nodesOf(6))).toEqual(new Set(['primary']));
    // As after a failover that lost this commit: the version before, in another history.
    await lab.sql('update context_versions set version = version - 1');
    await lab.sql('update context_versions set nonce = $1', [row?.nonce]);
    await lab.sql('vacuum full context_versions');
    await Promise.all([replay(a, 'resume'), replay(b, 'resume')]);
    await untilAnsweredBy('a');
    await untilAnsweredBy('b');
  });

  it('answers from older segments with the same readings', async () => {
    await importNext();
    await caughtUp();
    await untilAnsweredBy('a');
    await Promise.all([replay(a, 'pause'), replay(b, 'pause')]);
    await compact();
    await vi.waitFor(async () => {
      lab.emptyCaches();
      expect((await ask()).nodeName).toBe('a');
    }, PATIENCE);
  });

  it('is passed over if newer segments are known, whose pages it lacks', async () => {
    const before = await passedOver('a', 'behind');
    await vi.waitFor(async () => {
      lab.emptyCaches();
      await lab.data(`{ context(name: "lab", destinationNode: "primary") {
        counterGroup(guid: "${OTHER}") { topper(${WINDOW}) { total } }
      } }`);
      await ask();
      expect(await passedOver('a', 'behind')).toBeGreaterThan(before);
    }, PATIENCE);
    await Promise.all([replay(a, 'resume'), replay(b, 'resume')]);
    await untilAnsweredBy('a');
  });
});

/** Merges all segments into one, and sweeps the merged ones. */
async function compact(): Promise<void> {
  const now = () => Math.floor(Date.now() / 1000);
  await compactContext({ databaseUrl: primary.url, context: 'lab', now });
  await withClient(primary.url, (client) => sweepAll(client, now() + 3600));
}

describe('a standby that hangs', () => {
  it('delays only the requests that it has, and only briefly', async () => {
    await untilAnsweredBy('b');
    pauseServer(b);
    try {
      lab.emptyCaches();
      const names = (await Promise.all(Array.from({ length: 40 }, () => ask()))).map(
        (each) => each.nodeName,
      );
      expect(names).toContain('primary');
      expect(names).not.toContain('b');
      expect(await passedOver('b', 'slow')).toBeGreaterThan(0);
      expect(await nodesOf(6)).not.toContain('b');
    } finally {
      resumeServer(b);
    }
    await untilAnsweredBy('b');
  });

  it('leaves a request enough time for an answer', async () => {
    await untilAnsweredBy('a');
    await untilAnsweredBy('b');
    pauseServer(a);
    pauseServer(b);
    try {
      const question = {
        counter_group: GROUP,
        window_fromts: T0,
        window_tots: T0 + 600,
        timeout: 2,
      };
      for (let i = 0; i < 3; i += 1) {
        lab.emptyCaches();
        expect((await lab.rest('topper', question)).status).toBe(200);
      }
      expect((await passedOver('a', 'slow')) + (await passedOver('b', 'slow'))).toBeGreaterThan(1);
    } finally {
      resumeServer(a);
      resumeServer(b);
    }
    await untilAnsweredBy('a');
  });
});

describe('a standby that dies', () => {
  it('is passed over, and used again when it is back', async () => {
    await untilAnsweredBy('a');
    killServer(a);
    await vi.waitFor(async () => {
      expect((await ask()).nodeName).not.toBe('a');
      expect(await passedOver('a', 'gone')).toBeGreaterThan(0);
    }, PATIENCE);
    await a.startAgain();
    await untilAnsweredBy('a');
  });
});

describe('a replica that is not a standby of the primary', () => {
  it('is passed over', async () => {
    // Another address of the primary itself, which is not in recovery.
    const elsewhere = new URL(primary.url);
    elsewhere.searchParams.set('application_name', 'elsewhere');
    await lab.apply({ context: 'lab', nodes: [shared('elsewhere', elsewhere.href)] });
    await caughtUp();
    expect(await nodesOf(8)).not.toContain('elsewhere');
    expect(await passedOver('elsewhere', 'foreign')).toBeGreaterThan(0);
    // A standby of the same name in another context, which is used, does not hide this.
    const namesake = new URL(a.url);
    namesake.searchParams.set('application_name', 'namesake');
    await lab.apply({ context: 'other', nodes: [shared('elsewhere', namesake.href)] });
    await lab.grant(ADA, ['other']);
    await vi.waitFor(async () => {
      const { context } = await lab.data<Answer>('{ context(name: "other") { nodeName } }');
      expect(context.nodeName).toBe('elsewhere');
    }, PATIENCE);
    expect(await metric('countergraph_shared_standby_used{node="elsewhere"}')).toBe(0);
    await lab.apply({
      context: 'lab',
      nodes: [{ ...shared('elsewhere', elsewhere.href), share: false }],
    });
  });
});

describe('while imports, merges and requests run', () => {
  /** Repeats work until the returned function is called. */
  function repeat(work: () => Promise<unknown>): () => Promise<void> {
    let isOver = false;
    const over = (async () => {
      while (!isOver) await work();
    })();
    return () => {
      isOver = true;
      return over;
    };
  }

  it('no answer is wrong, mixed, old, late or refused, whatever the standbys do', async () => {
    let longestMs = 0;
    const timed = (work: () => Promise<unknown>) => async () => {
      const startedAt = performance.now();
      await work();
      longestMs = Math.max(longestMs, performance.now() - startedAt);
    };
    const stops = [
      repeat(importNext),
      repeat(timed(() => ask())),
      repeat(timed(() => ask())),
      repeat(timed(() => ask(REMEMBERED))),
      repeat(timed(askRest)),
    ];
    const stopAll = () => Promise.all(stops.map((stop) => stop()));
    const importsMore = (count: number) => {
      const enough = committed + count;
      return vi.waitFor(() => expect(committed).toBeGreaterThanOrEqual(enough), 30_000);
    };
    try {
      await importsMore(2);
      killServer(a);
      await importsMore(2);
      pauseServer(b);
      await compact();
      await importsMore(5);
      await a.startAgain();
      resumeServer(b);
      await replay(a, 'pause');
      await importsMore(2);
      await replay(a, 'resume');
      await compact();
      await importsMore(2);
    } finally {
      await stopAll();
    }
    await untilAnsweredBy('a');
    await untilAnsweredBy('b');
    expect(longestMs).toBeLessThan(LIMITS.standbyWaitMs + 4_000);
  }, 120_000);
});
