import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FUZZ_CASES } from '../../../support/random/fuzz-cases.ts';
import {
  authentication,
  destinationOptions,
  ethernet,
  fragment,
  hopByHop,
  ipv4,
  ipv6,
  labels,
  pppoe,
  routing,
  segment,
  vlan,
} from './build-frames.ts';
import { decode, told } from './decode-samples.ts';
import { flowSample, formatted, ipRecord, rawHeader, sflowDatagram } from './encode-sflow.ts';

const CASES = { numRuns: 20 * FUZZ_CASES };

const PORTLESS = [1, 2, 47, 50, 58, 89, 103];
const WITH_PORTS = [6, 17, 132];
const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const port = fc.integer({ min: 0, max: 65_535 });

/** A packet, and where in frames of which kind it is. */
const packets = fc.record({
  isIpv6: fc.boolean(),
  from: fc.integer({ min: 1, max: 255 }),
  to: fc.integer({ min: 1, max: 255 }),
  protocol: fc.constantFrom(...PORTLESS, ...WITH_PORTS),
  sourcePort: port,
  port,
  frameBytes: fc.integer({ min: 0, max: 2 ** 20 }),
  rate: fc.integer({ min: 0, max: 2 ** 20 }),
  isExpanded: fc.boolean(),
  tags: fc.array(fc.constantFrom(0x8100, 0x88a8, 0x9100), { maxLength: 4 }),
  carrier: fc.constantFrom('plain', 'mpls', 'pppoe', 'ip', 'fields'),
  labels: fc.integer({ min: 1, max: 6 }),
  extensions: fc.array(
    fc.constantFrom(hopByHop, destinationOptions, routing, authentication, fragment(0)),
    { maxLength: 3 },
  ),
  options: fc.integer({ min: 0, max: 10 }),
});

type Packet = Parameters<Parameters<typeof packets.map>[0]>[0];

const endsOf = ({ isIpv6, from, to }: Packet) =>
  isIpv6
    ? { from: `2001:db8::${from.toString(16)}`, to: `2001:db8:1::${to.toString(16)}` }
    : { from: `192.0.2.${from}`, to: `198.51.100.${to}` };

function sampleOf(packet: Packet): Buffer {
  const { isIpv6, protocol, sourcePort, port, frameBytes, rate, isExpanded, carrier } = packet;
  const fields = { ...endsOf(packet), protocol };
  const payload = segment(sourcePort, port);
  const ip = isIpv6
    ? ipv6(payload, fields, packet.extensions)
    : ipv4(payload, fields, Buffer.alloc(4 * packet.options));
  const type = isIpv6 ? 0x86dd : 0x0800;
  const carriers = {
    plain: [type, ip],
    mpls: [0x8847, labels(packet.labels, ip)],
    pppoe: [0x8864, pppoe(isIpv6 ? 0x57 : 0x21, ip)],
  } as const;
  const settings = { rate, isExpanded };
  if (carrier === 'fields') {
    const record = ipRecord({ ...fields, sourcePort, port, length: frameBytes });
    return flowSample([record], settings);
  }
  if (carrier === 'ip') {
    return flowSample([rawHeader(ip, { protocol: isIpv6 ? 12 : 11, frameBytes })], settings);
  }
  const [innerType, inner] = carriers[carrier];
  const tagged = packet.tags.reduce<readonly [number, Buffer]>(
    ([kind, content], tag) => [tag, vlan(kind, content)],
    [innerType, inner],
  );
  return flowSample([rawHeader(ethernet(tagged[0], tagged[1]), { frameBytes })], settings);
}

function expected(packet: Packet): string {
  const { protocol, sourcePort, port, frameBytes } = packet;
  const { from, to } = endsOf(packet);
  const rate = packet.rate || 1;
  const amounts = `${BigInt(frameBytes) * BigInt(rate)} in ${rate}`;
  return WITH_PORTS.includes(protocol)
    ? `${protocol} ${from} ${sourcePort} > ${to} ${port}, ${amounts}`
    : `${protocol} ${from} > ${to}, ${amounts}`;
}

const counters = formatted(2, Buffer.alloc(100));

describe('any datagram of sFlow', () => {
  it('brings each packet that it has samples of', () => {
    fc.assert(
      fc.property(fc.array(packets, { maxLength: 12 }), word, (sent, sequence) => {
        const samples = sent.flatMap((packet) => [counters, sampleOf(packet)]);
        const { flows, number, refused, skipped } = decode(sflowDatagram(samples, { sequence }));
        expect(flows.map(told)).toEqual(sent.map(expected));
        expect(number?.number).toBe(sequence);
        expect(refused.size + skipped.notIp).toBe(0);
      }),
      CASES,
    );
  });

  it('gives an answer or a counted refusal if it is changed and cut off anywhere', () => {
    const change = fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 4, 127, 255), fc.nat(255)));
    fc.assert(
      fc.property(
        fc.array(packets, { minLength: 1, maxLength: 6 }),
        fc.array(change, { maxLength: 8 }),
        fc.option(fc.nat()),
        (sent, changes, cut) => {
          const bytes = sflowDatagram(sent.map(sampleOf));
          for (const [at, value] of changes) bytes[at % bytes.length] = value;
          isAnswered(bytes.subarray(0, cut === null ? bytes.length : cut % bytes.length));
        },
      ),
      CASES,
    );
  });

  it('gives an answer or a counted refusal whatever its bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        isAnswered(Buffer.concat([Buffer.from([0, 0, 0, 5]), bytes]));
        isAnswered(Buffer.from(bytes));
      }),
      CASES,
    );
  });

  it('brings nothing of a datagram that is cut off', () => {
    fc.assert(
      fc.property(fc.array(packets, { minLength: 1, maxLength: 5 }), fc.nat(), (sent, cut) => {
        const bytes = sflowDatagram(sent.map(sampleOf));
        const length = 4 + (cut % (bytes.length - 4));
        const { flows, refused } = decode(bytes.subarray(0, length));
        expect(flows).toEqual([]);
        expect(refused).toEqual(new Map([['truncated', 1]]));
      }),
      CASES,
    );
  });
});

/** Everything that is returned can be counted, and nothing is returned for nothing. */
function isAnswered(bytes: Buffer): void {
  const { number, flows, skipped, refused, samplingRates } = decode(bytes);
  for (const { originator, protocol, ports } of flows) {
    expect(originator.bytes >= 0 && originator.bytes < 2n ** 63n).toBe(true);
    expect(originator.address).toMatch(/^[0-9A-F]{2}(\.[0-9A-F]{2}){3}((\.[0-9A-F]{2}){12})?$/);
    expect(protocol).toBeLessThanOrEqual(255);
    expect(ports === null).toBe(!WITH_PORTS.includes(protocol ?? 0));
  }
  expect(samplingRates.length).toBeLessThanOrEqual(flows.length);
  if (number === null) {
    expect([flows, skipped.notIp, refused.size]).toEqual([[], 0, 1]);
  }
}
