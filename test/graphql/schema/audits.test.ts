import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { startTestService, type TestService } from '../../support/lab/service.ts';

/** Yoga answers everything while nothing is compiled; the fast path answers what it can. */
const WAYS = [
  { way: 'yoga', compileAfter: 0 },
  { way: 'hot', compileAfter: 1 },
] as const;

/** Audits that send a compiled document as an ordinary JSON POST. */
const HOT_AUDITS: readonly string[] = [
  '22EB',
  '4655',
  '47DE',
  '80D8',
  '82A3',
  'BF61',
  '78D5',
  '2C94',
  '03D4',
  '34A2',
  '13EE',
  '8161',
  'B8B3',
  '94B0',
  '0220',
  '94B1',
  '0221',
  '94B2',
  '0222',
  '2EA1',
  '28B9',
  '428F',
  '1B7A',
];

describe.each(WAYS)('the GraphQL-over-HTTP specification, by $way', ({ way, compileAfter }) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ settings: { compileAfter } });
  });

  afterAll(() => service.close());

  /** The audits ask only for `__typename`, which needs no credentials (decision 11). */
  const audits = serverAudits({ url: () => `${service.url}/graphql` });
  const answeredHot: string[] = [];

  const hotAnswers = async (): Promise<number> =>
    readMetrics((await service.call('/metrics')).text).value(
      'countergraph_graphql_requests_total',
      { way: 'hot' },
    ) ?? Number.NaN;

  it('has 61 audits, each with its own id', () => {
    expect(audits).toHaveLength(61);
    expect(new Set(audits.map(({ id }) => id)).size).toBe(61);
  });

  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
    '%s: the server %s',
    async (id, _, audit) => {
      // The first run compiles the document, if it can be compiled.
      if (way === 'hot') await audit.fn();
      const before = await hotAnswers();
      const result = await audit.fn();
      if ((await hotAnswers()) > before) answeredHot.push(id);
      const reason = 'reason' in result ? result.reason : null;
      expect({ status: result.status, reason }).toEqual({ status: 'ok', reason: null });
    },
  );

  it('was answered by the expected path', () => {
    expect(answeredHot).toEqual(way === 'hot' ? HOT_AUDITS : []);
  });
});
