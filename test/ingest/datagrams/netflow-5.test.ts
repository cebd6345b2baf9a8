import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecodedDatagram } from '../../../ingest/datagrams/datagram.ts';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import { type Netflow5Record, netflow5Datagram } from './write-netflow-5.ts';

const NOW_S = 1_780_000_000;
const DAY_MS = 86_400_000;
const UPTIME_MS = 500_000_000;

const decode = (bytes: Buffer, receivedMs = NOW_S * 1000): DecodedDatagram =>
  createDatagramDecoder().decode({ bytes, address: '192.0.2.1', port: 4321, receivedMs });

const HEADER = { uptimeMs: UPTIME_MS, seconds: NOW_S };

const RECORD: Netflow5Record = {
  source: [10, 0, 0, 1],
  destination: [198, 51, 100, 7],
  packets: 10,
  bytes: 1500,
  firstMs: UPTIME_MS - 60_000,
  lastMs: UPTIME_MS - 15_000,
  sourcePort: 51_000,
  destinationPort: 443,
  protocol: 6,
};

/** Decodes one record under a header. */
const decodeRecord = (record: Netflow5Record, header = {}): DecodedDatagram =>
  decode(netflow5Datagram({ ...HEADER, ...header }, [{ ...RECORD, ...record }]));

const flowOf = (record: Netflow5Record, header = {}) => {
  const { flows, refused } = decodeRecord(record, header);
  expect(refused.size).toBe(0);
  return flows[0];
};

describe('a datagram of NetFlow 5', () => {
  it('brings one-way flows', () => {
    expect(decodeRecord({})).toEqual({
      number: {
        protocol: 'netflow5',
        domain: '0/0',
        number: 0,
        units: 1,
        uptimeMs: UPTIME_MS,
        sentMs: NOW_S * 1000,
      },
      flows: [
        {
          startUs: (NOW_S - 60) * 1e6,
          durationUs: 45e6,
          protocol: 6,
          ports: { source: 51_000, destination: 443 },
          portRule: 'registered',
          originator: { address: '0A.00.00.01', bytes: 1500, packets: 10 },
          responder: { address: 'C6.33.64.07', bytes: 0, packets: 0 },
        },
      ],
      skipped: { events: 0, notIp: 0 },
      refused: new Map(),
      samplingRates: [1],
      ofUnknownSampler: 0,
    });
  });

  it('says its place in the sequence of its engine, which counts flows', () => {
    const header = { ...HEADER, sequence: 4_294_967_290, engineType: 1, engineId: 7 };
    const { number } = decode(
      netflow5Datagram({ ...header, nanoseconds: 250_999_999 }, [RECORD, RECORD, RECORD]),
    );
    expect(number).toEqual({
      protocol: 'netflow5',
      domain: '1/7',
      number: 4_294_967_290,
      units: 3,
      uptimeMs: UPTIME_MS,
      sentMs: NOW_S * 1000 + 250,
    });
  });

  it('brings flows without ports of protocols that have none', () => {
    expect(flowOf({ protocol: 1, sourcePort: 0, destinationPort: 0x0800 })?.ports).toBeNull();
    expect(flowOf({ protocol: 132 })?.ports).toEqual({ source: 51_000, destination: 443 });
  });

  it('brings flows without traffic, as they have a time', () => {
    expect(flowOf({ bytes: 0, packets: 0 })?.originator).toMatchObject({ bytes: 0, packets: 0 });
  });

  it.each([
    ['an interval multiplies bytes and packets', 100, 150_000, 1000, [100]],
    ['the two highest bits are the mode', 0x4000 | 100, 150_000, 1000, [100]],
    ['the interval has 14 bits', 0xffff, 1500 * 16_383, 163_830, [16_383]],
    ['an interval of 0 is no sampling, whatever the mode', 0x8000, 1500, 10, [1]],
  ])('is sampled by its header: %s', (_, sampling, bytes, packets, rates) => {
    const { flows, samplingRates } = decodeRecord({}, { sampling });
    expect(flows[0]?.originator).toMatchObject({ bytes, packets });
    expect(samplingRates).toEqual(rates);
  });

  it('reads amounts of 32 bits', () => {
    const largest = 2 ** 32 - 1;
    const flow = flowOf({ bytes: largest, packets: largest }, { sampling: 16_383 });
    expect(flow?.originator.bytes).toBe(largest * 16_383);
    expect(flow?.originator.packets).toBe(largest * 16_383);
  });
});

describe('times of NetFlow 5', () => {
  const WRAP = 2 ** 32;

  it.each([
    ['nanoseconds of the header count', { nanoseconds: 123_456_789 }, {}, -60e6 + 123_456, 45e6],
    [
      'the uptime wrapped after the start',
      { uptimeMs: 1000 },
      { firstMs: WRAP - 1000, lastMs: 500 },
      -2e6,
      1.5e6,
    ],
    [
      'the uptime wrapped after the end',
      { uptimeMs: 1000 },
      { firstMs: WRAP - 2000, lastMs: WRAP - 1 },
      -3e6,
      1.999e6,
    ],
    [
      'a flow ends just after the header was made',
      {},
      { firstMs: UPTIME_MS - 5, lastMs: UPTIME_MS + 5 },
      -5000,
      10_000,
    ],
    ['a flow has no duration', {}, { firstMs: UPTIME_MS, lastMs: UPTIME_MS }, 0, 0],
    [
      'a flow of exactly a day',
      {},
      { firstMs: UPTIME_MS - DAY_MS, lastMs: UPTIME_MS },
      -86_400e6,
      86_400e6,
    ],
    [
      'a flow ends exactly a day from now',
      {},
      { firstMs: UPTIME_MS, lastMs: UPTIME_MS + DAY_MS },
      0,
      86_400e6,
    ],
  ])('are reckoned from the header: %s', (_, header, record, startUs, durationUs) => {
    const flow = flowOf(record, header);
    expect(flow?.startUs).toBe(NOW_S * 1e6 + startUs);
    expect(flow?.durationUs).toBe(durationUs);
  });

  it.each([
    ['end before the start', {}, { firstMs: UPTIME_MS, lastMs: UPTIME_MS - 1 }],
    ['last more than a day', {}, { firstMs: UPTIME_MS - DAY_MS - 1, lastMs: UPTIME_MS }],
    [
      'end more than a day from now',
      {},
      { firstMs: UPTIME_MS + 1, lastMs: UPTIME_MS + DAY_MS + 1 },
    ],
    ['begin before 1990', { seconds: 631_152_059 }, {}],
  ])('of flows that %s are refused', (_, header, record) => {
    const datagram = netflow5Datagram({ ...HEADER, ...header }, [
      { ...RECORD, ...record },
      { ...RECORD, firstMs: UPTIME_MS, lastMs: UPTIME_MS },
    ]);
    const { flows, refused, number } = decode(datagram);
    expect(refused.get('badTime')).toBeGreaterThan(0);
    expect(flows.length + (refused.get('badTime') ?? 0)).toBe(2);
    expect(number?.units).toBe(2);
  });

  it('may begin with 1990', () => {
    expect(flowOf({}, { seconds: 631_152_060 })?.startUs).toBe(631_152_000e6);
  });
});

describe('a malformed datagram of NetFlow 5', () => {
  const full = netflow5Datagram(HEADER, Array(30).fill(RECORD));

  it.each([
    ['shorter than a header', full.subarray(0, 23), 'truncated'],
    ['nothing but a version', full.subarray(0, 2), 'truncated'],
    ['cut within its last record', full.subarray(0, -1), 'truncated'],
    ['without its last record', full.subarray(0, -48), 'truncated'],
    ['longer than its records', Buffer.concat([full, Buffer.alloc(1)]), 'badLength'],
    ['without records', netflow5Datagram(HEADER, []), 'badLength'],
    ['of more than 30 records', netflow5Datagram(HEADER, Array(31).fill(RECORD)), 'badLength'],
  ] as const)('is refused as a whole: %s', (_, bytes, reason) => {
    expect(decode(bytes)).toMatchObject({
      number: bytes.length < 24 ? null : { isRefused: true },
      flows: [],
      refused: new Map([[reason, 1]]),
    });
  });

  it('may have up to 30 records', () => {
    expect(decode(full).flows).toHaveLength(30);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from([5])],
    ['NetFlow 1', Buffer.from([0, 1, 0, 1])],
    ['NetFlow 7', Buffer.from([0, 7, 0, 1])],
    ['version 5 with its bytes swapped', Buffer.from([5, 0, 0, 1])],
  ])('is of no known version: %s', (_, bytes) => {
    expect(decode(bytes)).toMatchObject({
      number: null,
      refused: new Map([['unknownVersion', 1]]),
    });
  });

  it('is answered whatever follows the version', () => {
    const tail = fc.uint8Array({ maxLength: 2000 });
    fc.assert(
      fc.property(tail, (bytes) => {
        const { flows, refused } = decode(Buffer.from([0, 5, ...bytes]));
        expect(flows.length + [...refused.values()].reduce((a, b) => a + b, 0)).toBeGreaterThan(0);
      }),
    );
  });
});
