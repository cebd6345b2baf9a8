import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Statement } from '../../db/session/read-session.ts';
import { type EventPage, selectEventPages } from '../../db/sql/alert-events.ts';
import { T0 } from '../support/lab/lab.ts';
import { CONTEXT } from '../support/lab/service.ts';
import { type AlertLab, startAlertLab } from './alert-lab.ts';

const EVENTS = 21_000;
const RARE = 20;

let lab: AlertLab;
let contextId = 0;

beforeAll(async () => {
  lab = await startAlertLab();
  await lab.declare({ often: { when: { key_above: 10 } }, rare: { when: { key_above: 11 } } });
  const [context] = await lab.sql<{ id: number }>('select context_id as id from contexts');
  contextId = context?.id ?? 0;
  await lab.sql(
    `insert into alert_events (event_id, alert_id, context_id, key, started_at, ended_at, value,
       peak_value)
     select gen_random_uuid(), a.alert_id, a.context_id, 'k' || n, $1::bigint - n / 7, $1, 1, 1
     from alerts a, generate_series(1, $2::int) n where a.name = 'often' or n % $3::int = 0`,
    [T0, EVENTS, EVENTS / RARE],
  );
  await lab.sql('analyze alert_events');
});
afterAll(() => lab.close());

type Plan = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
};

/** The number of event rows that PostgreSQL reads, including those that a filter removes. */
const rowsRead = (plan: Plan): number => {
  const {
    'Actual Rows': rows,
    'Actual Loops': loops,
    'Rows Removed by Filter': removed = 0,
  } = plan;
  const own = plan['Relation Name'] === 'alert_events' ? (rows + removed) * loops : 0;
  return (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below), own);
};

async function explain(page: EventPage): Promise<Plan> {
  let asked: Statement = { text: '' };
  const session = {
    read: async <Row>(statement: Statement) => {
      asked = statement;
      return [] as Row[];
    },
  };
  await selectEventPages(session, [page]);
  const [row] = await lab.sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, format json) ${asked.text}`,
    [...(asked.values ?? [])],
  );
  if (!row) throw new Error('PostgreSQL explained nothing');
  return row['QUERY PLAN'][0].Plan;
}

describe('a page of events', () => {
  const middle = {
    startedAt: T0 - EVENTS / 14,
    eventId: '80000000-0000-0000-0000-000000000000',
  };

  it.each([
    ['with the newest of all', null, null],
    ['from the middle of all', null, middle],
    ['with the newest of a rule that fires often', 'often', null],
    ['from the middle of such a rule', 'often', middle],
    ['of a rule that fires rarely', 'rare', null],
    ['of a rule that does not exist', 'none', null],
  ])('%s is read through an index, with few other rows', async (_, alert, after) => {
    const limit = 51;
    // Each row is found and then read, and some share the second at which the page begins.
    expect(rowsRead(await explain({ contextId, alert, after, limit }))).toBeLessThan(3 * limit);
  });
});

describe('a page of no events', () => {
  const DOCUMENT = `query ($alert: String, $first: Int, $after: String) {
    context(name: "${CONTEXT}") { alertEvents(alert: $alert, first: $first, after: $after) {
      edges { cursor }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;

  type Page = { readonly edges: readonly { readonly cursor: string }[] };

  async function page(args: Readonly<Record<string, unknown>>): Promise<Page> {
    const { context } = await lab.data<{ context: { alertEvents: Page } }>(DOCUMENT, args);
    return context.alertEvents;
  }

  it('says whether there are any, and any more', async () => {
    const { edges } = await page({ alert: 'rare', first: 1000 });
    expect(edges).toHaveLength(RARE);
    const last = edges.at(-1)?.cursor;
    const cases: readonly (readonly [Record<string, unknown>, object])[] = [
      [{}, { hasNextPage: true, hasPreviousPage: false }],
      [{ alert: 'rare' }, { hasNextPage: true, hasPreviousPage: false }],
      [
        { alert: 'rare', after: edges[0]?.cursor },
        { hasNextPage: true, hasPreviousPage: true },
      ],
      [
        { alert: 'rare', after: last },
        { hasNextPage: false, hasPreviousPage: true },
      ],
      [{ alert: 'nothing' }, { hasNextPage: false, hasPreviousPage: false }],
    ];
    for (const [args, known] of cases) {
      const pageInfo = { startCursor: null, endCursor: null, ...known };
      expect(await page({ first: 0, ...args })).toEqual({ edges: [], pageInfo });
    }
  });
});
