import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRegistered, type Transport } from '../../../domain/keys/service-names.ts';
import { servicePort } from '../../../domain/keys/service-port.ts';

const TCP = 6;
const UDP = 17;
const SCTP = 132;

describe('a registered port', () => {
  it.each<[number, Transport, boolean, string]>([
    [443, 'tcp', true, 'it has a name'],
    [443, 'udp', true, 'it has a name'],
    [443, 'sctp', true, 'it has a name'],
    [22, 'sctp', true, 'it has a name'],
    [25, 'sctp', false, 'SCTP has no row for it'],
    [36412, 'sctp', true, 'only SCTP has a name'],
    [36412, 'tcp', false, 'only SCTP has a name'],
    [143, 'tcp', true, 'it has a name'],
    [143, 'udp', false, 'for UDP it is reserved'],
    [4789, 'udp', true, 'it has a name'],
    [4789, 'tcp', false, 'for TCP it is reserved'],
    [514, 'udp', true, 'it has a name, though no description'],
    [0, 'tcp', false, 'it is reserved'],
    [1024, 'tcp', false, 'it is reserved'],
    [4, 'tcp', false, 'it is unassigned'],
    [24, 'tcp', false, 'it is for any private mail system, without a name'],
    [6000, 'tcp', true, 'a range has a name'],
    [6063, 'udp', true, 'a range has a name'],
    [6064, 'sctp', false, 'SCTP has no row for it'],
    [6665, 'tcp', true, 'a range has a name'],
    [6665, 'udp', false, 'for UDP the range is reserved'],
    [27009, 'udp', true, 'a range without a transport has a name'],
    [27009, 'sctp', false, 'rows without a transport are for TCP and UDP'],
    [6400, 'tcp', true, 'a row without a transport has a name'],
    [49152, 'tcp', false, 'it is dynamic'],
    [65535, 'udp', false, 'it is dynamic'],
  ])('%d/%s: %s, because %s', (port, transport, expected) => {
    expect(isRegistered(port, transport)).toBe(expected);
  });
});

describe('the service port', () => {
  it.each([
    [TCP, 51_000, 443, 443, 'the registered one'],
    [TCP, 443, 51_000, 443, 'the registered one, in the other direction'],
    [TCP, 1024, 8080, 8080, 'the registered one, though it is higher: 1024 is reserved'],
    [TCP, 50_001, 50_002, 50_001, 'the lower of two that are not registered'],
    [TCP, 3306, 443, 443, 'the lower of two that are registered'],
    [TCP, 443, 443, 443, 'the only one'],
    [TCP, 0, 0, 0, 'zero, because a fragment has no ports'],
    [TCP, 0, 51_000, 0, 'the lower: zero is reserved'],
    [UDP, 143, 51_000, 143, 'the lower: for UDP both are not registered'],
    [UDP, 143, 4789, 4789, 'the one that is registered for UDP'],
    [TCP, 143, 4789, 143, 'the one that is registered for TCP'],
    [SCTP, 25, 36_412, 36_412, 'the one that is registered for SCTP'],
    [TCP, 25, 36_412, 25, 'the one that is registered for TCP'],
  ])('of protocol %d between %d and %d is %d: %s', (protocol, source, destination, expected) => {
    expect(servicePort(protocol, { source, destination })).toBe(expected);
  });

  it('is one of the two, and the same for both directions', () => {
    const port = fc.integer({ min: 0, max: 65_535 });
    fc.assert(
      fc.property(fc.constantFrom(TCP, UDP, SCTP), port, port, (protocol, a, b) => {
        const there = servicePort(protocol, { source: a, destination: b });
        expect([a, b]).toContain(there);
        expect(servicePort(protocol, { source: b, destination: a })).toBe(there);
      }),
    );
  });
});
