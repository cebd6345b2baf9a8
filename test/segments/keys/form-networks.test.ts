import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys } from '../../../domain/keys/compare-keys.ts';
import { sharedMemory } from '../../../segments/filter/key-set.ts';
import { formNetworks, NETWORK_CODEC } from '../../../segments/keys/form-networks.ts';
import { keyAt } from '../../../segments/keys/key-list.ts';
import { lengths, networkOf } from '../../engine/plain-networks.ts';
import { codecOf, listOf } from './random-keys.ts';

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** Few different bytes, so that many addresses begin alike, even IPv4 and IPv6 ones. */
const byte = fc.constantFrom(0, 1, 0x7f, 0x80, 0xff);

const address = fc
  .tuple(fc.constantFrom(4, 16), fc.array(byte, { minLength: 16, maxLength: 16 }))
  .map(([length, bytes]) => bytes.slice(0, length).map(hex).join('.'));

describe('the networks of addresses', () => {
  it('are in order, each once, with a map from their addresses', () => {
    const codec = codecOf(['ip']);
    fc.assert(
      fc.property(fc.array(address, { maxLength: 60 }), lengths, (addresses, prefix) => {
        const list = listOf(addresses.map(codec.encode));
        const { keys, map } = formNetworks(list, prefix, sharedMemory);
        const networks = Array.from({ length: keys.count }, (_, i) =>
          NETWORK_CODEC.decode(keyAt(keys, i)),
        );
        const wanted = new Set(addresses.map((each) => networkOf(each, prefix)));
        expect(networks).toEqual([...wanted].sort(compareKeys));
        expect(map.buffer).toBeInstanceOf(SharedArrayBuffer);
        expect(Array.from(map, (network) => networks[network])).toEqual(
          Array.from({ length: list.count }, (_, i) =>
            networkOf(codec.decode(keyAt(list, i)), prefix),
          ),
        );
      }),
      { numRuns: 500 },
    );
  });
});
