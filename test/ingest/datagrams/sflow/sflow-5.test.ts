import { describe, expect, it } from 'vitest';
import { ethernet, ipv4, segment } from './build-frames.ts';
import { decode, outcome, outcomeOf, RECEIVED_MS } from './decode-samples.ts';
import {
  type DatagramFields,
  flowSample,
  formatted,
  ipRecord,
  rawHeader,
  sflowDatagram,
  words,
} from './encode-sflow.ts';

const TCP = 6;
const UDP = 17;

const frame = ethernet(0x0800, ipv4(segment(51_000, 443), { protocol: TCP }));
const sample = flowSample([rawHeader(frame, { frameBytes: 1_518 })], { rate: 100 });
const flow = '6 192.0.2.7 51000 > 198.51.100.9 443, 151800 in 100';

/** Counters of an interface, as switches send them between flow samples. */
const counters = formatted(2, words(1, 2, 1, 1, 88, ...Array.from({ length: 22 }, () => 9)));
const expandedCounters = formatted(4, words(1, 0, 2, 1, 1, 4, 9));

describe('the header of an sFlow datagram', () => {
  it('says the place of the datagram in the sequence of its agent', () => {
    const bytes = sflowDatagram([sample], {
      agent: '192.0.2.1',
      sequence: 4_294_967_295,
      uptimeMs: 4_294_967_294,
    });
    expect(decode(bytes).number).toEqual({
      protocol: 'sflow',
      domain: '192.0.2.1',
      number: 4_294_967_295,
      units: 1,
      uptimeMs: 4_294_967_294,
      sentMs: null,
    });
  });

  it.each<readonly [string, DatagramFields]>([
    ['192.0.2.1', { agent: '192.0.2.1', subAgent: 0 }],
    ['192.0.2.1/1', { agent: '192.0.2.1', subAgent: 1 }],
    ['2001:db8::1', { agent: '2001:db8::1', subAgent: 0 }],
    ['2001:db8::1/100000', { agent: '2001:db8::1', subAgent: 100_000 }],
    ['', { agent: null, subAgent: 0 }],
    ['4294967295', { agent: null, subAgent: 4_294_967_295 }],
  ])('names the sequence %j', (domain, fields) => {
    const { number, flows } = decode(sflowDatagram([sample], fields));
    expect(number?.domain).toBe(domain);
    expect(flows).toHaveLength(1);
  });

  it.each(['192.0.2.1', '2001:db8::1', null])('that is cut off is refused: %s', (agent) => {
    const whole = sflowDatagram([], { agent });
    for (let length = 4; length < whole.length; length += 1) {
      const { number, refused } = decode(whole.subarray(0, length));
      expect([number, refused]).toEqual([null, new Map([['truncated', 1]])]);
    }
    expect(decode(whole)).toMatchObject({ number: { number: 1 }, flows: [], refused: new Map() });
  });

  it('of another version, or without one, is refused', () => {
    const bytes = sflowDatagram([sample]);
    expect(outcome(bytes.subarray(0, 3))).toEqual(['unknownVersion 1']);
    for (const version of [4, 6, 0x10005, 0]) {
      bytes.writeUInt32BE(version, 0);
      expect(outcome(bytes)).toEqual(['unknownVersion 1']);
    }
  });

  it.each([3, 4_294_967_295])('with an address of the unknown type %d is refused', (type) => {
    const bytes = sflowDatagram([sample]);
    bytes.writeUInt32BE(type, 4);
    const { number, flows, refused } = decode(bytes);
    expect([number, flows, refused]).toEqual([null, [], new Map([['badLength', 1]])]);
  });
});

describe('a flow sample', () => {
  it('is a flow of the moment in which it arrived, as many times as it was sampled', () => {
    const { flows, samplingRates, skipped, refused, ofUnknownSampler } = decode(
      sflowDatagram([sample]),
    );
    expect(flows).toEqual([
      {
        startUs: RECEIVED_MS * 1000,
        durationUs: 0,
        protocol: TCP,
        ports: { source: 51_000, destination: 443 },
        portRule: 'registered',
        originator: { address: 'C0.00.02.07', bytes: 151_800, packets: 100 },
        responder: { address: 'C6.33.64.09', bytes: 0, packets: 0 },
      },
    ]);
    expect(samplingRates).toEqual([100]);
    expect(skipped).toEqual({ events: 0, notIp: 0 });
    expect(refused).toEqual(new Map());
    expect(ofUnknownSampler).toBe(0);
  });

  it('may have the expanded form', () => {
    const expanded = flowSample([rawHeader(frame, { frameBytes: 1_518 })], {
      rate: 100,
      isExpanded: true,
    });
    expect(outcomeOf(expanded)).toEqual([flow]);
  });

  it('counts once if the exporter does not know its rate', () => {
    const { flows, samplingRates } = decode(
      sflowDatagram([flowSample([rawHeader(frame, { frameBytes: 60 })], { rate: 0 })]),
    );
    expect(flows[0]?.originator).toMatchObject({ bytes: 60, packets: 1 });
    expect(samplingRates).toEqual([1]);
  });

  it('has its own rate, and each rate is named once', () => {
    const at = (rate: number) => flowSample([rawHeader(frame, { frameBytes: 60 })], { rate });
    const { flows, samplingRates } = decode(sflowDatagram([at(512), at(1), at(512), at(0)]));
    expect(flows.map(({ originator }) => originator.bytes)).toEqual([30_720, 60, 30_720, 60]);
    expect(samplingRates).toEqual([512, 1]);
  });

  it('is exact beyond 2^53, and refused beyond 2^63-1', () => {
    const of = (frameBytes: number, rate: number) =>
      flowSample([rawHeader(frame, { frameBytes })], { rate });
    const largest = 2 ** 32 - 1;
    const { flows, refused, samplingRates } = decode(
      sflowDatagram([of(largest, 2 ** 31), of(2 ** 31, largest), of(largest, largest)]),
    );
    expect(flows.map(({ originator }) => originator.bytes)).toEqual([
      2n ** 63n - 2n ** 31n,
      2n ** 63n - 2n ** 31n,
    ]);
    expect(refused).toEqual(new Map([['badAmount', 1]]));
    expect(samplingRates).toEqual([2 ** 31, largest]);
  });

  it('is read behind counters and samples of other formats and enterprises', () => {
    const others = [
      counters,
      expandedCounters,
      // A discarded packet, and a sample of InMon.
      formatted(5, words(1, 0, 2, 0, 3, 0, 1, 0)),
      formatted((4_413 << 12) | 1, Buffer.alloc(32)),
      formatted(99, Buffer.alloc(0)),
      formatted(98, Buffer.from('odd')),
    ];
    expect(outcomeOf(...others, sample, ...others, sample)).toEqual([flow, flow]);
  });

  it('may have more fields behind its records, as structures may be extended', () => {
    const data = Buffer.concat([sample.subarray(8), words(1, 2)]);
    expect(outcomeOf(formatted(1, data), sample)).toEqual([flow, flow]);
  });
});

describe('the records of a flow sample', () => {
  const tcp = { length: 1_500, protocol: TCP, from: '192.0.2.7', to: '198.51.100.9' };
  const extended = [
    formatted(1001, words(10, 0, 20, 0)),
    formatted(1002, words(1, 0, 24, 24)),
    formatted((8_800 << 12) | 1, Buffer.from('odd')),
  ];
  const etherRecord = formatted(2, Buffer.concat([words(64), Buffer.alloc(16), words(0x0800)]));

  it.each([
    ['records that add to the packet are skipped', [...extended, rawHeader(frame), ...extended]],
    ['a raw header may have more fields', [rawHeader(frame, { extension: words(7, 8) })]],
  ])('%s', (_, records) => {
    expect(outcomeOf(flowSample(records))).toEqual([
      '6 192.0.2.7 51000 > 198.51.100.9 443, 58 in 1',
    ]);
  });

  it('may have the fields of an IP header instead, with the length of the packet', () => {
    const ends = { from: '2001:db8::7', to: '2001:db8::9', sourcePort: 5_000, port: 53 };
    expect(
      outcomeOf(
        flowSample([...extended, ipRecord({ ...tcp, sourcePort: 51_000, port: 443 })], {
          rate: 10,
        }),
        flowSample([etherRecord, ipRecord({ ...tcp, ...ends, protocol: UDP, length: 80 })]),
        flowSample([ipRecord({ ...tcp, protocol: 1, sourcePort: 8, port: 0 })]),
      ),
    ).toEqual([
      '6 192.0.2.7 51000 > 198.51.100.9 443, 15000 in 10',
      '17 2001:db8::7 5000 > 2001:db8::9 53, 80 in 1',
      '1 192.0.2.7 > 198.51.100.9, 1500 in 1',
    ]);
  });

  it('are taken from the raw header if both are there and it has the IP header', () => {
    const other = ipRecord({ ...tcp, protocol: 47 });
    expect(outcomeOf(flowSample([other, rawHeader(frame), other]))).toEqual([
      '6 192.0.2.7 51000 > 198.51.100.9 443, 58 in 1',
    ]);
    for (const raw of [rawHeader(frame, { protocol: 7 }), rawHeader(frame.subarray(0, 33))]) {
      expect(outcomeOf(flowSample([raw, other]))).toEqual([
        '47 192.0.2.7 > 198.51.100.9, 1500 in 1',
      ]);
    }
  });

  it.each([
    [254, 65_535, '254 192.0.2.7 > 198.51.100.9, 1500 in 1'],
    [255, 0, '255 192.0.2.7 > 198.51.100.9, 1500 in 1'],
    [256, 0, '255 192.0.2.7 > 198.51.100.9, 1500 in 1'],
    [TCP, 65_535, '6 192.0.2.7 1 > 198.51.100.9 65535, 1500 in 1'],
    [TCP, 65_536, '6 192.0.2.7 0 > 198.51.100.9 0, 1500 in 1'],
  ])('with protocol %d and port %d are %s', (protocol, port, expected) => {
    expect(outcomeOf(flowSample([ipRecord({ ...tcp, protocol, sourcePort: 1, port })]))).toEqual([
      expected,
    ]);
  });

  it.each([
    ['no record', []],
    ['only Ethernet addresses', [etherRecord]],
    ['only what adds to a packet', extended],
    ['an HTTP request, which has no packet', [formatted(2_206, Buffer.alloc(40))]],
  ])('are not IP if there is %s', (_, records) => {
    expect(outcomeOf(flowSample(records), sample)).toEqual([flow, 'notIp']);
  });
});

describe('a malformed datagram', () => {
  it('brings nothing if it is cut off', () => {
    const whole = sflowDatagram([sample, counters, sample]);
    const lastAt = whole.length - sample.length;
    for (let length = 28 + sample.length; length < whole.length; length += 1) {
      expect(outcome(whole.subarray(0, length))).toEqual(['truncated 1']);
    }
    expect(outcome(whole.subarray(0, lastAt))).toEqual(['truncated 1']);
    expect(outcome(whole)).toEqual([flow, flow]);
  });

  it('may say that it has fewer samples than it has, not more', () => {
    const saying = (count: number) => outcome(sflowDatagram([sample, sample], { count }));
    expect(saying(0)).toEqual([]);
    expect(saying(1)).toEqual([flow]);
    expect(saying(3)).toEqual(['truncated 1']);
    expect(saying(4_294_967_295)).toEqual(['truncated 1']);
  });

  it('brings nothing if a sample is longer than the datagram', () => {
    const long = Buffer.from(sample);
    long.writeUInt32BE(4_294_967_295, 4);
    expect(outcomeOf(sample, long, sample)).toEqual(['truncated 1']);
  });

  it('may lack the padding of its last sample', () => {
    const whole = sflowDatagram([sample, formatted(99, Buffer.from('odd..'))]);
    expect(outcome(whole.subarray(0, whole.length - 3))).toEqual([flow]);
    expect(outcome(whole.subarray(0, whole.length - 4))).toEqual(['truncated 1']);
  });

  it.each([
    ['the sample ends before its records', flowSample([]), 31, 'badLength'],
    ['the expanded sample does', flowSample([], { isExpanded: true }), 43, 'badLength'],
    ['there are fewer records', flowSample([rawHeader(frame)], { count: 2 }), null, 'badLength'],
    ['there are as many records', flowSample([], { count: 4_294_967_295 }), null, 'badLength'],
    [
      'the record has no raw header',
      flowSample([formatted(1, words(1, 64, 4))]),
      null,
      'badLength',
    ],
    [
      'the raw header is longer than its record',
      flowSample([formatted(1, Buffer.concat([words(1, 64, 4, 15), Buffer.alloc(14)]))]),
      null,
      'badLength',
    ],
    ['IPv4 lacks a byte', flowSample([formatted(3, Buffer.alloc(31))]), null, 'badLength'],
    ['IPv6 lacks a byte', flowSample([formatted(4, Buffer.alloc(55))]), null, 'badLength'],
  ] as const)('brings its other samples if %s', (_, whole, length, reason) => {
    const bad =
      length === null ? whole : formatted(whole.readUInt32BE(0), whole.subarray(8, 8 + length));
    expect(outcomeOf(sample, bad, bad, sample)).toEqual([flow, flow, `${reason} 2`]);
  });

  it('is well-formed at the other side of these boundaries', () => {
    const zeros = '0 0.0.0.0 > 0.0.0.0, 0 in 1';
    expect(
      outcomeOf(
        flowSample([]),
        flowSample([], { isExpanded: true }),
        flowSample([formatted(1, Buffer.concat([words(1, 64, 4, 14), Buffer.alloc(14)]))]),
        flowSample([formatted(3, Buffer.alloc(32))]),
        flowSample([formatted(4, Buffer.alloc(56))]),
      ),
    ).toEqual([zeros, '0 :: > ::, 0 in 1', 'notIp', 'notIp', 'notIp']);
  });
});
