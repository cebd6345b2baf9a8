import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Guid } from '../../domain/text/guid.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import type { LabelFileOptions } from '../../ingest/labels/label-file.ts';
import { labelFile } from '../../ingest/labels/label-file.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { conn, connLog, importText, NOW } from './import-support.ts';
import { textSource } from './text-source.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}' as Guid;
const APPS = '{C51B48D4-7876-479E-B0D9-BD9EFF03CE2E}' as Guid;
const PAIRS = '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A02}' as Guid;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const log = connLog(
    conn(NOW, { from: '10.0.0.1', to: '198.51.100.1', port: 80 }),
    conn(NOW, { from: '10.0.0.2', to: '2001:db8::1', port: 6 }),
  );
  await importText(log, { databaseUrl: database.url });
});
afterAll(() => database.drop());
beforeEach(() => rowsOf(database.url, 'delete from key_texts'));

const label = (content: string, options: Partial<LabelFileOptions> = {}) =>
  labelFile({
    databaseUrl: database.url,
    context: 'lab',
    format: 'csv',
    source: textSource(content, { name: 'labels' }),
    ...options,
  });

/** All labels, by group and key. */
async function labels(): Promise<Record<string, string>> {
  const rows = await rowsOf<{ name: string; label: string }>(
    database.url,
    `select g.name || ' ' || k.key as name,
       concat_ws(' | ', k.label, k.description, '(' || k.label_source || ')') as label
     from key_texts k join counter_groups g using (group_id) order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, label: text }) => [name, text]));
}

describe('labels from CSV', () => {
  it('go to the keys, raw or readable, of all groups that have them: to Hosts for its parts', async () => {
    const report = await label('10.0.0.1,alpha\nC6.33.64.01,"beta, gamma",outside\n');
    expect(await labels()).toEqual({
      'Hosts 0A.00.00.01': 'alpha | (user)',
      'Hosts C6.33.64.01': 'beta, gamma | outside | (user)',
    });
    expect(report).toEqual({
      source: 'labels',
      labelled: 2,
      unchanged: 0,
      created: 0,
      keptByUser: 0,
      unknown: 0,
    });
  });

  it('are read with a header, a byte order mark, CRLF and blanks around fields', async () => {
    await label('\uFEFFkey,label,description\r\n 10.0.0.1 , alpha ,\r\n\r\n10.0.0.2,beta');
    expect(Object.values(await labels())).toEqual(['alpha | (user)', 'beta | (user)']);
  });

  it('change what differs, and the last line of a key wins', async () => {
    await label('10.0.0.1,alpha,first\n');
    const report = await label('10.0.0.1,x\n10.0.0.1,beta\n2001:db8::1,gamma\n');
    expect((await labels())['Hosts 0A.00.00.01']).toBe('beta | first | (user)');
    expect(report).toMatchObject({ labelled: 2, unchanged: 0 });
    expect(await label('10.0.0.1,beta\n')).toMatchObject({ labelled: 0, unchanged: 1 });
  });

  it('are cleared by an empty field', async () => {
    await label('10.0.0.1,alpha,first\n10.0.0.2,beta,second\n');
    await label('10.0.0.1,\n10.0.0.2,,\n');
    expect(await labels()).toEqual({ 'Hosts 0A.00.00.01': 'first' });
  });

  it('of a group with keys of another are that of the other, and create no key that it has', async () => {
    const group = '{889900CC-0063-11A5-8380-FEBDBABBDBEA}' as Guid;
    const report = await label('198.51.100.1,alpha\n10.9.9.9,new\n', { group });
    expect(report).toMatchObject({ labelled: 2, created: 1, unknown: 0 });
    expect(await labels()).toEqual({
      'Hosts 0A.09.09.09': 'new | (user)',
      'Hosts C6.33.64.01': 'alpha | (user)',
    });
  });

  it('do not create keys unless the group is named', async () => {
    expect(await label('10.9.9.9,new\n')).toMatchObject({ labelled: 0, created: 0, unknown: 1 });
    const report = await label('10.9.9.9,new\n10.0.0.1,alpha\n', { group: HOSTS });
    expect(report).toMatchObject({ labelled: 2, created: 1, unknown: 0 });
    expect(await labels()).toEqual({
      'Hosts 0A.00.00.01': 'alpha | (user)',
      'Hosts 0A.09.09.09': 'new | (user)',
    });
  });

  describe('with keys that could be read in two ways', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `10.10.${(i % 90) + 10}.10,host\n`).join(
      '',
    );

    it.each([
      ['are readable if no key says otherwise', '10.20.30.40,x\n', '0A.14.1E.28'],
      [
        'are readable if a later key can only be',
        `10.20.30.40,x\n${many}10.0.0.1,a\n`,
        '0A.14.1E.28',
      ],
      [
        'are raw if a later key can only be',
        `10.20.30.40,x\n${many}0A.00.00.01,a\n`,
        '10.20.30.40',
      ],
      [
        'are readable if other keys say both',
        '0A.00.00.01,b\n10.20.30.40,x\n10.0.0.1,a\n',
        '0A.14.1E.28',
      ],
    ])('%s', async (_, content, key) => {
      for (const isRepeatable of [true, false]) {
        await rowsOf(database.url, 'delete from key_texts');
        const source = textSource(content, { name: 'labels', isRepeatable });
        await label('', { group: HOSTS, source });
        const set = Object.entries(await labels()).filter(([, text]) => text === 'x | (user)');
        expect(set).toEqual([[`Hosts ${key}`, 'x | (user)']]);
      }
    });

    it('are in one form, whichever keys exist', async () => {
      const context = 'both';
      const log = connLog(conn(NOW, { from: '10.20.30.40', to: '16.32.48.64' }));
      await importText(log, { databaseUrl: database.url, context });
      await label('10.20.30.40,printer\n192.168.1.10,other\n', { context });
      expect(await labels()).toEqual({ 'Hosts 0A.14.1E.28': 'printer | (user)' });
    });

    it('do not depend on groups of texts', async () => {
      const context = 'texts';
      const log = connLog(conn(NOW, { from: '10.20.30.40' }));
      await importText(log, { databaseUrl: database.url, context });
      await withClient(database.url, (client) =>
        applyDeclaration(client, {
          context,
          groups: [
            {
              guid: '{11111111-2222-3333-4444-555555555555}',
              name: 'Texts',
              key_kind: 'text',
              meters: [{ id: 0, type: 4, name: 'x' }],
            },
          ],
        }),
      );
      await label('10.20.30.40,printer\nsome text,other\n', { context });
      expect((await labels())['Hosts 0A.14.1E.28']).toBe('printer | (user)');
    });

    it('are read in the only form that their kind has', async () => {
      const group = '{E89BCD56-30AD-40F5-B1C8-8B7683F440BD}' as Guid;
      await label('FF,only raw\n17,raw\n', { group });
      expect(await labels()).toEqual({
        'Protocols FF': 'only raw | (user)',
        'Protocols 17': 'raw | (user)',
      });
    });
  });

  it.each<[string, Partial<LabelFileOptions>, string]>([
    ['a,b\n', { context: 'nowhere' }, 'There is no context nowhere'],
    [
      'a,b\n',
      { group: '{00000000-0000-0000-0000-000000000000}' as Guid },
      'Context lab has no counter group {00000000-0000-0000-0000-000000000000}',
    ],
    ['a,b\n', { group: PAIRS }, `the labels of cross-key group ${PAIRS} come from its parts`],
    [
      '00.50,http\n\nhttp,x\n',
      { group: APPS },
      'labels, line 3: its key must be one of kind port, got "http"',
    ],
    ['10.0.0.1\n', {}, 'labels, line 1: it must be key,label[,description], got "10.0.0.1"'],
    ['10.0.0.1,a,b,c\n', {}, 'labels, line 1: it must be key,label[,description]'],
    ['10.0.0.1,"a\n', {}, 'labels: it must be CSV: Quote Not Closed'],
    ['10.0.0.1,a\0\n', {}, 'labels, line 1: it must be UTF-8 text without NUL characters'],
  ])('fail as a whole with %j and %j', async (content, options, reason) => {
    await expect(label(`${content}`, options)).rejects.toThrow(reason);
    expect(await labels()).toEqual({});
  });

  it('are not kept from a file that fails', async () => {
    await expect(label('10.0.0.1,alpha\n10.9.9.8,beta\nx\n', { group: HOSTS })).rejects.toThrow(
      'line 3',
    );
    expect(await labels()).toEqual({});
  });
});

describe('labels from DNS answers', () => {
  const HEADER = '#fields\tts\tquery\tqtype_name\tanswers';
  const dns = (...lines: [ts: string, query: string, type: string, answers: string][]): string =>
    [HEADER, ...lines.map((line) => line.join('\t')), ''].join('\n');

  const labelDns = (content: string, options = {}) =>
    label(content, { format: 'zeek-dns', ...options });

  it('are the queried names, for the addresses that are keys', async () => {
    const report = await labelDns(
      dns(
        ['1.0', 'www.example.com', 'A', 'alias.example.net,198.51.100.1,203.0.113.9'],
        ['2.0', 'six.example.com.', 'AAAA', '2001:db8::1'],
        ['3.0', '1.0.0.10.in-addr.arpa', 'PTR', '10.0.0.1'],
        ['4.0', 'nothing.example.com', 'A', '-'],
        ['5.0', '-', 'A', '10.0.0.2'],
      ),
    );
    expect(await labels()).toEqual({
      'Hosts C6.33.64.01': 'www.example.com | (dns)',
      'Hosts 20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01': 'six.example.com | (dns)',
    });
    expect(report).toEqual({
      source: 'labels',
      labelled: 2,
      unchanged: 0,
      created: 0,
      keptByUser: 0,
      unknown: 1,
    });
  });

  it('are read from JSON as well', async () => {
    const line = { ts: 1.5, query: 'www.example.com', qtype_name: 'A', answers: ['198.51.100.1'] };
    await labelDns(`${JSON.stringify(line)}\n`, { group: HOSTS });
    expect(await labels()).toEqual({ 'Hosts C6.33.64.01': 'www.example.com | (dns)' });
  });

  it.each([
    ['the newest answer last', ['1.0', '2.0']],
    ['the newest answer first', ['2.0', '1.0']],
  ])('are those of the newest answer: %s', async (_, times) => {
    await labelDns(
      dns(
        ...times.map((ts): [string, string, string, string] => [ts, `at-${ts}`, 'A', '10.0.0.1']),
      ),
      { group: HOSTS },
    );
    expect(await labels()).toEqual({ 'Hosts 0A.00.00.01': 'at-2.0 | (dns)' });
  });

  it('are those of the newest answer, whatever the order of files', async () => {
    const answers = [
      ['2.0', 'old'],
      ['9.0', 'kept'],
      ['3.0', 'between'],
      ['9.0', 'at the same time, but before it in the alphabet'],
    ] as const;
    for (const order of [answers, answers.toReversed()]) {
      await rowsOf(database.url, 'delete from key_texts');
      for (const [ts, query] of order) {
        await labelDns(dns([ts, query, 'A', '10.0.0.1']), { group: HOSTS });
      }
      expect(await labels()).toEqual({ 'Hosts 0A.00.00.01': 'kept | (dns)' });
    }
    const report = await labelDns(dns(['10.0', 'kept', 'A', '10.0.0.1']), { group: HOSTS });
    expect(report).toMatchObject({ labelled: 0, unchanged: 1 });
    const older = await labelDns(dns(['9.5', 'older', 'A', '10.0.0.1']), { group: HOSTS });
    expect(older).toMatchObject({ labelled: 0, unchanged: 1 });
  });

  it('replace those of before 1.7, whose time is not known', async () => {
    await labelDns(dns(['9.0', 'before', 'A', '10.0.0.1']), { group: HOSTS });
    await rowsOf(database.url, 'update key_texts set answered_us = null');
    await labelDns(dns(['1.0', 'after', 'A', '10.0.0.1']), { group: HOSTS });
    expect(await labels()).toEqual({ 'Hosts 0A.00.00.01': 'after | (dns)' });
  });

  it('never replace a label from a user, only those from DNS', async () => {
    await label('10.0.0.1,mine\n', { group: HOSTS });
    await labelDns(dns(['1.0', 'old', 'A', '10.0.0.2']), { group: HOSTS });
    const report = await labelDns(dns(['1.5', 'new', 'A', '10.0.0.1,10.0.0.2']), { group: HOSTS });
    expect(await labels()).toEqual({
      'Hosts 0A.00.00.01': 'mine | (user)',
      'Hosts 0A.00.00.02': 'new | (dns)',
    });
    expect(report).toMatchObject({ labelled: 1, keptByUser: 1, unchanged: 0 });
    await label('10.0.0.2,mine too\n', { group: HOSTS });
    expect((await labels())['Hosts 0A.00.00.02']).toBe('mine too | (user)');
  });

  it('are only for groups of addresses', async () => {
    await expect(labelDns(dns(), { group: APPS })).rejects.toThrow(
      `DNS answers label addresses: the keys of group ${APPS} are of kind port`,
    );
  });

  it('fail as a whole at a line that cannot be read', async () => {
    const log = dns(['1.0', 'a', 'A', '10.0.0.1'], ['x', 'b', 'A', '10.0.0.1']);
    await expect(labelDns(log)).rejects.toThrow('labels, line 3: ts must be a time');
    expect(await labels()).toEqual({});
  });

  it('are not taken from a log of another kind', async () => {
    const answer = ['1.0', 'a', 'A', '10.0.0.1'] as const;
    await expect(labelDns(`#path\tconn\n${dns([...answer])}`)).rejects.toThrow(
      'labels, line 1: #path must be dns, got "conn": ' +
        'give the file to `countergraph import --format zeek`',
    );
    const line = { _path: 'http', ts: 1.5, query: 'a', qtype_name: 'A', answers: ['10.0.0.1'] };
    await expect(labelDns(JSON.stringify(line))).rejects.toThrow(
      'labels, line 1: _path must be dns, got "http": leave the file out',
    );
    expect(await labels()).toEqual({});
    await labelDns(`#path\tdns\n${dns([...answer])}`, { group: HOSTS });
    expect(await labels()).toEqual({ 'Hosts 0A.00.00.01': 'a | (dns)' });
  });

  it('are never names that could not be shown', async () => {
    await labelDns(dns(['1.0', 'a\\x07b', 'A', '10.0.0.1'], ['1.0', '\\xff', 'A', '10.0.0.2']));
    expect(await labels()).toEqual({});
    await labelDns(dns(['1.0', 'b\\xc3\\xbccher.example', 'A', '10.0.0.1']), { group: HOSTS });
    expect(await labels()).toEqual({ 'Hosts 0A.00.00.01': 'bücher.example | (dns)' });
  });

  it('have the same bytes in JSON, and may have times in milliseconds', async () => {
    const line = { ts: 1_258_531_221_486, qtype_name: 'A', answers: ['10.0.0.1'] };
    const older = { ...line, ts: 1_258_531_221.4, query: 'old.example' };
    const newer = { ...line, query: 'b\\xc3\\xbccher.example' };
    const log = `${JSON.stringify(newer)}\n${JSON.stringify(older)}\n`;
    await labelDns(log, { group: HOSTS });
    expect(await labels()).toEqual({ 'Hosts 0A.00.00.01': 'bücher.example | (dns)' });
  });
});

describe('labelling', () => {
  it('works in a context whose groups have other kinds of keys', async () => {
    await withClient(database.url, (client) =>
      applyDeclaration(client, {
        context: 'plain',
        groups: [{ guid: HOSTS, name: 'Texts', key_kind: 'text' }],
      }),
    );
    const report = await label('10.0.0.1,text\n', { context: 'plain', group: HOSTS });
    expect(report).toMatchObject({ created: 1, labelled: 1 });
  });
});
