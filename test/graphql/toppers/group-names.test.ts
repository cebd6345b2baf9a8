import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

const [HOSTS, APPS, USES, PAIRS, OTHERS] = [1, 2, 3, 4, 5].map(guidOf) as [
  string,
  string,
  string,
  string,
  string,
];

const crosskey = (parentguid: string, crosskeyguid_1: string) => ({ parentguid, crosskeyguid_1 });

const crossed = (n: number, name: string, first: string) =>
  group(n, {
    name,
    key_kind: 'crosskey',
    crosskey: crosskey(HOSTS, first),
    meters: [meter(0, 2), meter(1, 2)],
  });

let lab: TestService;

beforeAll(async () => {
  const line = (guid: string, key: string, value: number) => ({
    group: guid,
    key,
    ts: T0,
    values: { 0: value, ...([USES, PAIRS].includes(guid) && { 1: 100 - value }) },
  });
  lab = await startLab({
    groups: [
      group(1, { name: 'Hosts' }),
      group(2, { name: 'APPS' }),
      crossed(3, 'Uses', APPS),
      crossed(4, 'Pairs', HOSTS),
      group(5, { name: 'apps' }),
      group(6, { name: 'Off', enabled: false }),
    ],
    lines: [
      line(HOSTS, 'a', 5),
      line(APPS, 'web', 5),
      line(USES, 'a\\web', 3),
      line(USES, 'a\\dns', 2),
      line(PAIRS, 'a\\b', 5),
    ],
  });
});

afterAll(() => lab.close());

const find = async (args: string): Promise<unknown> => {
  const answer = await lab.data<{ context: { counterGroup: { guid: string } | null } }>(
    `{ context(name: "lab") { counterGroup(${args}) { guid } } }`,
  );
  return answer.context.counterGroup?.guid ?? null;
};

describe('a counter group', () => {
  it.each([
    ['its name', 'name: "Hosts"', HOSTS],
    ['its name in other case', 'name: "hOSTS", guid: null', HOSTS],
    ['its name as declared, where another differs in case', 'name: "apps"', OTHERS],
    ['a name that two groups have in other case', 'name: "Apps"', null],
    ['a name that none has', 'name: "Host"', null],
    ['the name of one that is not enabled', 'name: "Off"', null],
    ['its GUID', `guid: "${APPS}", name: null`, APPS],
  ])('is found by %s', async (_, args, guid) => {
    expect(await find(args)).toBe(guid);
  });

  it.each([
    ['', 'guid or name must be given: the GUID of a group, or its name, got "neither"'],
    ['(guid: null)', 'guid or name must be given: the GUID of a group, or its name, got "neither"'],
    [
      `(guid: "${HOSTS}", name: "Hosts")`,
      `guid and name must be given one at a time, got "${HOSTS} and Hosts"`,
    ],
  ])('is named once: %s', async (args, message) => {
    const { errors } = await lab.graphql(
      `{ context(name: "lab") { counterGroup${args} { guid } } }`,
    );
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

type Answer = {
  context: {
    counterGroup: {
      drilldowns: { guid: string }[];
      topper: { keys: Record<string, unknown>[] };
      key: Record<string, unknown>;
    };
  };
};

const TOPPER = 'counterGroup { guid } meter { index } keys { key metric }';

const drilled = async (fields: string): Promise<Record<string, unknown>> => {
  const answer = await lab.data<Answer>(
    `{ context(name: "lab") { counterGroup(name: "Hosts") { topper(window: { preset: ALL_AVAILABLE }) {
      keys { ${fields} } } } } }`,
  );
  return answer.context.counterGroup.topper.keys[0] ?? {};
};

describe('a drill-down', () => {
  it('is found by the name of its group, of a listed key and of any', async () => {
    const found = await drilled(
      `byGuid: drilldown(crosskey: "${USES}") { ${TOPPER} }
       byName: drilldown(name: "uses", crosskey: null) { ${TOPPER} }
       keyNode { drilldown(name: "Uses", window: { preset: ALL_AVAILABLE }) { ${TOPPER} } }`,
    );
    expect(found['byName']).toEqual(found['byGuid']);
    expect(found['keyNode']).toEqual({ drilldown: found['byGuid'] });
  });

  it.each([
    ['drilldown { total }', /^crosskey or name must be given/],
    [`drilldown(crosskey: "${USES}", name: "Uses") { total }`, /one at a time/],
    ['drilldown(name: "Hosts") { total }', /^Invalid counter group - Hosts$/],
    [`keyNode { drilldown(crosskey: "${USES}", name: "Uses") { total } }`, /one at a time/],
  ])('is named once, and is one of the group: %s', async (fields, message) => {
    const { errors } = await lab.graphql(
      `{ context(name: "lab") { counterGroup(name: "Hosts") { topper(
        window: { preset: ALL_AVAILABLE }) { keys { ${fields} } } } } }`,
    );
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors?.[0]?.message).toMatch(message);
  });

  it('is one of a list of all, in the order of the drill-downs of the group', async () => {
    const answer = await lab.data<Answer>(
      '{ context(name: "lab") { counterGroup(name: "Hosts") { drilldowns { guid } } } }',
    );
    const guids = answer.context.counterGroup.drilldowns.map(({ guid }) => guid);
    const aliases = guids.map((guid, i) => `n${i}: drilldown(crosskey: "${guid}") { ${TOPPER} }`);
    const { drilldowns, ...alone } = await drilled(
      `drilldowns { ${TOPPER} } ${aliases.join('\n')}`,
    );
    expect(guids).toHaveLength(2);
    expect(drilldowns).toEqual(Object.values(alone));
  });

  it('is one of a list of some, by their meters; each fails alone', async () => {
    const { data, errors } = await lab.graphql<Answer>(
      `{ context(name: "lab") { counterGroup(name: "Hosts") { topper(window: { preset: ALL_AVAILABLE }) {
        keys { drilldowns(maxItems: 1, by: [
          { name: "Uses", meter: 1 }, { crosskey: "${HOSTS}" }, { crosskey: "${PAIRS}" }
        ]) { ${TOPPER} } } } } } }`,
    );
    expect(data?.context.counterGroup.topper.keys[0]?.['drilldowns']).toEqual([
      {
        counterGroup: { guid: USES },
        meter: { index: 1 },
        keys: [{ key: 'a\\dns', metric: 98 }],
      },
      null,
      { counterGroup: { guid: PAIRS }, meter: { index: 0 }, keys: [{ key: 'a\\b', metric: 5 }] },
    ]);
    expect(errors).toMatchObject([
      { path: ['context', 'counterGroup', 'topper', 'keys', 0, 'drilldowns', 1] },
    ]);
  });

  it('is refused in a list of too many, which would all be begun together', async () => {
    const by = Array.from({ length: 21 }, () => '{ name: "Uses" }').join();
    const { errors } = await lab.graphql(
      `{ context(name: "lab") { counterGroup(name: "Hosts") { topper(window: { preset: ALL_AVAILABLE }) {
        keys { drilldowns(by: [${by}]) { total } } } } } }`,
    );
    expect(errors).toMatchObject([{ message: expect.stringContaining('at most 20 groups') }]);
  });

  it('is the same among more than are answered at once, whichever fail', async () => {
    const by = [{ crosskey: HOSTS }, ...Array.from({ length: 19 }, () => ({ name: 'Uses' }))];
    const aliases = Array.from(
      { length: 1 + LIMITS.drilldownsAtOnce / by.length },
      (_, i) => `n${i}: drilldowns(by: $by) { total }`,
    );
    const { data } = await lab.graphql<Answer>(
      `query ($by: [DrilldownInput!]) { context(name: "lab") { counterGroup(name: "Hosts") {
        topper(maxItems: 1, window: { recentSeconds: 3600 }) {
          keys { drilldown(name: "Uses") { total } ${aliases.join('\n')} } } } } }`,
      { by },
    );
    const { drilldown, ...lists } = data.context.counterGroup.topper.keys[0] ?? {};
    const all = Array.from({ length: 19 }, () => drilldown);
    for (const list of Object.values(lists)) expect(list).toEqual([null, ...all]);
    expect(Object.keys(lists)).toHaveLength(aliases.length);
  });

  it('needs as many statements in a list as under aliases', async () => {
    const counted = async (fields: string): Promise<number> => {
      lab.emptyCaches();
      const statements = lab.watchStatements();
      await drilled(fields);
      return statements().length;
    };
    const under = [USES, PAIRS].map(
      (guid, i) => `n${i}: drilldown(crosskey: "${guid}") { ${TOPPER} }`,
    );
    expect(await counted(`drilldowns { ${TOPPER} }`)).toBe(await counted(under.join('\n')));
  });
});
