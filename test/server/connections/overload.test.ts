import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

/** With two probes, more than the thread that answers requests adds up itself. */
const KEYS = 40_000;

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: Array.from({ length: 2 * KEYS }, (_, i) => ({
      group: GROUP,
      key: `k${i % KEYS}`,
      ts: T0,
      values: { 0: (i % KEYS) + 1 },
      probe: i < KEYS ? 'a' : 'b',
    })),
    settings: { workers: 1, workerQueue: 0, answerCacheBytes: 0, responseCacheBytes: 0 },
  });
});

afterAll(() => lab.close());

const ask = () =>
  lab.rest('topper', { counter_group: GROUP, window_fromts: T0, window_seconds: 60, maxitems: 1 });

describe('more computations than may wait for a thread', () => {
  it('are refused with 503 and Retry-After, and the others are answered', async () => {
    await ask();
    const answers = await Promise.all(Array.from({ length: 60 }, ask));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(answers.length);
    for (const { status, headers, body } of refused) {
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('1');
      expect(body).toEqual({ status: 'ERROR', message: 'Server is busy' });
    }
    for (const { body } of answers.filter(({ status }) => status === 200)) {
      expect(body).toMatchObject({ keys: [{ key: `k${KEYS - 1}`, metric: 2 * KEYS }] });
    }
  });

  it('leave nothing behind: the next request is answered', async () => {
    expect((await ask()).status).toBe(200);
  });
});
