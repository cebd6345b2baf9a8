import { describe, expect, it } from 'vitest';
import { DeclarationError, parseDeclaration } from '../../../ingest/declaration/declaration.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';

describe('a declaration with mistakes', () => {
  it('is refused however deeply a value is nested', () => {
    let nested: unknown = [];
    for (let level = 0; level < 100_000; level += 1) nested = [nested];
    const { mistakes } = parseDeclaration({ context: 'lab', alerts: [nested] });
    expect(mistakes).toEqual([
      expect.stringMatching(/^alerts\[0\] must be an object, got \[+"…"\]+$/),
    ]);
    expect(() => parseDeclaration({ context: nested })).toThrow('context must be a name');
  });

  const group = (changes: object) => ({
    context: 'lab',
    groups: [{ guid: HOSTS, name: 'Hosts', key_kind: 'ip', ...changes }],
  });

  it.each<[unknown, string]>([
    [7, 'the declaration must be an object, got 7'],
    [
      {},
      'context must be a name of 1 to 200 characters without control characters and without blanks at its ends, got nothing',
    ],
    [
      { context: '' },
      'context must be a name of 1 to 200 characters without control characters and without blanks at its ends, got ""',
    ],
    [{ context: 'x'.repeat(201) }, 'context must be a name of 1 to 200 characters'],
    [
      { context: ' lab' },
      'context must be a name of 1 to 200 characters without control characters and without blanks at its ends, got " lab"',
    ],
    [
      { context: 'lab', slices: 1, x: 2 },
      'the declaration must have no "slices", "x": it may have context, slice_seconds, retention_days, nodes, pools, probes, groups',
    ],
    [{ context: 'lab', slice_seconds: 7200 }, 'slice_seconds must be 3600 or 86400, got 7200'],
    [{ context: 'lab', retention_days: 0 }, 'retention_days must be an integer from 1 to'],
    [{ context: 'lab', pools: {} }, 'pools must be a list, got {}'],
    [{ context: 'lab', pools: [7] }, 'pools[0] must be an object, got 7'],
    [
      { context: 'lab', pools: [{ name: 'a', total_size: -1 }] },
      'pools[0].total_size must be an integer from 0 to 9007199254740991, got -1',
    ],
    [
      { context: 'lab', pools: [{ name: 'a', offline_archive: 'no' }] },
      'pools[0].offline_archive must be true or false, got "no"',
    ],
    [
      { context: 'lab', nodes: [{ name: 'primary', role: 'dr', url_env: 'X' }] },
      'blanks at its ends, other than primary, got "primary"',
    ],
    ...['a ', 'a\n'].map((name): [object, string] => [
      { context: 'lab', nodes: [{ name, role: 'dr', url_env: 'X' }] },
      `blanks at its ends, other than primary, got ${JSON.stringify(name)}`,
    ]),
    [
      { context: 'lab', nodes: [{ name: 'a', role: 'dr' }] },
      'nodes[0] must have either url or url_env',
    ],
    [
      { context: 'lab', nodes: [{ name: 'a', role: 'dr', url: 'postgres://h/d', url_env: 'X' }] },
      'nodes[0] must have either url or url_env',
    ],
    [
      { context: 'lab', nodes: [{ name: 'a', role: 'master', url_env: 'X' }] },
      'nodes[0].role must be "dr" or "replica"',
    ],
    [
      { context: 'lab', nodes: [{ name: 'a', role: 'dr', url_env: '1X' }] },
      'nodes[0].url_env must be the name of an environment variable',
    ],
    [
      { context: 'lab', nodes: [{ name: 'a', role: 'dr', url_env: 'X', share: true }] },
      'nodes[0].share must be left out or false: only a node of the role replica can be shared',
    ],
    [
      { context: 'lab', nodes: [{ name: 'a', role: 'replica', url_env: 'X', share: 1 }] },
      'nodes[0].share must be true or false',
    ],
    [
      { context: 'lab', probes: [{ id: 'a' }, { id: 'a' }] },
      'probes must name each only once, got "a" twice',
    ],
    [group({ guid: 'x' }), 'groups[0].guid must be a GUID such as {4CD742B1-'],
    [group({ guid: undefined }), 'got nothing'],
    [group({ key_kind: 'host' }), 'groups[0].key_kind must be "ipv4" or "ipv6" or "ip"'],
    [
      group({ bucket_size: 0 }),
      'groups[0].bucket_size must be an integer from 1 to 2147483647, got 0',
    ],
    [group({ enabled: 1 }), 'groups[0].enabled must be true or false, got 1'],
    [
      group({ meters: [{ id: 0, type: 13 }] }),
      'groups[0].meters[0].type must be an integer from 0 to 12',
    ],
    [group({ meters: [{ id: -1 }] }), 'groups[0].meters[0].id must be an integer from 0'],
    [
      group({ meters: [{ id: 1 }, { id: 1 }] }),
      'groups[0].meters must name each only once, got 1 twice',
    ],
    [
      group({ crosskey: { parentguid: HOSTS } }),
      'groups[0].crosskey.crosskeyguid_1 must be a GUID such as',
    ],
  ])('%j is refused: %s', (declaration, reason) => {
    expect(() => parseDeclaration(declaration)).toThrow(reason);
    expect(() => parseDeclaration(declaration)).toThrow(DeclarationError);
  });

  it('names all mistakes at once, and never the address of a node', () => {
    const url = 'mysql://user:secret@host/db';
    const declare = () =>
      parseDeclaration({ context: 7, nodes: [{ name: 'a', role: 'dr', url }], pools: 1 });
    expect(declare).toThrow(
      'context must be a name of 1 to 200 characters without control characters and without blanks at its ends, got 7; ' +
        'nodes[0].url must be an address such as postgres://user:password@host:5432/database; ' +
        'pools must be a list, got 1',
    );
    expect(declare).not.toThrow(/secret/);
  });

  it.each<[unknown, string]>([
    [{ url: 'postgres://user:secret@host/db' }, 'nodes must be a list'],
    [['postgres://user:secret@host/db'], 'nodes[0] must be an object'],
    [
      [{ name: 'a', role: 'dr', url_env: 'postgres://user:secret@host/db' }],
      'nodes[0].url_env must be the name of an environment variable',
    ],
  ])('never shows an address that is not where it belongs: %j', (nodes, message) => {
    expect(() => parseDeclaration({ context: 'lab', nodes })).toThrow(
      expect.objectContaining({ message }),
    );
  });
});
