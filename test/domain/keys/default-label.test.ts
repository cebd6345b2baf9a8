import { describe, expect, it } from 'vitest';
import { defaultLabel } from '../../../domain/keys/default-label.ts';
import { parseReadableKey } from '../../../domain/keys/key-text.ts';
import { serviceName } from '../../../domain/keys/service-names.ts';

describe('the default label of a port', () => {
  it.each([
    [22, 'ssh', 'the registered name'],
    [53, 'domain', 'the registered name'],
    [80, 'http', 'the first of several names'],
    [443, 'https', 'the registered name'],
    [631, 'ipp', 'the first of several names'],
    [2049, 'nfs', 'the name in use'],
    [3478, 'stun', 'the first of several names'],
    [520, 'efs', "TCP's name, where UDP has another"],
    [66, 'sql-net', 'the proper spelling'],
    [63, 'whoispp', 'the proper spelling'],
    [6000, 'x11', 'the name of a range'],
    [6063, 'x11', 'the name of a range'],
    [3074, 'xbox', 'the registered name'],
    [1, 'tcpmux', 'the first port that has a name'],
    [6665, 'ircu', 'the start of a range'],
    [7359, 'swx', 'the end of a range'],
    [6064, 'ndl-ahp-svc', 'a port of its own, after a range'],
  ])('%d is %s: %s', (port, name) => {
    const key = parseReadableKey('port', String(port));
    expect(key).not.toBeNull();
    expect(defaultLabel('port', key ?? '')).toBe(name);
  });

  it.each([
    [4794, 'veroce', "UDP's name where TCP has none"],
    [36412, 's1-control', "SCTP's name where TCP and UDP have none"],
    [6400, 'boe-cms', 'the name of a row without a transport'],
  ])('%d is %s: %s', (port, name) => {
    expect(serviceName(port)).toBe(name);
  });

  it.each([
    [0, 'reserved'],
    [4, 'unassigned'],
    [6664, 'before a range'],
    [7299, 'before a range'],
    [7360, 'after a range'],
    [49152, 'dynamic'],
    [65535, 'the last'],
  ])('is missing for %d (%s)', (port) => {
    expect(serviceName(port)).toBeNull();
  });

  it.each(['80', '0050', '00.50.00', 'http', ''])(
    'is missing for %j, which is not a port',
    (key) => {
      expect(defaultLabel('port', key)).toBeNull();
    },
  );
});

describe('the default label of a country', () => {
  it.each([
    ['US', 'United States'],
    ['DE', 'Germany'],
    ['CI', 'Côte d’Ivoire'],
  ])('%s is %s', (key, name) => {
    expect(defaultLabel('country', key)).toBe(name);
  });

  it.each(['us', 'USA', '', '12', 'QQ'])('is missing for %j', (key) => {
    expect(defaultLabel('country', key)).toBeNull();
  });
});

it.each([
  ['ipv4', 'C0.A8.01.0A'],
  ['protocol', '06'],
  ['asn', '00.00.3B.41'],
  ['text', 'US'],
] as const)('a key of kind %s has no default label', (kind, key) => {
  expect(defaultLabel(kind, key)).toBeNull();
});
