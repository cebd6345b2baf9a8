import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenConnection, openConnection } from '../../../db/connection/connection.ts';
import { insertContext } from '../../../db/sql/contexts.ts';
import {
  insertGroup,
  insertMeters,
  type MeterDescription,
  type NewGroup,
  type NewMeter,
  replaceMeterDescriptions,
  selectGroups,
  selectGroupsWithData,
  updateGroup,
  updateMeter,
} from '../../../db/sql/declaration.ts';
import { storedGuid } from '../../../domain/text/guid.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { guidOf } from '../../support/lab/lab.ts';

let database: TestDatabase;
let connection: OpenConnection;
let contexts = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  connection = await openConnection(database.url, 'test');
});

afterAll(async () => {
  await connection.end();
  await database.drop();
});

function createContext(): Promise<number> {
  contexts += 1;
  const name = `context ${contexts}`;
  return insertContext(connection, { name, sliceSeconds: 3600, retentionDays: null });
}

/** The GUID of a group, in the form in which PostgreSQL writes it. */
const uuidOf = (n: number): string => guidOf(n).slice(1, -1).toLowerCase();

/** What the rows of a group have, however it is created or changed. */
const FIELDS = {
  name: 'Hosts',
  keyKind: 'ip',
  bucketSize: 60,
  topperBucketSize: 300,
  samplingRate: 100,
  enabled: false,
  keysOf: null,
} as const;

const groupOf = (n: number, parts: readonly number[] = []): NewGroup => ({
  guid: storedGuid(guidOf(n)),
  partGuids: parts.map((part) => storedGuid(guidOf(part))),
  ...FIELDS,
});

/** The ids of a group whose keys are its own. */
const own = (groupId: number) => ({ groupId, keysGroupId: groupId });

const meterOf = (id: number): NewMeter => ({
  id,
  type: 2,
  topcount: 50,
  name: `Meter ${id}`,
  description: `describes meter ${id}`,
  units: 'bytes',
});

/** The meters of each group of a context, in the order of the groups. */
const metersOf = async (contextId: number) =>
  (await selectGroups(connection, contextId)).map(({ meters }) => meters);

describe('inserting a group', () => {
  it('stores its fields and parts, without meters and data', async () => {
    const contextId = await createContext();
    const plain = await insertGroup(connection, contextId, groupOf(1));
    const pair = await insertGroup(connection, contextId, groupOf(2, [1, 3]));
    const triple = await insertGroup(connection, contextId, groupOf(4, [1, 3, 5]));
    expect(await selectGroups(connection, contextId)).toEqual([
      { ...FIELDS, ...own(plain), guid: uuidOf(1), partGuids: [], meters: [] },
      { ...FIELDS, ...own(pair), guid: uuidOf(2), partGuids: [1, 3].map(uuidOf), meters: [] },
      { ...FIELDS, ...own(triple), guid: uuidOf(4), partGuids: [1, 3, 5].map(uuidOf), meters: [] },
    ]);
    expect(await selectGroupsWithData(connection, contextId)).toEqual(new Set());
  });

  it('fails for a GUID that the context has, which another context may have', async () => {
    const contextId = await createContext();
    await insertGroup(connection, contextId, groupOf(1));
    await insertGroup(connection, await createContext(), groupOf(1));
    await expect(insertGroup(connection, contextId, groupOf(1))).rejects.toThrow(
      'counter_groups_context_id_guid_key',
    );
  });
});

describe('updating a group', () => {
  it('changes everything but its GUID, and no other group', async () => {
    const contextId = await createContext();
    const changed = await insertGroup(connection, contextId, groupOf(1));
    const other = await insertGroup(connection, contextId, groupOf(2));
    const fields = {
      name: 'Ports',
      keyKind: 'port',
      bucketSize: 300,
      topperBucketSize: 3600,
      samplingRate: 1,
      enabled: true,
      keysOf: null,
    } as const;
    await updateGroup(connection, changed, {
      guid: storedGuid(guidOf(9)),
      partGuids: [],
      ...fields,
    });
    expect(await selectGroups(connection, contextId)).toEqual([
      { ...fields, ...own(changed), guid: uuidOf(1), partGuids: [], meters: [] },
      { ...FIELDS, ...own(other), guid: uuidOf(2), partGuids: [], meters: [] },
    ]);
  });

  it('replaces its parts, which may then be more, fewer or none', async () => {
    const contextId = await createContext();
    const groupId = await insertGroup(connection, contextId, groupOf(1, [2, 3]));
    await insertGroup(connection, contextId, groupOf(4, [5, 6]));
    for (const parts of [[3, 2, 7], [7, 2], [], [2, 3]]) {
      await updateGroup(connection, groupId, groupOf(1, parts));
      expect(await selectGroups(connection, contextId)).toMatchObject([
        { guid: uuidOf(1), partGuids: parts.map(uuidOf) },
        { guid: uuidOf(4), partGuids: [5, 6].map(uuidOf) },
      ]);
    }
  });
});

describe('selecting the groups of a context', () => {
  it('gives all of them in order of ids, with their meters in order of slots', async () => {
    const contextId = await createContext();
    const first = await insertGroup(connection, contextId, groupOf(9));
    const second = await insertGroup(connection, contextId, groupOf(1));
    await insertGroup(connection, await createContext(), groupOf(5));
    await insertMeters(connection, second, [meterOf(7), meterOf(2), meterOf(5)]);
    expect(await selectGroups(connection, contextId)).toMatchObject([
      { groupId: first, enabled: false, meters: [] },
      { groupId: second, meters: [{ id: 7 }, { id: 2 }, { id: 5 }] },
    ]);
  });
});

describe('selecting the groups with data', () => {
  it('gives those that had readings or have keys with texts, of this context', async () => {
    const contextId = await createContext();
    const [readings = 0, texts = 0, both = 0] = await insertGroups(contextId, 4);
    const [other = 0] = await insertGroups(await createContext(), 1);
    await connection.query(
      'update counter_groups set has_data = true where group_id = any($1::int[])',
      [[readings, both, other]],
    );
    await connection.query(
      `insert into key_texts (group_id, key, description)
       select group_id, key, 'text' from unnest($1::int[]) as g(group_id), unnest('{a, b}'::text[])
         as k(key)`,
      [[texts, both]],
    );
    const found = await selectGroupsWithData(connection, contextId);
    expect(found).toEqual(new Set([readings, texts, both]));
  });
});

async function insertGroups(contextId: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 1; n <= count; n += 1) {
    ids.push(await insertGroup(connection, contextId, groupOf(n)));
  }
  return ids;
}

describe('inserting meters', () => {
  it('gives each the next slot of its group, in the given order', async () => {
    const contextId = await createContext();
    const [first = 0, second = 0] = await insertGroups(contextId, 2);
    await insertMeters(connection, first, [meterOf(7), meterOf(0)]);
    await insertMeters(connection, second, [meterOf(3)]);
    await insertMeters(connection, first, [meterOf(3)]);
    await insertMeters(connection, first, []);
    expect(await metersOf(contextId)).toEqual([
      [
        { ...meterOf(7), slot: 1 },
        { ...meterOf(0), slot: 2 },
        { ...meterOf(3), slot: 3 },
      ],
      [{ ...meterOf(3), slot: 1 }],
    ]);
  });

  it('fails for an id that the group has, and then adds none', async () => {
    const contextId = await createContext();
    const [groupId = 0] = await insertGroups(contextId, 1);
    await insertMeters(connection, groupId, [meterOf(1)]);
    await expect(insertMeters(connection, groupId, [meterOf(2), meterOf(1)])).rejects.toThrow(
      'meters_pkey',
    );
    expect(await metersOf(contextId)).toEqual([[{ ...meterOf(1), slot: 1 }]]);
  });
});

describe('updating a meter', () => {
  it('changes everything but its id and slot, in its group only', async () => {
    const contextId = await createContext();
    const [first = 0, second = 0] = await insertGroups(contextId, 2);
    await insertMeters(connection, first, [meterOf(1), meterOf(2)]);
    await insertMeters(connection, second, [meterOf(2)]);
    const fields = { type: 4, topcount: 9, name: 'Rate', description: '', units: 'bit/s' };
    await updateMeter(connection, first, { id: 2, ...fields });
    expect(await metersOf(contextId)).toEqual([
      [
        { ...meterOf(1), slot: 1 },
        { id: 2, slot: 2, ...fields },
      ],
      [{ ...meterOf(2), slot: 1 }],
    ]);
  });
});

describe('replacing descriptions of meters', () => {
  const descriptions = async (contextId: number): Promise<string[][]> =>
    (await metersOf(contextId)).map((meters) => meters.map(({ description }) => description));

  const replacement = (n: number, id: number): MeterDescription => ({
    guid: guidOf(n),
    id,
    before: meterOf(id).description,
    after: `new ${n}/${id}`,
  });

  it('changes the named meters of that context only', async () => {
    const contextId = await createContext();
    const other = await createContext();
    for (const groupId of [
      ...(await insertGroups(contextId, 2)),
      ...(await insertGroups(other, 1)),
    ]) {
      await insertMeters(connection, groupId, [meterOf(1), meterOf(2)]);
    }
    const [one, two] = [1, 2].map((id) => meterOf(id).description);
    await replaceMeterDescriptions(connection, contextId, [replacement(1, 2), replacement(2, 1)]);
    expect(await descriptions(contextId)).toEqual([
      [one, 'new 1/2'],
      ['new 2/1', two],
    ]);
    expect(await descriptions(other)).toEqual([[one, two]]);
  });

  it('leaves a description that somebody has changed', async () => {
    const contextId = await createContext();
    const [groupId = 0] = await insertGroups(contextId, 1);
    await insertMeters(connection, groupId, [meterOf(1), meterOf(2)]);
    await updateMeter(connection, groupId, { ...meterOf(1), description: 'by hand' });
    await replaceMeterDescriptions(connection, contextId, [replacement(1, 1), replacement(1, 2)]);
    expect(await descriptions(contextId)).toEqual([['by hand', 'new 1/2']]);
  });
});
