import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../access/users.ts';
import type { GrantLimit } from '../../domain/callers/grant-limit.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { CallerLimits } from '../../resolvers/loaders/caller-limits.ts';
import type { IdentityRow } from '../../resolvers/loaders/request-reads.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { importLines } from '../support/files/import-lines.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Credentials, type TestService } from '../support/lab/service.ts';

const NEAR: Credentials = { username: 'near', token: 'near-token' };
const HOSTS = guidOf(1);
const GROUPS = [group(1, { key_kind: 'ip' })];

let copy: TestDatabase;
let lab: TestService;

const line = (key: string, value: number) => ({ group: HOSTS, key, ts: T0, values: { 0: value } });

beforeAll(async () => {
  copy = await createTestDatabase();
  await withClient(copy.url, (client) =>
    applyDeclaration(client, { context: CONTEXT, groups: GROUPS }),
  );
  await importLines(copy.url, CONTEXT, [line('0A.01.00.01', 100), line('0A.02.00.01', 200)]);
  lab = await startLab({
    groups: GROUPS,
    lines: [line('0A.01.00.01', 1), line('0A.02.00.01', 2)],
    declaration: { nodes: [{ name: 'copy', role: 'replica', url: copy.url }] },
  });
  const limit = { networks: ['10.1.0.0/16'], probes: [], groups: [] };
  const { username: name, token } = NEAR;
  await lab.write((to) => addUser(to, { name, token, contexts: [CONTEXT], limit }));
});

afterAll(async () => {
  await lab.close();
  await copy.drop();
});

describe('a limited caller', () => {
  it('is limited on each node that the request names', async () => {
    const asked = (node: string) => `${node}: context(name: "${CONTEXT}",
      destinationNode: "${node}") { counterGroup(guid: "${HOSTS}") {
        topper(window: { preset: ALL_AVAILABLE }) { total keys { key } } } }`;
    const topperOf = (total: number, keys: readonly string[]) => ({
      counterGroup: { topper: { total, keys: keys.map((key) => ({ key })) } },
    });
    const query = `{ ${asked('primary')} ${asked('copy')} }`;
    expect(await lab.data(query, {}, NEAR)).toEqual({
      primary: topperOf(1, ['0A.01.00.01']),
      copy: topperOf(100, ['0A.01.00.01']),
    });
    expect(await lab.data(query)).toEqual({
      primary: topperOf(3, ['0A.02.00.01', '0A.01.00.01']),
      copy: topperOf(300, ['0A.02.00.01', '0A.01.00.01']),
    });
  });
});

describe('the limits of a caller', () => {
  const limit = (network: string): GrantLimit => ({
    networks: [network],
    probes: null,
    groups: null,
  });
  const granted = (contextId: number, network: string) =>
    [
      { contextId, grants: [{ role: 'reader', limit: limit(network) }] },
    ] as unknown as IdentityRow['contexts'];

  it('are those that a node itself says, else those of the one that identified the caller', () => {
    const limits = new CallerLimits();
    limits.note('refusing', []);
    limits.note('first', granted(1, '10.1.0.0/16'));
    expect(limits.of('first', 1)).toEqual([limit('10.1.0.0/16')]);
    expect(limits.of('other', 1)).toEqual([limit('10.1.0.0/16')]);
    limits.note('other', granted(1, '10.2.0.0/16'));
    expect(limits.of('other', 1)).toEqual([limit('10.2.0.0/16')]);
    expect(limits.of('first', 1)).toEqual([limit('10.1.0.0/16')]);
  });

  it('are an error for a context that nobody granted', () => {
    const limits = new CallerLimits();
    expect(() => limits.of('first', 1)).toThrow('may not read context 1');
    limits.note('first', granted(1, '10.1.0.0/16'));
    expect(() => limits.of('first', 2)).toThrow('may not read context 2');
  });
});
