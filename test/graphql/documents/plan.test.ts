import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../../support/lab/service.ts';

let lab: TestService;

/** Three full days, and two hours of a fourth. */
const HOURS = 3 * 24 + 2;

/** From the first bucket of a full day to the end of its last. */
const FILLED = 23 * 3600 + 60;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: Array.from({ length: HOURS }, (_, hour) => ({
      group: guidOf(1),
      key: `k${hour % 3}`,
      ts: T0 + hour * 3600,
      values: { 0: 1 },
    })),
  });
});

afterAll(() => lab.close());

const topper = (from: number, to: number) => `{ context(name: "lab") {
  counterGroup(guid: "${guidOf(1)}") {
    topper(window: { interval: { from: ${from}, to: ${to} } }) { total } } } }`;

type Plan = {
  window: { from: number; to: number };
  blocks: { seconds: number; from: number; to: number; count: number }[];
  blocksRead: number;
};

async function planOf(query: string, extensions: object): Promise<Plan[] | undefined> {
  const headers = { ...basic(ADA), 'content-type': 'application/json' };
  const body = JSON.stringify({ query, extensions });
  const { text } = await lab.call('/graphql', { method: 'POST', headers, body });
  return JSON.parse(text).extensions?.plan;
}

describe('the plan of a topper', () => {
  it('names the blocks: coarse inside, fine at the edges, less what is outside', async () => {
    const window = { from: T0 + 90, to: T0 + 2 * DAY + 3660 };
    const plans = await planOf(topper(window.from, window.to), { plan: true });
    expect(plans).toEqual([
      {
        counterGroup: guidOf(1),
        meter: 0,
        probe: null,
        window,
        remembered: false,
        segments: 3,
        blocks: [
          // Each day's segment as a whole, from its first bucket to its last.
          { seconds: FILLED, from: T0, to: T0 + FILLED, count: 1 },
          { seconds: FILLED, from: T0 + DAY, to: T0 + DAY + FILLED, count: 1 },
          { seconds: 3600, from: T0 + 2 * DAY, to: T0 + 2 * DAY + 3600, count: 1 },
          { seconds: 60, from: T0 + 2 * DAY + 3600, to: T0 + 2 * DAY + 3660, count: 1 },
        ],
        blocksLess: [{ seconds: 120, from: T0, to: T0 + 120, count: 1 }],
        certified: false,
        blocksRead: 5,
      },
    ]);
  });

  it('says how many blocks had to be read: none the second time', async () => {
    const query = topper(T0, T0 + 7200);
    lab.emptyCaches();
    expect((await planOf(query, { plan: true }))?.map(({ blocksRead }) => blocksRead)).toEqual([2]);
    expect((await planOf(query, { plan: true }))?.map(({ blocksRead }) => blocksRead)).toEqual([0]);
  });

  it('is returned only on request', async () => {
    expect(await planOf(topper(T0, T0 + 60), {})).toBeUndefined();
    expect(await planOf(topper(T0, T0 + 60), { plan: 'yes' })).toBeUndefined();
  });

  it('is in the log at level debug', async () => {
    await lab.topper({ counter_group: guidOf(1), window_fromts: T0, window_tots: T0 + DAY });
    const lines = lab
      .logText()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const planned = lines.filter(({ msg }) => msg === 'a topper was planned').at(-1);
    expect(planned.plan.blocks).toEqual([{ seconds: FILLED, from: T0, to: T0 + FILLED, count: 1 }]);
  });
});
