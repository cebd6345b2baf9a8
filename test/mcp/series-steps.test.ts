import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { chooseStep } from '../../mcp/choose-step.ts';
import { bearerOf, connectMcp, type McpClient } from '../support/http/mcp-client.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, CONTEXT, type TestService } from '../support/lab/service.ts';

/** A day of data in a group, and three decades of it in another. */
const lines = [
  ...[0, 3600, 40_000, DAY - 60].map((at) => ({ group: guidOf(1), at: T0 + at })),
  ...[700_000_000, T0, T0 + 70_000_000].map((at) => ({ group: guidOf(2), at })),
].map(({ group: of, at }) => ({ group: of, key: 'a', ts: at, values: { 0: 10 } }));

const EVERYTHING = { interval: { from: 0, to: 253_402_300_799 } };

let lab: TestService;
let ada: McpClient;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1), group(2)], lines });
  ada = await connectMcp(lab.url, bearerOf(ADA));
});

afterAll(() => lab.close());

type Series = { step: number; metric: number; points: { at: number; value: number }[] };

const asked = { context: CONTEXT, counterGroup: 'Group 1', key: 'a' };

const series = (more: object) => ada.ask<Series>('key_series', Object.assign({}, asked, more));

const fault = (more: object) => ada.fault('key_series', Object.assign({}, asked, more));

describe('the step of a series', () => {
  it.each<[string, object]>([
    ['of a month that ends with it', { recentSeconds: 30 * DAY }],
    ['of all times', EVERYTHING],
    ['that has no end', { preset: 'ALL_AVAILABLE' }],
    ['of just that day', { interval: { from: T0, to: T0 + DAY } }],
  ])('fits the day of data in a window %s', async (_, window) => {
    const { step, points, metric } = await series({ window });
    expect(step).toBe(1800);
    expect(points).toHaveLength(48);
    expect(points.reduce((sum, { value }) => sum + value, 0)).toBe(metric);
  });

  it('may be any of which the data has few enough points', async () => {
    const window = { recentSeconds: 30 * DAY };
    const hourly = await series({ window, step: 3600 });
    expect([hourly.step, hourly.points.length]).toEqual([3600, 24]);
    expect((await series({ window: EVERYTHING, step: 180 })).points).toHaveLength(480);
    expect(await fault({ window: EVERYTHING, step: 60 })).toBe(
      'step 60 gives 1440 points of the data in this window, at most 500 are returned: ' +
        'give a step of at least 180',
    );
    expect(await fault({ window, step: 7 })).toMatch(
      /^BAD_USER_INPUT: step must be a positive multiple of the bucket size, 60, got 7/,
    );
  });

  it('that an error suggests is accepted', async () => {
    const old = { counterGroup: 'Group 2', window: EVERYTHING };
    const refused = await fault(Object.assign({ step: 60 }, old));
    const suggested = Number(/at least (\d+)$/.exec(refused)?.[1]);
    const { points } = await series(Object.assign({ step: suggested }, old));
    expect(points.length).toBeLessThanOrEqual(LIMITS.mcpPoints);
  });

  it.each([1, 2, 50])('fits decades of data into %i points', async (maxPoints) => {
    const old = { counterGroup: 'Group 2', window: EVERYTHING };
    const { step, points } = await series(Object.assign({ maxPoints }, old));
    expect(step % 300).toBe(0);
    expect(points.length).toBeLessThanOrEqual(maxPoints);
  });

  it('is never longer than GraphQL allows', () => {
    const grid = { bucketSize: 60, topperBucketSize: 300 };
    const step = chooseStep(EVERYTHING.interval, grid, { maxPoints: 1 });
    expect(step).toBeLessThanOrEqual(LIMITS.seriesStepSeconds);
    expect(step).toBeGreaterThan(LIMITS.seriesStepSeconds - 300);
    expect(step % 300).toBe(0);
  });
});
