import { describe, expect, it } from 'vitest';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import {
  DESTINATION,
  DESTINATION_KEY,
  decodeRecord,
  ENDS,
  flowOf,
  NOW_MS,
  NOW_US,
  SOURCE,
  SOURCE_KEY,
  sender,
  TRAFFIC,
  templateOf,
  UPTIME_MS,
  valuesOf,
  type WrittenRecord,
} from './sent-sets.ts';
import { dataSet, netflow9Datagram, setOf, templateSet } from './write-templates.ts';

/** What a usual router sends in NetFlow 9. */
const ROUTER_RECORD: WrittenRecord = [
  [8, 4, SOURCE],
  [12, 4, DESTINATION],
  [15, 4, Buffer.from([10, 0, 0, 254])],
  [10, 2, 3],
  [14, 2, 4],
  [2, 4, 10],
  [1, 4, 1500],
  [22, 4, UPTIME_MS - 60_000],
  [21, 4, UPTIME_MS - 15_000],
  [7, 2, 51_000],
  [11, 2, 443],
  [6, 1, 0x1b],
  [4, 1, 6],
  [5, 1, 0],
  [89, 1, 0x80],
];

const FLOW = {
  startUs: NOW_US - 60e6,
  durationUs: 45e6,
  protocol: 6,
  ports: { source: 51_000, destination: 443 },
  portRule: 'registered',
  originator: { address: SOURCE_KEY, bytes: 1500, packets: 10 },
  responder: { address: DESTINATION_KEY, bytes: 0, packets: 0 },
};

describe('a datagram of NetFlow 9', () => {
  it('brings the flows of its data', () => {
    const decoded = decodeRecord('netflow9', ROUTER_RECORD, { domain: 3, sequence: 77 });
    expect(decoded).toEqual({
      number: {
        protocol: 'netflow9',
        domain: '3',
        number: 77,
        units: 1,
        uptimeMs: UPTIME_MS,
        sentMs: NOW_MS,
      },
      flows: [FLOW],
      skipped: { events: 0, notIp: 0 },
      refused: new Map(),
      samplingRates: [1],
      ofUnknownSampler: 0,
    });
  });

  it('counts as one in the sequence, whatever it has', () => {
    expect(sender()('netflow9', []).number?.units).toBe(1);
    expect(sender()('netflow9', [setOf(300, Buffer.alloc(8))]).number?.units).toBe(1);
  });

  it('may end with padding', () => {
    const template = templateOf(ROUTER_RECORD);
    const sets = [
      templateSet('netflow9', [template]),
      dataSet(template, [valuesOf(ROUTER_RECORD), valuesOf(ROUTER_RECORD)]),
    ];
    for (const padding of [1, 2, 3, 4, 40]) {
      const decoded = sender()('netflow9', [...sets, Buffer.alloc(padding)]);
      expect(decoded).toMatchObject({ flows: [FLOW, FLOW], refused: new Map() });
    }
  });

  it('is read whatever number of records its header says', () => {
    const template = templateOf(ROUTER_RECORD);
    const bytes = netflow9Datagram({ seconds: NOW_MS / 1000, uptimeMs: UPTIME_MS }, [
      templateSet('netflow9', [template]),
      dataSet(template, [valuesOf(ROUTER_RECORD)]),
    ]);
    bytes.writeUInt16BE(9_999, 2);
    const datagram = { bytes, address: '192.0.2.1', port: 1, receivedMs: NOW_MS };
    expect(createDatagramDecoder().decode(datagram).flows).toEqual([FLOW]);
  });
});

describe('a message of IPFIX', () => {
  const record: WrittenRecord = [
    ...ENDS,
    [1, 8, 1500],
    [2, 8, 10],
    [152, 8, NOW_MS - 60_000],
    [153, 8, NOW_MS - 15_000],
  ];

  it('brings the flows of its data, and counts as many in the sequence', () => {
    const template = templateOf(record, 999);
    const send = sender();
    const options = { domain: 2 ** 32 - 1, sequence: 2 ** 32 - 1 };
    const sets = [
      templateSet('ipfix', [template]),
      dataSet(template, [valuesOf(record), valuesOf(record)]),
      dataSet(template, [valuesOf(record)]),
    ];
    expect(send('ipfix', sets, options)).toEqual({
      number: {
        protocol: 'ipfix',
        domain: '4294967295',
        number: 2 ** 32 - 1,
        units: 3,
        uptimeMs: null,
        sentMs: NOW_MS,
      },
      flows: [FLOW, FLOW, FLOW],
      skipped: { events: 0, notIp: 0 },
      refused: new Map(),
      samplingRates: [1],
      ofUnknownSampler: 0,
    });
  });

  it('counts records of options in the sequence, and not templates', () => {
    const options = templateOf([[34, 4, 1]], 257, [{ id: 149, length: 4 }]);
    const template = templateOf(record);
    const { number } = sender()('ipfix', [
      templateSet('ipfix', [template]),
      templateSet('ipfix', [options]),
      dataSet(options, [
        [0, 1],
        [1, 1],
      ]),
      dataSet(template, [valuesOf(record)]),
    ]);
    expect(number?.units).toBe(3);
  });

  it('counts refused and skipped flows in the sequence', () => {
    const template = templateOf(record);
    const future = valuesOf(record).with(-2, NOW_MS * 2);
    const { number, flows } = sender()('ipfix', [
      templateSet('ipfix', [template]),
      dataSet(template, [future, valuesOf(record)]),
    ]);
    expect([flows.length, number?.units]).toEqual([1, 2]);
  });
});

describe('a field', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('may have %i bytes, if it is a number', (length) => {
    const largest = length < 7 ? 2 ** (length * 8) - 1 : 2 ** 53 - 1;
    const flow = flowOf('ipfix', [...ENDS, [1, length, largest], [2, length, 1]]);
    expect(flow.originator).toMatchObject({ bytes: largest, packets: 1 });
  });

  it.each([
    [2n ** 53n - 1n, 2 ** 53 - 1],
    [2n ** 53n, 2n ** 53n],
    [2n ** 53n + 1n, 2n ** 53n + 1n],
    [2n ** 63n - 1n, 2n ** 63n - 1n],
  ])('is exact: an amount of %s', (value, bytes) => {
    expect(flowOf('ipfix', [...ENDS, [1, 8, value]]).originator.bytes).toBe(bytes);
  });

  it('is refused with an amount that cannot be counted', () => {
    const { flows, refused } = decodeRecord('ipfix', [...ENDS, [1, 8, 2n ** 63n], [2, 8, 1]]);
    expect({ flows, refused }).toEqual({ flows: [], refused: new Map([['badAmount', 1]]) });
  });

  it('is left out if it is unknown, of an enterprise, or of a length that cannot be', () => {
    const flow = flowOf('ipfix', [
      [8, 4, SOURCE],
      [32_767, 7, 1],
      [8, 4, DESTINATION, 9],
      [12, 4, DESTINATION],
      [4, 1, 17],
      [1, 4, 1_000_000, 29_304],
      [2, 16, 99],
      [1, 4, 70],
      [225, 4, Buffer.from([1, 1, 1, 1])],
      [226, 4, Buffer.from([2, 2, 2, 2])],
      [227, 2, 1],
      [228, 2, 2],
      [7, 2, 1000],
      [11, 2, 53],
    ]);
    expect(flow).toMatchObject({
      protocol: 17,
      ports: { source: 1000, destination: 53 },
      originator: { address: SOURCE_KEY, bytes: 70, packets: 0 },
      responder: { address: DESTINATION_KEY },
    });
  });

  it('counts where it is first, if it is there twice', () => {
    const other = Buffer.from([9, 9, 9, 9]);
    const record: WrittenRecord = [[8, 4, SOURCE], [8, 4, other], ...TRAFFIC.slice(1), [1, 4, 9]];
    expect(flowOf('netflow9', record).originator).toMatchObject({
      address: SOURCE_KEY,
      bytes: 1500,
    });
  });

  it('may have a length of its own in each record', () => {
    const record: WrittenRecord = [
      [96, 65_535, Buffer.alloc(0)],
      ...TRAFFIC,
      [82, 65_535, Buffer.from('eth0')],
      [371, 65_535, Buffer.alloc(254, 'x')],
      [5, 1, 0],
      [460, 65_535, Buffer.alloc(255, 'x')],
      [461, 65_535, Buffer.alloc(300, 'x'), 6871],
    ];
    const template = templateOf(record);
    const values = valuesOf(record);
    const others = values.with(0, Buffer.alloc(70)).with(-1, Buffer.alloc(1));
    const { flows, refused, number } = sender()('ipfix', [
      templateSet('ipfix', [template]),
      dataSet(template, [values, others, values]),
    ]);
    expect(flows.map(({ originator }) => originator.bytes)).toEqual([1500, 1500, 1500]);
    expect(flows.every(({ responder }) => responder.address === DESTINATION_KEY)).toBe(true);
    expect([refused.size, number?.units]).toEqual([0, 3]);
  });

  it('of a number may have such a length, too, and be there or not', () => {
    const record: WrittenRecord = [...ENDS, [1, 65_535, Buffer.from([1, 0])], [2, 4, 3]];
    const template = templateOf(record);
    const { flows } = sender()('ipfix', [
      templateSet('ipfix', [template]),
      dataSet(template, [
        valuesOf(record),
        valuesOf(record).with(-2, Buffer.alloc(0)),
        valuesOf(record).with(-2, Buffer.alloc(9, 1)),
        valuesOf(record),
      ]),
    ]);
    expect(flows.map(({ originator }) => originator.bytes)).toEqual([256, 0, 0, 256]);
  });
});
