import { writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteExpiredAudit } from '../../db/sql/audit.ts';
import { makePoolFolder, removeFolder } from '../store/archive/keep-support.ts';
import { onConnection } from '../support/database/rows-of.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, CONTEXT, type Line, type TestService } from '../support/lab/service.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

const line = (key: string, ts: number): Line => ({
  group: guidOf(1),
  key,
  ts,
  values: { 0: 1 },
});

let lab: TestService;
let folder: string;

beforeEach(async () => {
  folder = await makePoolFolder();
  lab = await startLab({
    groups: [group(1)],
    declaration: { pools: [{ name: 'oper', path: folder }] },
    lines: [line('a', T0), line('b', T0 + DAY)],
  });
  vi.stubEnv('DATABASE_URL', lab.databaseUrl);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await lab.close();
  await removeFolder(folder);
});

type Row = {
  at: string;
  user: string | null;
  from: string | null;
  action: string;
  object: string;
  detail: object;
};

async function audit(...args: string[]): Promise<Row[]> {
  const { status, out, err } = await runOnDatabase(['audit', '--json', ...args]);
  expect([status, err]).toEqual([0, []]);
  return out.map((text) => JSON.parse(text));
}

/** Runs a command, and returns what it leaves in the audit: action, object and detail. */
async function traceOf(...command: string[]): Promise<[string, string, object][]> {
  const before = await audit();
  const { status, err } = await runOnDatabase(command);
  expect([status, err.join('\n')]).toEqual([0, expect.any(String)]);
  const rows = (await audit()).slice(before.length);
  return rows.map(({ action, object, detail }) => [action, object, detail]);
}

const written = async (name: string, content: string): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
};

const FLOW =
  '{"ts":1721044800,"id.orig_h":"10.0.0.1","id.resp_h":"10.0.0.2","id.orig_p":1,' +
  '"id.resp_p":80,"proto":"tcp","orig_ip_bytes":1,"resp_ip_bytes":1,"orig_pkts":1,' +
  '"resp_pkts":1,"duration":1,"uid":"C1","conn_state":"SF"}\n';

/** The group of hosts as an import of flows declares it. */
const HOSTS = {
  guid: '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}',
  name: 'Hosts',
  key_kind: 'ip',
  bucket_size: 60,
  topper_bucket_size: 60,
};

const BYTES = { id: 0, type: 4, name: 'Total' };

describe('the audit has', () => {
  it('the user of the command, the host and the time', async () => {
    const startedAt = Date.now();
    await runOnDatabase(['user', 'add', 'bob']);
    const [row] = (await audit()).slice(-1);
    expect(row).toEqual({
      at: expect.any(String),
      user: userInfo().username,
      from: hostname(),
      action: 'user added',
      object: 'bob',
      detail: { token: 'generated' },
    });
    expect(Math.abs(Date.parse(row?.at ?? '') - startedAt)).toBeLessThan(60_000);
  });

  it('what happens to users, their tokens and their grants', async () => {
    const role = { context: CONTEXT, role: 'reader' };
    const token = 'a-token-of-sufficient-length';
    expect(await traceOf('user', 'add', 'bob', '--token', token, '--context', CONTEXT)).toEqual([
      ['user added', 'bob', { token: 'given' }],
      ['access granted', 'bob', role],
    ]);
    expect(await traceOf('user', 'add', 'bob', '--context', CONTEXT)).toEqual([]);
    expect(await traceOf('user', 'add', 'bob', '--context', CONTEXT, '--role', 'editor')).toEqual([
      ['role changed', 'bob', { ...role, role: 'editor' }],
    ]);
    expect(await traceOf('user', 'rotate', 'bob')).toEqual([
      ['token replaced', 'bob', { token: 'default', expires: null }],
    ]);
    expect(await traceOf('user', 'revoke', 'bob', '--context', CONTEXT)).toEqual([
      ['access revoked', 'bob', { context: CONTEXT }],
    ]);
    expect(await traceOf('user', 'remove', 'bob')).toEqual([['user removed', 'bob', {}]]);
    const { out } = await runOnDatabase(['audit']);
    expect(out.join('\n')).not.toContain(token);
  });

  it('each item of a declaration that was changed, without addresses of sinks', async () => {
    const url = 'https://user:hunter2@example.com/hook?key=hunter2';
    const sink = { name: 'noc', kind: 'webhook', url };
    const declared = { context: CONTEXT, retention_days: 9000, notify: [sink] };
    const file = await written('declared.json', JSON.stringify(declared));
    expect(await traceOf('apply', file)).toEqual([
      ['context changed', CONTEXT, { fields: ['retention_days'] }],
      ['sink created', 'noc', { context: CONTEXT }],
    ]);
    expect(await traceOf('apply', file)).toEqual([]);
    const moved = { ...declared, notify: [{ ...sink, url: 'https://example.com/' }] };
    const other = await written('moved.json', JSON.stringify(moved));
    expect(await traceOf('apply', other)).toEqual([
      ['sink changed', 'noc', { context: CONTEXT, fields: ['url'] }],
    ]);
    expect(JSON.stringify(await audit())).not.toContain('hunter2');
  });

  it('a context that an import creates', async () => {
    const file = await written('conn.log', FLOW);
    const trace = await traceOf('import', '--context', 'new', '--format', 'zeek', file);
    expect(trace).toEqual([['context created', 'new', { importedFrom: file }]]);
  });

  it('groups and meters that an import adds to a context', async () => {
    const before = { context: 'flows', groups: [{ ...HOSTS, meters: [BYTES] }] };
    await runOnDatabase(['apply', await written('flows.json', JSON.stringify(before))]);
    const file = await written('conn.log', FLOW);
    const trace = await traceOf('import', '--context', 'flows', '--format', 'zeek', file);
    const detail = { context: 'flows', importedFrom: file };
    expect(trace).toContainEqual(['meter created', `meter 1 of group ${HOSTS.guid}`, detail]);
    expect(trace.filter(([action]) => action === 'group created').length).toBeGreaterThan(3);
    expect(trace).not.toContainEqual(['group created', HOSTS.guid, detail]);
    const again = await written('other.log', FLOW.replace('"C1"', '"C2"'));
    expect(await traceOf('import', '--context', 'flows', '--format', 'zeek', again)).toEqual([]);
  });

  it('files of labels that changed something', async () => {
    const file = await written('labels.csv', 'key,label\na,hush\n');
    const command = ['labels', '--context', CONTEXT, '--format', 'csv', file];
    expect(await traceOf(...command)).toEqual([
      ['labels imported', CONTEXT, { source: file, format: 'csv', labelled: 1, created: 0 }],
    ]);
    expect(await traceOf(...command)).toEqual([]);
  });

  it('slices that were archived, restored and dropped', async () => {
    const slice = 'slice-20240715-0000';
    const on = ['--context', CONTEXT, '--slice', slice];
    expect(await traceOf('slices', 'archive', ...on)).toEqual([
      ['slice archived', slice, { context: CONTEXT, pool: 'oper', path: expect.any(String) }],
    ]);
    expect(await traceOf('slices', 'restore', ...on)).toEqual([
      ['slice restored', slice, { context: CONTEXT }],
    ]);
    expect(await traceOf('slices', 'drop', ...on, '--confirm', CONTEXT)).toEqual([
      ['slice dropped', slice, { context: CONTEXT, wasArchived: false }],
    ]);
  });
});

describe('audit', () => {
  it('shows a line for each row, oldest first', async () => {
    await runOnDatabase(['user', 'add', 'bob', '--context', CONTEXT]);
    const { out } = await runOnDatabase(['audit']);
    const who = `${userInfo().username} from ${hostname()}:`;
    expect(out.slice(-2).map((text) => text.slice(text.indexOf(' ') + 1))).toEqual([
      `${who} user added bob token=generated`,
      `${who} access granted bob role=reader context=${CONTEXT}`,
    ]);
  });

  it('shows what was done since a time, or by a user', async () => {
    const all = await audit();
    await lab.graphql('{ viewer { username } }', {}, { authorization: 'Basic YWRhOndyb25n' });
    await lab.keepAuditNow();
    const [failed] = await audit('--user', ADA.username);
    expect(failed).toMatchObject({ user: 'ada', action: 'sign-in failed', detail: { count: 1 } });
    expect(await audit('--user', 'nobody')).toEqual([]);
    expect(await audit('--since', '1990-01-01')).toHaveLength(all.length + 1);
    expect(await audit('--since', '2990-01-01')).toEqual([]);
  });

  it('refuses a time and a name that are none', async () => {
    const refused = [
      await runOnDatabase(['audit', '--since', 'soon']),
      await runOnDatabase(['audit', '--user', '']),
    ];
    expect(refused.map(({ status }) => status)).toEqual([2, 2]);
    expect(refused[0]?.err.join()).toMatch(/--since must be .*; got "soon"/);
    expect(refused[1]?.err.join()).toMatch(/'--user <name>'.*a name of 1 to 200 characters/);
  });
});

it('forgets rows that are older than the days it is kept', async () => {
  const all = await audit();
  await onConnection(lab.databaseUrl, async (client) => {
    await client.query(
      `update audit set at = now() - interval '400 days 1 s'
       where audit_id = (select min(audit_id) from audit)`,
    );
    expect(await deleteExpiredAudit(client, 401, 10)).toBe(0);
  });
  lab.clock.seconds = Math.floor(Date.now() / 1000);
  await lab.dropExpiredNow();
  expect(await audit()).toHaveLength(all.length - 1);
});
