import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOST_STATEMENTS } from '../../db/connection/pooler.ts';
import { withClient } from '../support/database/database.ts';
import { countWaiting, holdTables } from '../support/database/held-tables.ts';
import { isOnCluster } from '../support/database/on-cluster.ts';
import { readMetrics } from '../support/http/metrics-text.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line, startTestService, type TestService } from '../support/lab/service.ts';
import { type PgBouncer, startPgBouncer } from '../support/programs/pgbouncer.ts';

const GROUPS = [group(1), group(2)];

const LINES: Line[] = Array.from({ length: 200 }, (_, n) => ({
  group: guidOf((n % 2) + 1),
  key: `key ${n % 17}`,
  ts: T0 + (n % 3) * DAY + n * 60,
  values: { 0: n + 1 },
}));

/** Different questions, which together need every kind of statement. */
const QUESTIONS: readonly string[] = GROUPS.flatMap(({ guid }) =>
  [300, 3600, DAY, 3 * DAY].map(
    (seconds) => `{ context(name: "${CONTEXT}") {
      slices { name diskSize } totalWindow { from to }
      counterGroup(guid: "${guid}") {
        keys(first: 3) { totalCount edges { node { key label } } }
        topper(window: { interval: { from: ${T0}, to: ${T0 + seconds} } }, maxItems: 5, filter: { search: "1" }) {
          total others keyCount keys { key metric series { at value } percentiles(ranks: [95]) { value } }
        }
      } } }`,
  ),
);

describe('behind PgBouncer', () => {
  let lab: TestService;
  let expected: unknown[];

  beforeAll(async () => {
    lab = await startLab({ groups: GROUPS, lines: LINES });
    expected = [];
    for (const question of QUESTIONS) expected.push(await lab.data(question));
  });
  afterAll(() => lab?.close());

  /** Runs `work` with a server that reaches the lab's database through its own pooler. */
  async function behind<T>(
    options: Parameters<typeof startPgBouncer>[1],
    work: (service: TestService, pooler: PgBouncer) => Promise<T>,
    settings: { queryTimeoutSeconds?: number } = {},
  ): Promise<T> {
    const pooler = await startPgBouncer(lab.databaseUrl, options);
    const service = await startTestService({ databaseUrl: pooler.url, settings });
    try {
      return await work(service, pooler);
    } finally {
      await service.close();
      await pooler.stop();
    }
  }

  const readiness = async (service: TestService): Promise<[number, string]> => {
    const { status, text } = await service.call('/readyz');
    return [status, text];
  };

  const warnings = (service: TestService): string[] =>
    service
      .logText()
      .split('\n')
      .filter((line) => line.includes(LOST_STATEMENTS));

  it('in transaction mode, parallel queries are correct, and readiness and log warn', () =>
    behind({ mode: 'transaction' }, async (service) => {
      for (let round = 0; round < 3; round += 1) {
        service.emptyCaches();
        const answers = await Promise.all(QUESTIONS.map((question) => service.data(question)));
        expect(answers).toEqual(expected);
      }
      expect(await readiness(service)).toEqual([200, `ready\nwarning: ${LOST_STATEMENTS}\n`]);
      expect(warnings(service)).toHaveLength(1);
      const { password } = new URL(lab.databaseUrl);
      expect(service.logText()).not.toContain(password);
      expect(service.logText()).not.toMatch(/"level":(50|60)/);
    }));

  it('in session mode, everything works as without it', () =>
    behind({ mode: 'session' }, async (service) => {
      const answers = await Promise.all(QUESTIONS.map((question) => service.data(question)));
      expect(answers).toEqual(expected);
      expect(await readiness(service)).toEqual([200, 'ready\n']);
      expect(warnings(service)).toEqual([]);
    }));

  /** The statements prepared in the only server process, by any client. */
  const preparedNames = ({ url }: PgBouncer): Promise<string[]> =>
    withClient(url, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select name from pg_prepared_statements where name like '% %' order by name`,
      );
      return rows.map(({ name }) => name);
    });

  /**
   * One server process and one request at a time, so that statements are lost only when a test
   * drops them. On a cluster, a request that reads pages needs two.
   */
  const ONE = { mode: 'transaction', poolSize: 1 } as const;

  /** Waits until the connection is released, so that the next request takes the same one. */
  async function rest(service: TestService): Promise<void> {
    for (;;) {
      const metrics = readMetrics((await service.call('/metrics')).text);
      const busy = { state: 'busy' };
      if (metrics.value('countergraph_node_connections', busy) === 0) return;
    }
  }

  async function answerAll(service: TestService): Promise<void> {
    service.emptyCaches();
    for (const [index, question] of QUESTIONS.entries()) {
      expect(await service.data(question)).toEqual(expected[index]);
      await rest(service);
    }
    expect(await service.ok('slices', { get_total_window: true })).toEqual(
      await lab.ok('slices', { get_total_window: true }),
    );
  }

  it.skipIf(isOnCluster)(
    'a request whose prepared statement is gone is answered correctly, whichever it is',
    async () => {
      const names = await behind(ONE, async (service, pooler) => {
        await answerAll(service);
        expect(warnings(service)).toEqual([]);
        return preparedNames(pooler);
      });
      expect(names.length).toBeGreaterThan(3);
      for (const name of names.filter((each) => !each.startsWith('countergraph pooler'))) {
        await behind(ONE, async (service, pooler) => {
          await answerAll(service);
          await withClient(pooler.url, (client) => client.query(`deallocate "${name}"`));
          await answerAll(service);
          expect([name, warnings(service)]).toEqual([name, [expect.stringContaining('26000')]]);
        });
      }
    },
  );

  it.skipIf(isOnCluster)(
    'a request whose statement is already prepared there is answered correctly',
    () =>
      behind(ONE, async (service, pooler) => {
        await answerAll(service);
        const own = (await preparedNames(pooler)).filter((name) => name.startsWith('countergraph'));
        expect(own).toHaveLength(1);
        await withClient(pooler.url, (client) => client.query(`deallocate "${own[0]}"`));
        const another = await startTestService({ databaseUrl: pooler.url });
        try {
          await answerAll(another);
          expect(warnings(another)).toEqual([expect.stringContaining('42P05')]);
        } finally {
          await another.close();
        }
      }),
  );

  it.skipIf(isOnCluster)(
    'a statement with the same name and another text is not mistaken for ours',
    () =>
      behind(ONE, async (service, pooler) => {
        await answerAll(service);
        for (const name of await preparedNames(pooler)) {
          // The name ends with a digest of the text.
          expect(name).toMatch(/ [0-9a-f]{12}$|^countergraph pooler$/);
        }
      }),
  );

  it.each(['session', 'transaction'] as const)(
    'in %s mode, a statement that takes too long is cancelled in the database',
    (mode) =>
      behind(
        { mode },
        async (service) => {
          const held = await holdTables(lab.databaseUrl, ['open_segment_pages']);
          try {
            const question = { counter_group: guidOf(1), window_fromts: T0, window_seconds: 60 };
            const refused = await service.refusal('topper', question);
            expect(refused).toEqual([500, 'Query timed out after 1 seconds']);
            expect(await countWaiting(lab.databaseUrl)).toBe(0);
          } finally {
            await held.release();
          }
          expect(await service.data(QUESTIONS[0] ?? '')).toEqual(expected[0]);
        },
        { queryTimeoutSeconds: 1 },
      ),
  );
});
