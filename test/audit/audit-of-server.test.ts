import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addUser, removeUser } from '../../access/users.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { onConnection, rowsOf } from '../support/database/rows-of.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../support/lab/service.ts';

let lab: TestService;

beforeEach(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: guidOf(1), key: 'a', ts: T0, values: { 0: 1 } }],
    declaration: { retention_days: 3000 },
  });
  await onConnection(lab.databaseUrl, (client) =>
    addUser(client, { name: ADA.username, contexts: [CONTEXT], role: 'editor' }),
  );
  await onConnection(lab.databaseUrl, (client) => client.query('delete from audit'));
});

afterEach(() => lab.close());

const rows = () =>
  rowsOf<{ user: string; from: string; action: string; object: string; detail: object }>(
    lab.databaseUrl,
    'select username as "user", came_from as "from", action, object, detail from audit order by 1',
  );

/** The lines of the server's log that tell of rows of the audit. */
const logged = () =>
  lab
    .logText()
    .split('\n')
    .filter((text) => text.includes('"audit: '))
    .map((text) => JSON.parse(text));

describe('a change by a request', () => {
  it('is a row with its user and address, and a line of the log', async () => {
    await lab.data(`mutation { updateKeys(context: "${CONTEXT}", counterGroup: "${guidOf(1)}",
      keys: [{ key: "a", label: "hush" }]) { key } }`);
    const { context } = await lab.data<{ context: { slices: { id: string }[] } }>(
      `{ context(name: "${CONTEXT}") { slices { id } } }`,
    );
    const [slice] = context.slices;
    await lab.data(`mutation { updateSlice(id: "${slice?.id}", tags: ["kept"]) { tags } }`);
    const by = { user: 'ada', from: '127.0.0.1' };
    expect(await rows()).toEqual([
      {
        ...by,
        action: 'keys changed',
        object: guidOf(1),
        detail: { context: CONTEXT, keys: [{ key: 'a', fields: ['label'] }], changed: 1 },
      },
      {
        ...by,
        action: 'slice tagged',
        object: 'slice-20240715-0000',
        detail: { context: CONTEXT, tags: ['kept'] },
      },
    ]);
    await lab.keepAuditNow();
    expect(lab.logText().match(/a change was made/g)).toHaveLength(2);
    expect(logged()).toEqual([]);
  });

  it('leaves no row if nothing is different', async () => {
    const change = `mutation { updateKeys(context: "${CONTEXT}", counterGroup: "${guidOf(1)}",
      keys: [{ key: "a", label: null }]) { key } }`;
    await lab.data(change);
    expect(await rows()).toEqual([]);
  });
});

describe('a change by a command', () => {
  it('is a line of the log, once, whatever server finds it', async () => {
    await onConnection(lab.databaseUrl, (client) => removeUser(client, 'ada'));
    await Promise.all([lab.keepAuditNow(), lab.keepAuditNow()]);
    await lab.keepAuditNow();
    expect(logged()).toEqual([
      expect.objectContaining({
        level: 30,
        msg: 'audit: user removed',
        user: expect.any(String),
        from: expect.any(String),
        action: 'user removed',
        object: 'ada',
        detail: {},
      }),
    ]);
  });
});

it('retention is the work of the server', async () => {
  await onConnection(lab.databaseUrl, (client) =>
    applyDeclaration(client, { context: CONTEXT, retention_days: 1 }),
  );
  await lab.importSamples([{ group: guidOf(1), key: 'a', ts: T0 + 3 * DAY, values: { 0: 1 } }]);
  lab.clock.seconds = Math.floor(Date.now() / 1000);
  await lab.dropExpiredNow();
  expect((await rows()).find(({ action }) => action === 'slice dropped')).toMatchObject({
    user: '(server)',
    object: 'slice-20240715-0000',
    detail: { context: CONTEXT, wasArchived: false },
  });
});

describe('failed sign-ins', () => {
  const signIn = (username: string, token = 'wrong') =>
    lab.call('/graphql?query={viewer{username}}', { headers: basic({ username, token }) });

  const failures = async () =>
    (await rows()).map(({ user, from, object, detail }) => [user, from, object, detail]);

  it('are a row for each name and address, with their number', async () => {
    await Promise.all(['ada', 'ada', 'ada', 'eve'].map((name) => signIn(name)));
    await lab.keepAuditNow();
    await signIn('ada');
    await lab.keepAuditNow();
    expect(await failures()).toEqual([
      ['ada', '127.0.0.1', 'ada', { count: 4 }],
      ['eve', '127.0.0.1', 'eve', { count: 1 }],
    ]);
  });

  it('are few rows, however many names are tried out', async () => {
    for (let i = 0; i < 40; i += 1) await signIn(`name ${i}`);
    await lab.keepAuditNow();
    const found = await failures();
    expect(found).toHaveLength(11);
    expect(found.at(-1)).toEqual([null, '127.0.0.1', 'other names', { count: 30 }]);
  });

  it('do not keep tokens that are typed where the name belongs', async () => {
    await signIn(ADA.token);
    await signIn('p7S0tGQvVxEVxNcPqVYwBN0n4Hq3b3pTnmM8bL0Vx2k');
    await lab.keepAuditNow();
    expect(await failures()).toEqual([['(withheld)', '127.0.0.1', '(withheld)', { count: 2 }]]);
  });

  it('wait for the database, and are logged when their minute is over', async () => {
    await signIn('ada\n');
    await lab.keepAuditNow();
    expect(logged()).toEqual([]);
    await onConnection(lab.databaseUrl, (client) =>
      client.query("update audit set at = at - interval '2 min'"),
    );
    await lab.keepAuditNow();
    expect(logged()).toEqual([
      expect.objectContaining({
        msg: 'audit: sign-in failed',
        user: 'ada\\u000a',
        detail: { count: 1 },
      }),
    ]);
  });
});
