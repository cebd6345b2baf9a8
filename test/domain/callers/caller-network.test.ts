import { describe, expect, it } from 'vitest';
import { callerNetwork, isLoopback } from '../../../domain/callers/caller-network.ts';

describe('the network of a caller', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:51234', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['[2001:DB8:1:2::9]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('of %s is %s', (address, network) => {
    expect(callerNetwork(address)).toBe(network);
  });

  it.each([undefined, '', 'unix', 'evil.example', '1.2.3.4, 5.6.7.8', '[::1', '999.1.1.1'])(
    'of %s, which is not an address, is unknown',
    (text) => {
      expect(callerNetwork(text)).toBe('unknown');
    },
  );

  it('differs for adjacent networks', () => {
    expect(callerNetwork('2001:db8:1:3::1')).not.toBe(callerNetwork('2001:db8:1:2::1'));
    expect(callerNetwork('192.0.2.8')).not.toBe(callerNetwork('192.0.2.7'));
  });
});

it.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['192.168.0.1', false],
  ['::', false],
  ['unknown', false],
  [undefined, false],
])('whether %s is on this machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
