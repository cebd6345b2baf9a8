import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { importLines } from '../support/files/import-lines.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import type { TestService } from '../support/lab/service.ts';

/** It has another context under the id of `lab`, with the same group. */
let foreign: TestDatabase;
/** It has no contexts. */
let empty: TestDatabase;
let lab: TestService;

const line = (value: number) => ({
  group: guidOf(1),
  key: 'k',
  ts: T0,
  values: { 0: value },
  probe: 'p',
});

const ALERT = { name: 'big', group: guidOf(1), when: { key_above: 10 } };

beforeAll(async () => {
  [foreign, empty] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await withClient(foreign.url, (client) =>
    applyDeclaration(client, {
      context: 'secret',
      groups: [group(1)],
      pools: [{ name: 'vault' }],
      alerts: [ALERT],
    }),
  );
  await importLines(foreign.url, 'secret', [line(666)]);
  lab = await startLab({
    groups: [group(1)],
    lines: [line(1)],
    declaration: {
      nodes: [
        { name: 'foreign', role: 'dr', url: foreign.url },
        { name: 'empty', role: 'replica', url: empty.url },
      ],
    },
  });
}, 60_000);

afterAll(async () => {
  await lab?.close();
  await Promise.all([foreign?.drop(), empty?.drop()]);
});

const MESSAGE =
  'Node foreign has another context in place of lab, correct its address or copy the primary again';

/** Every field of a context that reads something of it. */
const FIELDS = [
  'slices { name }',
  'totalWindow { from }',
  'pools { name }',
  'probes',
  'counterGroups { id }',
  `counterGroup(guid: "${guidOf(1)}") { topper(window: { preset: ALL_AVAILABLE }) { total } }`,
  'alerts { name }',
];

describe('a node that has another context under the same id', () => {
  it.each([
    ['slices', {}],
    ['slices', { get_total_window: true, get_disk_usage: true }],
    ['groups', { get_meter_info: true }],
    ['topper', { counter_group: guidOf(1), window_fromts: T0, window_seconds: DAY }],
  ] as const)('is refused by REST: %s %o', async (endpoint, parameters) => {
    for (const choice of [{ get_from_dr: true }, { destination_node: 'foreign' }]) {
      expect(await lab.refusal(endpoint, { ...parameters, ...choice })).toEqual([500, MESSAGE]);
    }
    expect((await lab.rest(endpoint, parameters)).status).toBe(200);
  });

  it.each(FIELDS)('is refused by GraphQL: %s', async (field) => {
    const asked = `{ here: context(name: "lab") { ${field} }
      there: context(name: "lab", fromDr: true) { ${field} } }`;
    const { data, errors } = await lab.graphql<{ here: object; there: object | null }>(asked);
    expect(JSON.stringify(data.there)).not.toMatch(/666|secret|vault|"p"|big/);
    expect(data.here).not.toBeNull();
    expect(errors?.map(({ message, extensions: { code } }) => [message, code])).toEqual([
      [MESSAGE, 'BACKEND'],
    ]);
  });
});

describe('a node that does not have the context yet', () => {
  it('answers as one without data', async () => {
    const choice = { destination_node: 'empty' };
    const slices = await lab.ok('slices', { get_total_window: true, ...choice });
    expect(slices).toMatchObject({ slices: [], total_window: null });
    expect(await lab.ok('groups', choice)).toMatchObject({ group_details: [] });
  });
});
