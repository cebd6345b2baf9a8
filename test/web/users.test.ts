import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../web/src/address/address.ts';
import type { ContextChoice } from '../../web/src/data/choices.ts';
import {
  kindOf,
  type ListedAccount,
  limitText,
  matching,
} from '../../web/src/data/users/accounts.ts';
import { detailText, groupNames, withNames } from '../../web/src/data/users/audit-words.ts';
import {
  grantTexts,
  NEW_GRANT,
  reasonOf,
  refusedGrantField,
  savedGrant,
} from '../../web/src/data/users/grant-texts.ts';
import { momentsIn } from '../../web/src/format/moment.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
const APPS = '{C51B48D4-7876-479E-B0D9-BD9EFF03CE2E}';
const TWIN = '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A01}';
const TWIN_TOO = '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A02}';

const group = (guid: string, name: string) => ({
  guid,
  name,
  keyKind: 'IPV4' as const,
  bucketSize: 60,
  topperBucketSize: 300,
  samplingRate: 1,
  keysOf: null,
  crosskey: null,
  drilldowns: [],
  meters: [],
});

const LAB: ContextChoice = {
  name: 'lab',
  probes: [],
  totalWindow: null,
  counterGroups: [
    group(HOSTS, 'Hosts'),
    group(APPS, 'Apps, ports'),
    group(TWIN, 'Twin'),
    group(TWIN_TOO, 'Twin'),
  ],
};

const grant = {
  context: 'lab',
  role: 'READER',
  onlyNetworks: null,
  onlyProbes: null,
  onlyGroups: null,
} as const;

describe('the limits of a grant', () => {
  it.each([
    [{}, null],
    [{ onlyNetworks: ['10.0.0.0/8'] }, 'only network 10.0.0.0/8'],
    [
      { onlyNetworks: ['10.0.0.0/8', '2001:db8::/32'], onlyProbes: ['west'] },
      'only networks 10.0.0.0/8, 2001:db8::/32, and only probe west',
    ],
    [{ onlyGroups: [HOSTS] }, 'only counter group Hosts'],
    [{ context: 'vault', onlyGroups: [HOSTS] }, `only counter group ${HOSTS}`],
  ])('%j are, in words, %j', (limits, words) => {
    expect(limitText({ ...grant, ...limits }, [LAB])).toBe(words);
  });
});

describe('the form of a grant', () => {
  const known = LAB.counterGroups;

  it('shows names, and sends GUIDs', () => {
    const limited = { ...grant, onlyProbes: ['a, b', 'c'], onlyGroups: [APPS, TWIN, HOSTS] };
    const texts = grantTexts(limited, known);
    expect(texts).toMatchObject({ probes: '"a, b", c', groups: `"Apps, ports", ${TWIN}, Hosts` });
    expect(savedGrant(texts, known)).toEqual({ ...limited, onlyNetworks: null });
  });

  it('leaves names that it does not know, or two groups have, for the server to refuse', () => {
    const texts = { ...NEW_GRANT, context: ' lab ', groups: 'twin, hosts, none' };
    expect(savedGrant(texts, known)).toMatchObject({
      context: 'lab',
      onlyGroups: ['twin', HOSTS, 'none'],
    });
  });

  it.each([
    ['The change cannot be made - There is no context x (the contexts are lab)', 'context'],
    ['The change cannot be made - A network must be in CIDR form, such as …', 'networks'],
    ['… must be limited to at most 100 networks, got 101: name fewer', 'networks'],
    ['… must be limited to at most 100 probes, got 101: name fewer', 'probes'],
    ['… must be limited to at most 100 groups, got 101: name fewer', 'groups'],
    ['The change cannot be made - Context lab has no counter group x: …', 'groups'],
    ['Variable "$onlyGroups" got invalid value "x" at "onlyGroups[0]"; Guid must …', 'groups'],
    ['The change cannot be made - There is no user x', null],
  ])('shows "%s" at the field %s', (message, field) => {
    expect(refusedGrantField(message)).toBe(field);
  });

  it('leaves out the variable of a document that the server names', () => {
    const message = 'Variable "$onlyGroups" got invalid value "x" at "a[0]"; Guid must look; so';
    expect(reasonOf(message)).toBe('Guid must look; so');
    expect(reasonOf('There is no user x; or so')).toBe('There is no user x; or so');
  });
});

describe('the list of users', () => {
  const account = (name: string, changes: Partial<ListedAccount> = {}): ListedAccount => ({
    name,
    shownName: null,
    isGroup: false,
    isAdmin: false,
    grants: [],
    ...changes,
  });
  const ada = account('ada', { isAdmin: true });
  const bob = account('bob', { shownName: 'Robert', grants: [grant] });
  const ops = account('ops', { isGroup: true });
  const all = [ada, bob, ops];

  it.each([
    ['', 'all', all],
    [' AD ', 'all', [ada]],
    ['robert', 'all', [bob]],
    ['lab', 'all', [bob]],
    ['', 'users', [ada, bob]],
    ['', 'groups', [ops]],
    ['', 'administrators', [ada]],
    ['bob', 'groups', []],
  ] as const)('searched for "%s" among %s has what matches', (text, show, expected) => {
    expect(matching(all, { text, show })).toEqual(expected);
  });

  it('says what each is', () => {
    const leads = account('leads', { isGroup: true, isAdmin: true });
    expect([...all, leads].map(kindOf)).toEqual([
      'administrator',
      'user',
      'group',
      'group of administrators',
    ]);
  });
});

describe('a row of the audit', () => {
  const text = (detail: Record<string, string>) =>
    detailText(
      {
        at: 0,
        user: 'ada',
        from: '192.0.2.1',
        action: 'limit changed',
        object: 'bob',
        details: Object.entries(detail).map(([name, value]) => ({ name, value })),
      },
      momentsIn('UTC'),
    );

  it.each([
    [{}, ''],
    [{ context: 'lab', role: 'reader' }, 'context lab, role reader'],
    [{ token: 'default', expires: 'null' }, 'token default'],
    [{ formerExpires: '2026-10-13T09:20:41.503Z' }, 'former expires Tue 13 Oct 2026, 09:20:41'],
    [{ isGroup: 'true' }, 'group'],
    [{ page: 'true', until: '1796002159' }, 'in the page, until Mon 30 Nov 2026, 01:29:19'],
    [
      { onlyNetworks: '["10.0.0.0/8","2001:db8::/32"]' },
      'only networks 10.0.0.0/8 and 2001:db8::/32',
    ],
    [{ onlyGroups: `[{"guid":"${HOSTS}","name":"Hosts"},7]` }, 'only groups Hosts and 7'],
    [{ file: '[not JSON' }, 'file [not JSON'],
  ])('tells %j as "%s"', (detail, expected) => {
    expect(text(detail)).toBe(expected);
  });
});

describe('the groups of the audit', () => {
  const row = (context: string) => ({
    at: 0,
    user: 'ada',
    from: null,
    action: 'group created',
    object: HOSTS,
    details: [{ name: 'context', value: context }],
  });
  const contexts = ['lab', 'office'].map((name) => ({
    name,
    counterGroups: [{ guid: HOSTS, name: `Hosts of ${name}` } as ContextChoice['counterGroups'][0]],
  }));

  it.each([
    ['lab', 'Hosts of lab'],
    ['office', 'Hosts of office'],
  ])('have the names that they have in the context of the row: %s', (context, name) => {
    const of = row(context);
    expect(withNames(`${of.object} 3`, groupNames(of, contexts))).toBe(`${name} 3`);
  });

  it('keep their GUIDs where the viewer does not know them', () => {
    expect(withNames(HOSTS, groupNames(row('lab'), []))).toBe(HOSTS);
  });
});

describe('the address of a user', () => {
  it.each([
    ['?view=users&user=ada', { name: 'ada', isGroup: false }],
    ['?view=users&usergroup=ops', { name: 'ops', isGroup: true }],
    ['?view=users&user=ada&usergroup=ops', { name: 'ada', isGroup: false }],
    ['?view=users', null],
  ])('%s opens %j', (search, account) => {
    expect(parseAddress(search)).toMatchObject({ view: 'users', account });
  });
});
