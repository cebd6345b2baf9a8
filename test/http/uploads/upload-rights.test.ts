import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveGrant } from '../../../access/accounts.ts';
import { removeUser } from '../../../access/users.ts';
import { bearer } from '../../support/http/rest-with-headers.ts';
import {
  basic,
  CONTEXT,
  type Credentials,
  startTestService,
  type TestService,
} from '../../support/lab/service.ts';
import {
  ADMIN,
  connLog,
  EDITOR,
  openUpload,
  READER,
  STRANGER,
  startUploadLab,
  told,
  upload,
  uploadPath,
} from '../../support/lab/upload-lab.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startUploadLab({ settings: { corsOrigins: ['https://noc.example'] } });
});

afterAll(() => lab.close());

const imports = async () =>
  (await lab.sql<{ n: number }>('select count(*)::int n from imports'))[0]?.n;

const post = (headers: Record<string, string>, path = uploadPath(), body = connLog(1)) =>
  lab.call(path, { method: 'POST', headers, body });

describe('an upload', () => {
  it.each([
    ['nobody', {}, 401, 'Invalid API token'],
    ['a wrong token', basic({ ...EDITOR, token: 'x' }), 401, 'Invalid API token'],
    [
      'credentials of a browser, from another site',
      { ...basic(EDITOR), 'sec-fetch-site': 'cross-site' },
      403,
      'A page of another site',
    ],
    [
      'the same of an older browser',
      { ...basic(EDITOR), origin: 'https://evil.example' },
      403,
      'A page of another site',
    ],
  ])('of %s is refused', async (_, headers, status, message) => {
    const before = await imports();
    expect(told(await post(headers))).toEqual([status, expect.stringContaining(message)]);
    expect(await imports()).toBe(before);
  });

  it('takes no credentials from its address, and does not repeat them', async () => {
    const path = `${uploadPath()}&username=edda&api_token=edda-token`;
    expect(told(await post({}, path))[0]).toBe(401);
    const { status, text } = await post(basic(EDITOR), path);
    expect([status, text]).toEqual([400, expect.stringContaining('got \\"username\\"')]);
    expect(text + lab.logText()).not.toContain('edda-token');
  });

  it('counts with Bearer, also from another site that CORS allows', async () => {
    const headers = {
      ...bearer(EDITOR),
      origin: 'https://noc.example',
      'sec-fetch-site': 'cross-site',
    };
    const answer = await post(headers, uploadPath(), connLog(1, 10));
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([
      200,
      'https://noc.example',
    ]);
  });

  it('counts with the session of a page, from own pages only', async () => {
    const own = { 'sec-fetch-site': 'same-origin' };
    const signedIn = await lab.call('/session', {
      method: 'POST',
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify(EDITOR),
    });
    const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect((await post({ ...own, cookie }, uploadPath(), connLog(1, 11))).status).toBe(200);
    for (const from of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ]) {
      expect(told(await post({ ...from, cookie }))).toEqual([
        403,
        expect.stringContaining("A session counts only in requests of this server's own pages"),
      ]);
    }
  });

  it.each<[string, Credentials, object, number, string]>([
    ['a reader', READER, {}, 403, 'User rita needs the role editor to change context lab'],
    ['a user without a grant', STRANGER, {}, 403, 'User sam is not allowed to access context lab'],
    [
      'an administrator without a grant',
      ADMIN,
      {},
      403,
      'User root is not allowed to access context lab',
    ],
    [
      'an editor of another context',
      EDITOR,
      { context: 'nowhere' },
      403,
      'Context nowhere does not exist, and only the upload of an administrator creates it: name an existing one, or ask an administrator',
    ],
  ])('of %s is refused', async (_, as, given, status, message) => {
    const before = await imports();
    expect(told(await upload(lab, connLog(1), { ...given }, { as }))).toEqual([status, message]);
    expect(await imports()).toBe(before);
    expect(await lab.sql(`select from contexts where name = 'nowhere'`)).toEqual([]);
  });

  it.each([
    ['networks', { networks: ['10.0.0.0/8'], probes: [], groups: [] }],
    ['probes', { networks: [], probes: ['p1'], groups: [] }],
  ])('of an editor whose grant is limited to %s is refused', async (kind, limit) => {
    const user = { username: `limited-${kind}`, token: 'a-token' };
    await lab.addUser(user, []);
    const grant = {
      name: user.username,
      isGroup: false,
      context: CONTEXT,
      role: 'editor',
      limit,
    } as const;
    await lab.write((connection) => saveGrant(connection, grant));
    expect(told(await upload(lab, connLog(1), {}, { as: user }))).toEqual([
      403,
      `User ${user.username} may see only a part of context lab, and needs a grant of all of it to upload`,
    ]);
    expect(lab.logText()).toContain('"mutation":"upload","refused":true');
  });

  it('of an administrator creates a context, which they can see and change from then on', async () => {
    const created = await upload(
      lab,
      connLog(2),
      { context: 'new one', name: 'first.log' },
      { as: ADMIN },
    );
    expect(told(created)).toMatchObject([200, { context: 'new one', records: 2 }]);
    const viewer = '{ viewer { editableContexts { name counterGroups { name } } } }';
    expect(await lab.data(viewer, {}, ADMIN)).toMatchObject({
      viewer: { editableContexts: [{ name: 'new one', counterGroups: expect.any(Array) }] },
    });
    const rows = await lab.sql(
      `select username, action, object from audit where 'new one' in (object, detail ->> 'context') order by audit_id`,
    );
    expect(rows).toEqual([
      { username: 'root', action: 'context created', object: 'new one' },
      { username: 'root', action: 'access granted', object: 'root' },
      { username: 'root', action: 'file uploaded', object: 'new one' },
    ]);
    const again = await upload(lab, connLog(1, 9), { context: 'new one' }, { as: ADMIN });
    expect(again.status).toBe(200);
  });

  it('of an administrator creates nothing if its file is refused, or is of samples', async () => {
    const bad = await upload(lab, 'no log\n', { context: 'never' }, { as: ADMIN });
    expect(bad.status).toBe(400);
    const samples = await upload(
      lab,
      '{}\n',
      { context: 'never', format: 'samples' },
      { as: ADMIN },
    );
    expect(told(samples)).toEqual([
      400,
      'Nothing was imported - There is no context never: declare it with `countergraph apply`',
    ]);
    expect(await lab.sql(`select from contexts where name = 'never'`)).toEqual([]);
    expect(
      await lab.sql(`select from audit where 'never' in (object, detail ->> 'context')`),
    ).toEqual([]);
  });

  it.each<[string, Record<string, string | string[]>, string]>([
    ['without a context', { context: '' }, 'context must be a name of 1 to 200 characters'],
    [
      'with a context that is no name',
      { context: ' x' },
      'context must be a name of 1 to 200 characters',
    ],
    [
      'without a format',
      { format: '' },
      'format must be one of samples, zeek, nfdump, goflow2, pmacct, got "none"',
    ],
    [
      'of an unknown format',
      { format: 'csv' },
      'format must be one of samples, zeek, nfdump, goflow2, pmacct, got "csv"',
    ],
    [
      'with two formats',
      { format: ['zeek', 'nfdump'] },
      'format must be given once, got "zeek, nfdump"',
    ],
    [
      'with an unknown parameter',
      { timeZone: 'UTC' },
      'Each parameter must be one of context, format, home, time_zone, name, probe, service_port, again, if_new, grown, allow_empty, skip_bad_lines, got "timeZone"',
    ],
    ['with a home that is no network', { home: '10.0.0.0/99' }, 'home must be'],
    [
      'with an unknown time zone',
      { time_zone: 'Mars' },
      'time_zone must be an IANA time zone such as Europe/Berlin, got "Mars"',
    ],
    [
      'with an unknown rule',
      { service_port: 'both' },
      'service_port must be one of registered, destination, got "both"',
    ],
    [
      'with a flag that is neither on nor off',
      { again: 'maybe' },
      'again must be one of true, 1, yes, on, false, 0, no, off, got "maybe"',
    ],
    ['with a name that is none', { name: 'a\nb' }, 'name must be a name of 1 to 200 characters'],
    [
      'with a probe that is none',
      { probe: 'x'.repeat(201) },
      'probe must be a name of 1 to 200 characters',
    ],
  ])('%s is refused before its body is read', async (_, given, message) => {
    expect(told(await upload(lab, connLog(1), given))).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('is a POST, and not a %s', async (method) => {
    const answer = await lab.call(uploadPath(), { method, headers: basic(EDITOR) });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
    if (method !== 'HEAD')
      expect(answer.text).toContain(`Method ${method} is not allowed, use POST`);
  });

  it('has the headers of security of every answer', async () => {
    const { headers } = await upload(lab, connLog(1, 20));
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
  });

  it('is refused where uploads are switched off', async () => {
    const { databaseUrl } = lab;
    const off = await startTestService({ databaseUrl, settings: { uploadBytes: 0 } });
    expect(told(await upload(off, connLog(1)))).toEqual([
      403,
      'Uploads are switched off on this server, COUNTERGRAPH_UPLOAD_MB says how large a file may be',
    ]);
    await off.close();
  });

  it('of a user who is removed while the file arrives is not imported', async () => {
    const user = { username: 'gone', token: 'gone-token' };
    await lab.addUser(user, []);
    const limit = { networks: [], probes: [], groups: [] };
    const grant = {
      name: user.username,
      isGroup: false,
      context: CONTEXT,
      role: 'editor',
      limit,
    } as const;
    await lab.write((connection) => saveGrant(connection, grant));
    const before = await imports();
    const { asked, answer, write, end } = openUpload(lab, user);
    await asked;
    write(connLog(1, 30));
    await lab.write((connection) => removeUser(connection, user.username));
    end();
    expect(told(await answer)).toEqual([401, 'Invalid API token']);
    expect(await imports()).toBe(before);
  });
});
