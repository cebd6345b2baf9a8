import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../../db/connection/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { setRole } from '../support/lab/editing-lab.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, CONTEXT, type TestService } from '../support/lab/service.ts';

const SETTINGS = {
  array_nulls: 'off',
  extra_float_digits: '-15',
  statement_timeout: '1h',
  lock_timeout: '1h',
  idle_in_transaction_session_timeout: '1h',
  idle_session_timeout: '1h',
};

let database: TestDatabase;
let lab: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  for (const [setting, value] of Object.entries(SETTINGS)) {
    await rowsOf(database.url, `alter database ${name} set ${setting} = '${value}'`);
  }
  lab = await startLab({ databaseUrl: database.url, groups: [group(1)] });
  await setRole(lab, 'editor', ADA);
});

afterAll(async () => {
  await lab?.close();
  await database?.drop();
});

describe('settings of the role or the database', () => {
  it('do not apply to writers', async () => {
    const connection = await openConnection(database.url, 'test');
    try {
      const shown: Record<string, unknown> = {};
      for (const setting of Object.keys(SETTINGS)) {
        const { rows } = await connection.query(`show ${setting}`);
        shown[setting] = Object.values(rows[0] ?? {})[0];
      }
      expect(shown).toEqual({
        array_nulls: 'on',
        extra_float_digits: '1',
        statement_timeout: '0',
        lock_timeout: '0',
        idle_in_transaction_session_timeout: '0',
        idle_session_timeout: '0',
      });
    } finally {
      await connection.end();
    }
  });

  it('change neither imports nor what a user clears', async () => {
    const GROUP = guidOf(1);
    const line = (key: string, value: number) => ({
      group: GROUP,
      key,
      ts: T0,
      values: { 0: value },
    });
    await lab.importSamples([line('a', 7), { ...line('b', 5), label: 'bee' }]);
    await lab.importSamples([line('a', 2 ** 40)]);
    type Updated = { updateKeys: { label: string; description: string | null }[] };
    const clear = `mutation { updateKeys(context: "${CONTEXT}", counterGroup: "${GROUP}", keys: [
      { key: "a", label: "ay" }, { key: "b", label: null, description: "the second" }
    ]) { label description } }`;
    const { updateKeys } = await lab.data<Updated>(clear);
    expect(updateKeys).toEqual([
      { label: 'ay', description: null },
      { label: 'b', description: 'the second' },
    ]);
    const { keys } = await lab.topper({
      counter_group: GROUP,
      window_fromts: T0,
      window_tots: T0 + 60,
    });
    expect(keys.map(({ key, metric }) => [key, metric])).toEqual([
      ['a', 2 ** 40 + 7],
      ['b', 5],
    ]);
  });
});
