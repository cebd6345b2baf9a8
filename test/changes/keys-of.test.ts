import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitGrant } from '../answers/limits/limited-labs.ts';
import {
  HOSTS,
  host,
  PAIRS,
  READER,
  sendKeys,
  setRole,
  startEditingLab,
} from '../support/lab/editing-lab.ts';
import { group, guidOf, T0 } from '../support/lab/lab.ts';
import { basic, CONTEXT, type TestService } from '../support/lab/service.ts';

const INSIDE = guidOf(4);
const WINDOW = { from: T0, to: T0 + 300 };
const LISTED = `topper(window: { interval: { from: ${WINDOW.from}, to: ${WINDOW.to} } })`;

let lab: TestService;

beforeAll(async () => {
  lab = await startEditingLab();
  await lab.apply({
    context: CONTEXT,
    groups: [group(4, { key_kind: 'ip', name: 'Inside', keys_of: HOSTS })],
  });
  const line = { ts: T0, values: { 0: 5 } };
  await lab.importSamples([
    { group: INSIDE, key: host(1), ...line },
    { group: INSIDE, key: host(2), ...line },
    { group: HOSTS, key: host(2), ...line },
    { group: HOSTS, key: host(9), ...line },
    { group: PAIRS, key: `${host(1)}\\${host(9)}`, ...line },
    { group: PAIRS, key: `${host(2)}\\${host(9)}`, ...line },
  ]);
});

afterAll(() => lab.close());

type Listed = { readonly counterGroup: Readonly<Record<string, unknown>> | null };

async function askGroup(guid: string, fields: string, as?: typeof READER) {
  const query = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${guid}") { ${fields} } } }`;
  const { data, errors } = await lab.graphql<{ context: Listed }>(
    query,
    {},
    as ? basic(as) : undefined,
  );
  expect(errors).toBeUndefined();
  return data.context.counterGroup;
}

const keysFound = async (guid: string, search: string) =>
  (await askGroup(guid, `keys(search: "${search}") { edges { node { key label } } }`))?.['keys'];

describe('a group with keys of another group', () => {
  it('says which', async () => {
    expect(await askGroup(INSIDE, 'keysOf { name }')).toEqual({ keysOf: { name: 'Hosts' } });
    expect(await askGroup(HOSTS, 'keysOf { name }')).toEqual({ keysOf: null });
  });

  it('shows the texts written through either in both, for keys that it has', async () => {
    const attributes = [{ name: 'owner', value: 'facilities' }];
    await sendKeys(lab, [{ key: host(1), label: 'printer', attributes }], { guid: INSIDE });
    await sendKeys(lab, [{ key: host(2), label: 'scanner' }], { guid: HOSTS });
    await sendKeys(lab, [{ key: host(9), label: 'outside scanner' }], { guid: HOSTS });
    for (const guid of [INSIDE, HOSTS]) {
      const fields = `${LISTED} { keys { key label } } key(key: "${host(1)}") { attributes { name value } }`;
      const answer = await askGroup(guid, fields);
      expect(answer?.['key']).toEqual({ attributes });
      expect(answer?.['topper']).toMatchObject({
        keys: expect.arrayContaining([
          { key: host(1), label: 'printer' },
          { key: host(2), label: 'scanner' },
        ]),
      });
    }
    const found = { edges: [{ node: { key: host(2), label: 'scanner' } }] };
    expect(await keysFound(INSIDE, 'scan')).toEqual(found);
    expect(await keysFound(HOSTS, 'printer')).toMatchObject({ edges: [{}] });
    const { keys } = await lab.topper({
      counter_group: INSIDE,
      recentsecs: 300,
      key_filter: host(1),
    });
    expect(keys).toMatchObject([{ key: host(1), label: 'printer' }]);
  });

  it('costs no statement more', async () => {
    const cost = async (guid: string) => {
      lab.emptyCaches();
      const statements = lab.watchStatements();
      await askGroup(
        guid,
        `${LISTED} { keys { label drilldown(crosskey: "${PAIRS}") { total } } }`,
      );
      return statements().length;
    };
    expect(await cost(INSIDE)).toBe(await cost(HOSTS));
  });

  it('has the drill-downs of that group', async () => {
    const drilled = `{ total keys { label } }`;
    const answer = await askGroup(
      INSIDE,
      `drilldowns { name } key(key: "${host(1)}") { drilldown(window: { preset: ALL_AVAILABLE }) ${drilled} }
       ${LISTED} { keys { key drilldown(name: "Pairs") ${drilled} drilldowns ${drilled} } }`,
    );
    const partners = { total: 5, keys: [{ label: 'printer\\outside scanner' }] };
    expect(answer).toMatchObject({
      drilldowns: [{ name: 'Pairs' }],
      key: { drilldown: partners },
      topper: {
        keys: expect.arrayContaining([
          { key: host(1), drilldown: partners, drilldowns: [partners] },
        ]),
      },
    });
  });

  it('shows the labels, but not that group, to callers who may see only this one', async () => {
    await setRole(lab, 'editor', READER);
    await limitGrant(lab, READER.username, {
      networks: null,
      probes: null,
      groups: [INSIDE.slice(1, -1).toLowerCase()],
    });
    const fields = `keysOf { name } drilldowns { name } keys { edges { node { label } } }`;
    expect(await askGroup(INSIDE, fields, READER)).toEqual({
      keysOf: null,
      drilldowns: [],
      keys: { edges: [{ node: { label: 'printer' } }, { node: { label: 'scanner' } }] },
    });
    const own = await sendKeys(lab, [{ key: host(1), label: 'plotter' }], {
      as: READER,
      guid: INSIDE,
    });
    expect(own.data.updateKeys).toMatchObject([{ label: 'plotter' }]);
    const { errors } = await sendKeys(lab, [{ key: host(9), label: 'seen' }], {
      as: READER,
      guid: INSIDE,
    });
    expect(errors?.[0]?.message).toContain('a key that you may see');
    expect(await keysFound(HOSTS, 'plotter')).toMatchObject({ edges: [{}] });
  });
});
