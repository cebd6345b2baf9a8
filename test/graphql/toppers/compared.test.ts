import { afterAll, beforeAll, expect, it } from 'vitest';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

const HOSTS = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  const line = (ts: number, probe?: string) => ({
    group: HOSTS,
    key: 'a',
    ts,
    values: { 0: 5 },
    ...(probe !== undefined && { probe }),
  });
  lab = await startLab({
    groups: [group(1, { name: 'Hosts' })],
    lines: [line(T0), line(T0 + 900), line(T0 + 900, 'p1')],
  });
});

afterAll(() => lab.close());

const interval = (from: number, to: number) => ({ from, to });

const COMPARED = 'compared { window { from to } available { from to } }';

async function ask(args: string, fields: string): Promise<Record<string, unknown>> {
  const answer = await lab.data<{
    context: { counterGroup: { topper: Record<string, unknown> } };
  }>(
    `{ context(name: "lab") { counterGroup(name: "Hosts") { topper(
      window: { interval: { from: ${T0 + 600}, to: ${T0 + 1200} } } ${args}) { ${fields} } } } }`,
  );
  return answer.context.counterGroup.topper;
}

it.each([
  ['all', '600', interval(T0, T0 + 600), interval(T0, T0 + 600)],
  ['a part', '900', interval(T0 - 300, T0 + 300), interval(T0, T0 + 300)],
])(
  'an earlier value says how much of its window is available: %s',
  async (_, ago, window, available) => {
    const { keys } = await ask(
      '',
      `keys { previous(ago: ${ago}) { metric rank change ${COMPARED} } }`,
    );
    const compared = { window, available };
    expect(keys).toEqual([{ previous: { metric: 5, rank: 1, change: 5, compared } }]);
  },
);

it.each([
  ['before all data', '', 86_400],
  ['before those of the probe', 'probe: "p1"', 600],
])('an earlier value is unknown where nothing is available: %s', async (_, args, ago) => {
  const fields = `keys { previous(ago: ${ago}) {
    metric rank change changeRatio window { from to } ${COMPARED} } }`;
  const window = interval(T0 + 600 - ago, T0 + 1200 - ago);
  expect(await ask(args, fields)).toEqual({
    keys: [
      {
        previous: {
          metric: null,
          rank: null,
          change: null,
          changeRatio: null,
          window,
          compared: { window, available: null },
        },
      },
    ],
  });
});

it('a topper says what it is ranked by the change from', async () => {
  const before = interval(T0, T0 + 600);
  for (const rankBy of ['GROWTH', 'DECLINE', 'NEW']) {
    expect(await ask(`rankBy: ${rankBy}`, COMPARED)).toEqual({
      compared: { window: before, available: before },
    });
    expect(await ask(`rankBy: ${rankBy}, ago: 86400`, COMPARED)).toMatchObject({
      compared: { available: null },
    });
  }
  expect(await ask('', COMPARED)).toEqual({ compared: null });
});
