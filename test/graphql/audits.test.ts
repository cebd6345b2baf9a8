import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

/** They ask for `__typename` alone, which is open to everybody (decision 11). */
const AUDITS = serverAudits({ url: () => `${service.url}/graphql` });

describe('the GraphQL-over-HTTP specification', () => {
  it('is 61 audits, each with an id of its own', () => {
    expect(AUDITS).toHaveLength(61);
    expect(new Set(AUDITS.map(({ id }) => id)).size).toBe(61);
  });

  it.each(AUDITS.map((audit) => [audit.id, audit.name, audit] as const))(
    '%s: the server %s',
    async (_, __, audit) => {
      const result = await audit.fn();
      const reason = 'reason' in result ? result.reason : null;
      expect({ status: result.status, reason }).toEqual({ status: 'ok', reason: null });
    },
  );
});
