import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../../db/connection/connection.ts';
import { selectContext } from '../../db/sql/contexts.ts';
import { selectGroups } from '../../db/sql/declaration.ts';
import { exportDeclaration } from '../../export/declaration.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
const TEXTS = '{11111111-2222-3333-4444-555555555555}';
const OFF = '{21111111-2222-3333-4444-555555555555}';

const GROUPS = [
  {
    guid: HOSTS,
    name: 'Hosts',
    key_kind: 'ip',
    meters: [
      { id: 0, type: 2, name: 'Total' },
      { id: 1, type: 5, name: 'Load' },
      { id: 2, type: 0, name: 'Nothing' },
    ],
  },
  { guid: TEXTS, name: 'Texts', key_kind: 'text', meters: [{ id: 0, type: 2, name: 'Total' }] },
  {
    guid: OFF,
    name: 'Off',
    key_kind: 'text',
    enabled: false,
    meters: [{ id: 0, type: 2, name: 'Total' }],
  },
];

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await apply({ groups: GROUPS });
});
afterAll(() => database.drop());

const apply = (declaration: object) =>
  withClient(database.url, (client) =>
    applyDeclaration(client, { context: 'lab', ...declaration }),
  );

const rows = (text: string) =>
  withClient(database.url, async (client) => (await client.query(text)).rows);

const mistakesOf = (alerts: unknown[], rest: object = {}) =>
  apply({ alerts, ...rest }).then(
    () => [],
    (error: Error) => error.message.split('; '),
  );

describe('alerts in an apply file', () => {
  it('have defaults, and stay as they are if nothing differs', async () => {
    const alerts = [{ name: 'big talker', group: HOSTS, when: { key_above: 1000 } }];
    const notify = [{ name: 'noc', kind: 'webhook', url_env: 'NOC', secret_env: 'NOC_SECRET' }];
    const first = await apply({ alerts, notify });
    expect(first.counts).toEqual({ created: 2, changed: 0, unchanged: 1 });
    const before = await rows('select * from alerts');
    expect(before).toMatchObject([
      {
        name: 'big talker',
        meter_id: 0,
        window_seconds: 300,
        condition: 'key_above',
        threshold: '1000',
        filter: null,
        probe: null,
        for_windows: 1,
        clear_windows: 1,
        severity: 'warning',
        description: null,
        max_keys: 100,
        enabled: true,
        begins_after: null,
        evaluated_to: null,
      },
    ]);
    const second = await apply({ alerts: [{ ...alerts[0], filter: { cidr: [] } }], notify });
    expect(second.counts).toEqual({ created: 0, changed: 0, unchanged: 3 });
    expect(await rows('select * from alerts')).toEqual(before);
  });

  it('that differ are replaced entirely, by a new revision', async () => {
    const revision = async () =>
      (
        await rows('select revision, severity, for_windows from alerts where superseded_at is null')
      )[0];
    const rule = { name: 'big talker', group: HOSTS, when: { key_above: 1000 } };
    await apply({ alerts: [{ ...rule, severity: 'page', for_windows: 3 }] });
    const one = await revision();
    expect(one).toMatchObject({ severity: 'page', for_windows: 3 });
    const report = await apply({ alerts: [rule] });
    expect(report.items.at(-1)).toEqual({ what: 'alert', name: 'big talker', outcome: 'changed' });
    const two = await revision();
    expect(two).toMatchObject({ severity: 'warning', for_windows: 1 });
    expect(two.revision).not.toBe(one.revision);
  });

  it('are removed by "remove", as sinks are, whatever their other fields say', async () => {
    await apply({
      alerts: [{ name: 'goes', group: HOSTS, when: { total_above: 1 } }],
      notify: [{ name: 'goes', kind: 'alertmanager', url: 'http://127.0.0.1:9093' }],
    });
    const remove = {
      alerts: [{ name: 'goes', group: 'whatever', remove: true }],
      notify: [{ name: 'goes', remove: true }],
    };
    const { counts } = await apply(remove);
    expect(counts).toEqual({ created: 0, changed: 0, unchanged: 1, removed: 2 });
    expect((await apply(remove)).counts).toEqual({ created: 0, changed: 0, unchanged: 3 });
    expect(await rows("select * from alerts where name = 'goes'")).toEqual([]);
  });

  it('are refused with all their mistakes at once', async () => {
    const rule = { group: HOSTS, when: { key_above: 1 } };
    const mistakes = await mistakesOf([
      { ...rule, name: 'a', window_seconds: 301, filter: { match: '(', cidr: ['10.0.0.0/33'] } },
      { ...rule, name: 'b', meter: 7 },
      { ...rule, name: 'c', meter: 2 },
      { ...rule, name: 'd', meter: 1, when: { key_share_above: 0.5 } },
      { ...rule, name: 'e', group: '{00000000-2222-3333-4444-555555555555}' },
      { ...rule, name: 'f', group: TEXTS, filter: { excludeCidr: ['10.0.0.0/8'] } },
      { ...rule, name: 'g', group: OFF },
      { ...rule, name: 'h', when: { silent_seconds: 60 }, filter: { search: 'x' } },
      { ...rule, name: 'fine', group: OFF, enabled: false, probe: 'one that comes later' },
    ]);
    expect(mistakes).toEqual([
      'alerts[0].window_seconds must be a multiple of topper_bucket_size 300, got 301',
      expect.stringMatching(/^alerts\[0\]\.filter\.match must be .*, got "\("/),
      expect.stringMatching(/^alerts\[0\]\.filter\.cidr must be .*, got "10\.0\.0\.0\/33"$/),
      'alerts[1].meter must be a meter of Hosts that can be ranked, got 7',
      'alerts[2].meter must be a meter of Hosts that can be ranked, got 2',
      'alerts[3].when.key_share_above must be of a meter whose values add up, but Load has another type: use key_above',
      'alerts[4].group must be a group of context lab, got {00000000-2222-3333-4444-555555555555}',
      expect.stringMatching(/^alerts\[5\]\.filter\.excludeCidr must be /),
      'alerts[6].group must be an enabled group, but Off is not: enable it, or disable the alert',
      'alerts[7].filter must be left out with silent_seconds, which is about the whole group',
    ]);
  });

  it.each<[object, string]>([
    [{ when: {} }, 'alerts[0].when must have exactly one of key_above, key_share_above'],
    [{ when: { key_above: 1, total_above: 1 } }, 'alerts[0].when must have exactly one of'],
    [{ when: { key_over: 1 } }, 'alerts[0].when must have no "key_over": it may have key_above'],
    [{ when: { key_above: 1.5 } }, 'alerts[0].when.key_above must be an integer from -9007'],
    [{ when: { key_above: 2 ** 53 } }, 'alerts[0].when.key_above must be an integer from -9007'],
    [{ when: { key_share_above: 1.5 } }, 'when.key_share_above must be a number from 0 to 1'],
    [{ when: { key_in_top: 0 } }, 'when.key_in_top must be an integer from 1 to 10000, got 0'],
    [{ when: { key_grows_by: -1 } }, 'when.key_grows_by must be an integer from 0 to'],
    [{ when: { silent_seconds: 0 } }, 'when.silent_seconds must be an integer from 1 to'],
    [{ group: undefined }, 'alerts[0].group must be a GUID such as'],
    [{ description: 'd'.repeat(10_001) }, 'description must be a text of at most 10000 characters'],
    [{ max_keys: 1001 }, 'alerts[0].max_keys must be an integer from 1 to 1000, got 1001'],
    [{ for_windows: 0 }, 'alerts[0].for_windows must be an integer from 1 to 1000, got 0'],
    [
      { filter: { keys: Array.from({ length: 1_000 }, () => 'k'.repeat(19)) } },
      'alerts[0].filter must have at most 16384 characters, its texts one a line, got 19999: name',
    ],
    [{ filter: { like: 'x' } }, 'alerts[0].filter must have no "like": it may have match'],
    [{ remove: 'yes' }, 'alerts[0].remove must be true or false, got "yes"'],
    [{ windows: 3 }, 'alerts[0] must have no "windows": it may have name, group'],
  ])('are refused if they have %j', async (changes, message) => {
    const rule = { name: 'a', group: HOSTS, when: { key_above: 1 }, ...changes };
    expect((await mistakesOf([rule])).join('; ')).toContain(message);
  });

  it('are refused with the mistakes of form and those against their groups together', async () => {
    const rule = { group: HOSTS, when: { key_above: 1 } };
    const mistakes = await mistakesOf([
      { ...rule, name: 'a', severity: 7, max_keys: 0, window_seconds: 301, like: 'x' },
      { ...rule, name: 'f', meter: '1', when: { key_share_above: 0.5 }, filter: { match: '(' } },
      { ...rule, name: 'b', meter: 7 },
      { ...rule, name: 'c' },
      { ...rule, name: 'c', window_seconds: 301 },
      { name: 'd', remove: true },
      'e',
    ]);
    expect(mistakes).toEqual([
      expect.stringMatching(/^alerts\[0\]\.severity must be .*, got 7$/),
      'alerts[0].max_keys must be an integer from 1 to 1000, got 0',
      expect.stringMatching(/^alerts\[0\] must have no "like": it may have name, /),
      expect.stringMatching(/^alerts\[1\]\.meter must be an integer from 0 to .*, got "1"$/),
      'alerts[6] must be an object, got "e"',
      'alerts must name each only once, got "c" twice',
      'alerts[0].window_seconds must be a multiple of topper_bucket_size 300, got 301',
      expect.stringMatching(/^alerts\[1\]\.filter\.match must be .*, got "\("/),
      'alerts[2].meter must be a meter of Hosts that can be ranked, got 7',
      'alerts[4].window_seconds must be a multiple of topper_bucket_size 300, got 301',
    ]);
    const { items } = await apply({ alerts: [{ name: 'c', remove: true }] });
    expect(items).toContainEqual({ what: 'alert', name: 'c', outcome: 'unchanged' });
  });

  it('are refused if two have the same name', async () => {
    const rule = { name: 'a', group: HOSTS, when: { key_above: 1 } };
    expect(await mistakesOf([rule, rule])).toEqual([
      'alerts must name each only once, got "a" twice',
    ]);
  });

  it('that exist are checked again when their group changes', async () => {
    await apply({ alerts: [{ name: 'texts', group: TEXTS, when: { key_above: 1 } }] });
    expect(await mistakesOf([], { groups: [{ guid: TEXTS, topper_bucket_size: 600 }] })).toEqual([
      'alert "texts".window_seconds must be a multiple of topper_bucket_size 600, got 300',
    ]);
  });
});

describe('sinks in an apply file', () => {
  it.each([
    [{ notify: [{ name: 'noc', kind: 'webhook', url_env: 'NOC' }] }],
    [{ alerts: [{ name: 'a', remove: true }] }],
  ])('and alerts do not create a context whose name is mistyped: %j', async (parts) => {
    await expect(apply({ context: 'mistyped', ...parts })).rejects.toThrow(
      'There is no context mistyped (the contexts are lab): correct the name, or declare its ' +
        'groups before its alerts and sinks, or with them',
    );
  });

  it('are refused together with rules, and nothing is applied', async () => {
    const rule = { name: 'a', group: HOSTS, when: { key_above: 1 }, meter: 7 };
    const sink = { name: 'fine', kind: 'webhook', url: 'http://127.0.0.1:9/' };
    const mistakes = await mistakesOf([rule], {
      notify: [{ name: 'b', kind: 'webhook' }, sink, sink],
    });
    expect(mistakes).toEqual([
      'notify[0] must have either url or url_env',
      'notify must name each only once, got "fine" twice',
      'alerts[0].meter must be a meter of Hosts that can be ranked, got 7',
    ]);
    const { items } = await apply({ notify: [{ name: 'fine', remove: true }] });
    expect(items).toContainEqual({ what: 'sink', name: 'fine', outcome: 'unchanged' });
  });

  it('are refused without showing their addresses', async () => {
    const error = await apply({
      notify: [
        { name: 'a', kind: 'webhook', url: 'ftp://user:secret@host' },
        { name: 'b', kind: 'webhook' },
        { name: 'c', kind: 'alertmanager', url: 'http://am:9093', secret_env: 'X' },
        { name: 'd', kind: 'mail', url_env: 'X' },
      ],
    }).catch((each: Error) => each);
    expect((error as Error).message.split('; ')).toEqual([
      'notify[0].url must be an address such as https://host/path',
      'notify[1] must have either url or url_env',
      'notify[2].secret_env must be left out: only webhooks are signed',
      'notify[3].kind must be "webhook" or "alertmanager", got "mail"',
    ]);
  });

  it.each([
    ['NUL', 'http://user:a\0b@host/'],
    ['a line break', 'http://host/a\nb'],
    ['a space', 'http://host/a b'],
    ['half of a surrogate pair', 'http://host/\ud800'],
  ])('are refused if their address has %s', async (_, url) => {
    await expect(apply({ notify: [{ name: 'a', kind: 'webhook', url }] })).rejects.toThrow(
      'notify[0].url must be an address such as https://host/path',
    );
  });
});

describe('export --declaration', () => {
  it('writes rules and sinks so that applying them changes nothing', async () => {
    await apply({
      alerts: [
        {
          name: 'all of it',
          group: HOSTS,
          meter: 0,
          window_seconds: 900,
          when: { key_share_above: 0.07 },
          filter: { cidr: ['10.0.0.0/8'], exclude: 'x' },
          probe: 'p1',
          for_windows: 2,
          clear_windows: 3,
          severity: 'page',
          description: 'says why',
          max_keys: 5,
          enabled: false,
        },
      ],
      notify: [{ name: 'am', kind: 'alertmanager', url: 'http://127.0.0.1:9093' }],
    });
    const connection = await openConnection(database.url, 'test');
    try {
      const context = await selectContext(connection, 'lab');
      if (!context) throw new Error('there is no context');
      const groups = await selectGroups(connection, context.contextId);
      const { text } = await exportDeclaration(connection, { name: 'lab', context, groups });
      const { counts } = await applyDeclaration(connection, JSON.parse(text));
      expect(counts).toMatchObject({ created: 0, changed: 0 });
      expect(JSON.parse(text).notify).toEqual([
        { name: 'am', kind: 'alertmanager', url: 'http://127.0.0.1:9093' },
        { name: 'noc', kind: 'webhook', url_env: 'NOC', secret_env: 'NOC_SECRET' },
      ]);
    } finally {
      await connection.end();
    }
  });
});
