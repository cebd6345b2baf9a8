import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, meter, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, type TestService } from '../support/lab/service.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import { expectTold, PATIENCE_MS } from './expect-told.ts';
import { restRequests, WRONG_TOKEN } from './rest-requests.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1, { meters: [meter(0, 2), meter(1, 5), meter(2, 12)] }), group(2)],
    lines: Array.from({ length: 60 }, (_, i) => ({
      group: guidOf(1),
      key: `k${i % 20}`,
      ts: T0 + 60 * i,
      values: { 0: i, 1: -i, 2: i },
      probe: 'p1',
    })),
  });
});

afterAll(() => lab.close());

const TOPPER = { counter_group: guidOf(1), window_fromts: T0, window_seconds: 3600, maxitems: 2 };

describe('any request to a REST endpoint', { timeout: 600_000 }, () => {
  it('is answered as the table of errors says, and leaks nothing', async () => {
    const before = (await lab.rest('topper', TOPPER)).text;
    const statuses = new Map<number, number>();
    const tried = fc.asyncProperty(restRequests, async ({ endpoint, query, call }) => {
      const path = `${lab.path(endpoint)}?${query}`;
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await lab.call(path, { ...call, signal });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expectTold(answer);
    });
    await fc.assert(tried, { numRuns: 4 * FUZZ_CASES });
    expect((await lab.rest('topper', TOPPER)).text).toBe(before);
    for (const token of [ADA.token, WRONG_TOKEN]) expect(lab.logText()).not.toContain(token);
    // The cases reach all these outcomes.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 405, 415, 422]));
  });
});
