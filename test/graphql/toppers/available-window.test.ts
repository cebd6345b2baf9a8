import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

const [HOSTS, PORTS, PAIRS, BARE] = [1, 2, 3, 4].map(guidOf) as [string, string, string, string];

let lab: TestService;

const interval = (from: number, to: number) => ({ from, to, seconds: to - from });

beforeAll(async () => {
  const line = (guid: string, key: string, ts: number, probe: string) => ({
    group: guid,
    key,
    ts,
    probe,
    values: { 0: 1 },
  });
  lab = await startLab({
    groups: [
      group(1),
      group(2),
      group(4),
      group(3, {
        key_kind: 'crosskey',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: PORTS },
      }),
    ],
    declaration: { probes: [{ id: 'idle' }] },
    lines: [
      line(HOSTS, 'a', T0, 'p1'),
      line(HOSTS, 'a', T0 + 3600, 'p2'),
      line(HOSTS, 'b', T0 + DAY, 'p1'),
      line(PAIRS, 'a\\x', T0 + 7200, 'p1'),
    ],
  });
});

afterAll(() => lab.close());

const topper = (guid: string, args: string, selection: string) =>
  lab.data(
    `{ context(name: "lab") { counterGroup(guid: "${guid}") { topper(${args}) { ${selection} } } } }`,
  );

const answered = (fields: object) => ({ context: { counterGroup: { topper: fields } } });

const NOTHING = `window: { interval: { from: ${T0 - DAY}, to: ${T0 - DAY + 60} } }`;
const FIRST = `window: { interval: { from: ${T0}, to: ${T0 + 60} } }`;
const SELECTION = 'availableWindow { from to seconds } keys { key }';

describe('availableWindow', () => {
  it.each([
    ['of a window without data', HOSTS, NOTHING, [], interval(T0, T0 + DAY + 60)],
    ['of a window with data', HOSTS, FIRST, [{ key: 'a' }], interval(T0, T0 + DAY + 60)],
    ['of a probe', HOSTS, `${NOTHING}, probe: "p2"`, [], interval(T0 + 3600, T0 + 3660)],
    ['of a probe without data', HOSTS, `${NOTHING}, probe: "idle"`, [], null],
    ['of a group without data', BARE, NOTHING, [], null],
  ])('%s', async (_, guid, args, keys, availableWindow) => {
    expect(await topper(guid, args, SELECTION)).toEqual(answered({ availableWindow, keys }));
  });

  it("of a drill-down is the cross-key group's", async () => {
    const drilldown = { availableWindow: interval(T0 + 7200, T0 + 7260), keys: [] };
    expect(
      await topper(HOSTS, FIRST, `keys { drilldown(crosskey: "${PAIRS}") { ${SELECTION} } }`),
    ).toEqual(answered({ keys: [{ drilldown }] }));
  });

  it('costs no extra statement', async () => {
    const cost = async (selection: string) => {
      lab.emptyCaches();
      const statements = lab.watchStatements();
      await topper(HOSTS, NOTHING, selection);
      return statements().length;
    };
    expect(await cost(SELECTION)).toBe(await cost('keys { key }'));
  });
});
