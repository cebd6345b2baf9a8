import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressKey } from '../../../domain/keys/key-text.ts';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import { type Flow, hasPorts } from '../../../ingest/flows/flow.ts';
import { multiplyWhole, toWhole } from '../../../ingest/whole.ts';
import { type InventedData, type InventedFlow, inventedData } from './invented-templates.ts';
import {
  NOW_MS,
  NOW_S,
  NOW_US,
  sender,
  type TemplateProtocol,
  TRAFFIC,
  templateOf,
  UPTIME_MS,
  valuesOf,
} from './sent-sets.ts';
import { dataSet, ipfixDatagram, netflow9Datagram, templateSet } from './write-templates.ts';

const PROTOCOLS: readonly TemplateProtocol[] = ['netflow9', 'ipfix'];

/** The flow that must be read; null if it is more than can be counted. */
function expectedOf(flow: InventedFlow, rate: number): Flow | null {
  const bytes = multiplyWhole(toWhole(flow.bytes), rate);
  if (bytes >= 2n ** 63n) return null;
  const { isIpv6, protocol } = flow;
  return {
    startUs: NOW_US - flow.startedAgoS * 1e6,
    durationUs: flow.lastedS * 1e6,
    protocol: isIpv6 && protocol === 1 ? 58 : protocol,
    ports: hasPorts(protocol)
      ? { source: flow.sourcePort, destination: flow.destinationPort }
      : null,
    portRule: 'registered',
    originator: {
      address: addressKey([...flow.source]),
      bytes,
      packets: multiplyWhole(toWhole(flow.packets), rate),
    },
    responder: { address: addressKey([...flow.destination]), bytes: 0, packets: 0 },
  };
}

/** The sets of what was invented: templates, and data of each. */
function setsOf(protocol: TemplateProtocol, all: readonly InventedData[]) {
  const sets = all.map(({ template, flows }, i) => {
    const records = flows.map((flow) => template.recordOf(flow));
    const written = templateOf(records[0] ?? [], 300 + i);
    return {
      template: templateSet(protocol, [written]),
      data: dataSet(written, records.map(valuesOf)),
    };
  });
  return { templates: sets.map(({ template }) => template), data: sets.map(({ data }) => data) };
}

/** Options that say the rate of all of the exporter. */
function rateSets(protocol: TemplateProtocol, rate: number): Buffer[] {
  const template = templateOf([[34, 4, rate]], 299, [
    { id: protocol === 'ipfix' ? 144 : 1, length: 4 },
  ]);
  return [templateSet(protocol, [template]), dataSet(template, [[1, rate]])];
}

describe.each(PROTOCOLS)('any templates of %s', (protocol) => {
  const all = fc.array(inventedData(protocol), { minLength: 1, maxLength: 4 });

  it('bring the flows of their data, before or after them', () => {
    const rates = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(all, rates, fc.boolean(), (invented, rate, isBefore) => {
        const send = sender();
        const { templates, data } = setsOf(protocol, invented);
        send(protocol, rateSets(protocol, rate));
        const [first, second] = isBefore ? [templates, data] : [data, templates];
        const decoded = [send(protocol, first), send(protocol, second)];
        const expected = invented.flatMap(({ flows }) =>
          flows.map((flow) => expectedOf(flow, rate)),
        );
        expect(decoded.flatMap(({ flows }) => flows)).toEqual(
          expected.filter((flow) => flow !== null),
        );
        const refused = decoded.reduce(
          (sum, each) => sum + (each.refused.get('badAmount') ?? 0),
          0,
        );
        expect(refused).toBe(expected.filter((flow) => flow === null).length);
        const records = invented.reduce((sum, { flows }) => sum + flows.length, 0);
        if (isBefore && protocol === 'ipfix') expect(decoded[1]?.number?.units).toBe(records);
      }),
    );
  });
});

/** Some way to spoil bytes: others in their place, an end too early, more in between. */
const mutation = fc.oneof(
  fc.record({ kind: fc.constant('set'), at: fc.nat(), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('cut'), at: fc.nat(), value: fc.constant(0) }),
  fc.record({ kind: fc.constant('insert'), at: fc.nat(), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('double'), at: fc.nat(), value: fc.nat(64) }),
);

function mutated(
  bytes: Buffer,
  changes: readonly { kind: string; at: number; value: number }[],
): Buffer {
  return changes.reduce((result: Buffer, { kind, at: place, value }) => {
    const at = result.length === 0 ? 0 : place % result.length;
    const before = result.subarray(0, at);
    const after = result.subarray(at);
    if (kind === 'cut') return before;
    if (kind === 'insert') return Buffer.concat([before, Buffer.from([value]), after]);
    if (kind === 'double') return Buffer.concat([before, after.subarray(0, value), after]);
    return Buffer.concat([before, Buffer.from([value]), after.subarray(1)]);
  }, bytes);
}

const counted = (refused: ReadonlyMap<string, number>): number =>
  [...refused.values()].reduce((sum, count) => sum + count, 0);

describe('whatever an exporter sends', () => {
  const datagramOf = (protocol: TemplateProtocol, sets: readonly Buffer[]): Buffer =>
    protocol === 'ipfix'
      ? ipfixDatagram({ seconds: NOW_S }, sets)
      : netflow9Datagram({ seconds: NOW_S, uptimeMs: UPTIME_MS }, sets);

  const validDatagram = fc.constantFrom(...PROTOCOLS).chain((protocol) =>
    fc.array(inventedData(protocol), { minLength: 1, maxLength: 2 }).map((invented) => {
      const { templates, data } = setsOf(protocol, invented);
      return datagramOf(protocol, [...rateSets(protocol, 3), ...templates, ...data]);
    }),
  );
  const spoiled = fc
    .tuple(validDatagram, fc.array(mutation, { minLength: 1, maxLength: 6 }))
    .map(([bytes, changes]) => mutated(bytes, changes));
  const random = fc
    .tuple(fc.constantFrom(5, 9, 10), fc.uint8Array({ maxLength: 300 }))
    .map(([version, bytes]) => Buffer.from([0, version, ...bytes]));
  const anything = fc.oneof(spoiled, random, validDatagram);

  it('is answered, with no more than there are bytes for, and changes nothing for others', () => {
    const template = templateOf(TRAFFIC);
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 8 }), (datagrams) => {
        const decoder = createDatagramDecoder();
        const send = sender(decoder);
        send('ipfix', [templateSet('ipfix', [template])], { address: '192.0.2.9' });
        let bytesSoFar = 0;
        for (const [i, bytes] of datagrams.entries()) {
          const receivedMs = NOW_MS + i;
          const { flows, skipped, refused } = decoder.decode({
            bytes,
            address: '192.0.2.1',
            port: 1,
            receivedMs,
          });
          // Even a datagram of no bytes is refused.
          bytesSoFar += Math.max(1, bytes.length);
          const total = flows.length + skipped.events + skipped.notIp + counted(refused);
          expect(total).toBeLessThanOrEqual(bytesSoFar);
        }
        const dropped = decoder.expire(NOW_MS + 60_000 + datagrams.length);
        expect(dropped.reduce((sum, each) => sum + each.datagrams, 0)).toBeLessThanOrEqual(
          datagrams.length,
        );
        expect(decoder.waitingOf('192.0.2.1')).toBe(0);
        const data = [dataSet(template, [valuesOf(TRAFFIC)])];
        expect(send('ipfix', data, { address: '192.0.2.9' }).flows).toHaveLength(1);
      }),
    );
  });

  it('is the same when it is sent again to who knows nothing', () => {
    fc.assert(
      fc.property(anything, (bytes) => {
        const datagram = { bytes, address: '192.0.2.1', port: 1, receivedMs: NOW_MS };
        const decoded = createDatagramDecoder().decode(datagram);
        expect(createDatagramDecoder().decode(datagram)).toEqual(decoded);
      }),
    );
  });
});
