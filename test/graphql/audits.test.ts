import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMetrics } from '../support/metrics-text.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Who answers: Yoga as long as nothing is compiled, and the hot way what it can. */
const WAYS = [
  { way: 'yoga', compileAfter: 0 },
  { way: 'hot', compileAfter: 1 },
] as const;

/** Audits of a document that is compiled, POSTed as JSON with nothing unusual about it. */
const HOT_AUDITS: readonly string[] = [
  ...['22EB', '4655', '47DE', '80D8', '82A3', '78D5', '2C94', '03D4', '34A2', '13EE'],
  ...['8161', 'B8B3', '94B0', '0220', '94B1', '0221', '94B2', '0222', '428F', '1B7A'],
];

describe.each(WAYS)('the GraphQL-over-HTTP specification, by $way', ({ way, compileAfter }) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ settings: { compileAfter } });
  });

  afterAll(() => service.close());

  /** They ask for `__typename` alone, which is open to everybody (decision 11). */
  const audits = serverAudits({ url: () => `${service.url}/graphql` });
  const answeredHot: string[] = [];

  const hotAnswers = async (): Promise<number> =>
    readMetrics((await service.call('/metrics')).text).value(
      'countergraph_graphql_requests_total',
      { way: 'hot' },
    ) ?? Number.NaN;

  it('is 61 audits, each with an id of its own', () => {
    expect(audits).toHaveLength(61);
    expect(new Set(audits.map(({ id }) => id)).size).toBe(61);
  });

  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
    '%s: the server %s',
    async (id, _, audit) => {
      // What it asks for is compiled by then, if it can be.
      if (way === 'hot') await audit.fn();
      const before = await hotAnswers();
      const result = await audit.fn();
      if ((await hotAnswers()) > before) answeredHot.push(id);
      const reason = 'reason' in result ? result.reason : null;
      expect({ status: result.status, reason }).toEqual({ status: 'ok', reason: null });
    },
  );

  it('was answered the way that is meant', () => {
    expect(answeredHot).toEqual(way === 'hot' ? HOT_AUDITS : []);
  });
});
