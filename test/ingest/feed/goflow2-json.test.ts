import { describe, expect, it } from 'vitest';
import type { Flow } from '../../../ingest/flows/flow.ts';
import { createGoflow2Parser } from '../../../ingest/formats/goflow2/goflow2-json.ts';

/** A NetFlow v5 record, as goflow2 2.2 writes it. */
const RECORD: Readonly<Record<string, unknown>> = {
  type: 'NETFLOW_V5',
  time_received_ns: 1_700_000_400_123_456_789n,
  sequence_num: 2,
  sampling_rate: 0,
  sampler_address: '127.0.0.1',
  time_flow_start_ns: 1_700_000_309_500_000_000n,
  time_flow_end_ns: 1_700_000_399_750_000_000n,
  bytes: 1500,
  packets: 10,
  src_addr: '10.0.0.1',
  dst_addr: '198.51.100.7',
  etype: 'IPv4',
  proto: 'TCP',
  src_port: 51_000,
  dst_port: 443,
  src_mac: '00:00:00:00:00:00',
  bgp_communities: [],
  layer_stack: ['Ethernet', 'IPv4'],
};

const FLOW = {
  startUs: 1_700_000_309_500_000,
  durationUs: 90_250_000,
  protocol: 6,
  ports: { source: 51_000, destination: 443 },
  portRule: 'registered',
  originator: { address: '0A.00.00.01', bytes: 1500, packets: 10 },
  responder: { address: 'C6.33.64.07', bytes: 0, packets: 0 },
};

/** A line of JSON, in which a bigint is a number. */
const line = (record: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(record, (_, value) =>
    typeof value === 'bigint' ? `#${value}#` : value,
  ).replaceAll(/"#(\d+)#"/g, '$1');

const flow = (changes: Readonly<Record<string, unknown>> = {}): Flow | string =>
  createGoflow2Parser({ portRule: 'registered' })(line({ ...RECORD, ...changes }));

describe('a line of goflow2', () => {
  it('is a flow from source to destination', () => {
    expect(flow()).toEqual(FLOW);
  });

  it('of version 1 gives the same flow', () => {
    const record = {
      Type: 'NETFLOW_V5',
      TimeReceived: 1_700_000_400,
      SamplingRate: 3,
      TimeFlowStart: 1_700_000_309,
      TimeFlowEnd: 1_700_000_399,
      TimeFlowStartMs: 1_700_000_309_500,
      TimeFlowEndMs: 1_700_000_399_750,
      Bytes: 500,
      Packets: 2,
      SrcAddr: '10.0.0.1',
      DstAddr: '198.51.100.7',
      Etype: 2048,
      Proto: 6,
      SrcPort: 51_000,
      DstPort: 443,
    };
    const read = createGoflow2Parser({ portRule: 'registered' });
    const originator = { ...FLOW.originator, packets: 6 };
    expect(read(line(record))).toEqual({ ...FLOW, originator });
    const { TimeFlowStartMs: _, TimeFlowEndMs: __, ...inSeconds } = record;
    const span = { startUs: 1_700_000_309_000_000, durationUs: 90_000_000 };
    expect(read(line(inSeconds))).toMatchObject(span);
  });

  it.each([
    [0, 1500, 10],
    [1, 1500, 10],
    [1000, 1_500_000, 10_000],
    [undefined, 1500, 10],
    [2n ** 32n, 1500 * 2 ** 32, 10 * 2 ** 32],
    [2n ** 52n, 1500n * 2n ** 52n, 10n * 2n ** 52n],
  ])('with a sampling rate of %s has %s bytes and %s packets', (sampling_rate, bytes, packets) => {
    expect(flow({ sampling_rate })).toMatchObject({ originator: { bytes, packets } });
  });

  it('keeps integers beyond 2^53, even times the sampling rate', () => {
    const bytes = 3_074_457_345_618_258_602n;
    expect(flow({ bytes })).toMatchObject({ originator: { bytes } });
    expect(flow({ bytes, sampling_rate: 3 })).toMatchObject({ originator: { bytes: 3n * bytes } });
  });

  it.each([
    ['TCP', 6, 443],
    [17, 17, 443],
    ['SCTP', 132, 443],
    ['ICMP', 1, null],
    ['GRE', 47, null],
    ['any-local-network', 63, null],
    ['', 255, null],
    ['unassigned', 255, null],
  ])('of protocol %j has the number %d', (proto, protocol, destination) => {
    const ports = destination && { source: 51_000, destination };
    expect(flow({ proto })).toMatchObject({ protocol, ports });
  });

  it.each(['ICMPv6', 'IPv6-ICMP', 58, 'ICMP'])(
    'of IPv6 and protocol %j has the number 58',
    (proto) => {
      expect(flow({ proto, src_addr: 'fd00::1', dst_addr: '2001:db8::7' })).toMatchObject({
        protocol: 58,
        originator: { address: 'FD.00.00.00.00.00.00.00.00.00.00.00.00.00.00.01' },
      });
    },
  );
});

describe('the time of a flow of goflow2', () => {
  const received = { startUs: 1_700_000_400_123_456, durationUs: 0 };
  const start = { startUs: 1_700_000_309_500_000, durationUs: 0 };
  const end = { startUs: 1_700_000_399_750_000, durationUs: 0 };

  it.each([
    [
      'when it was received, if its start and end are 0',
      { time_flow_start_ns: 0, time_flow_end_ns: 0 },
      received,
    ],
    [
      'when it was received, if its start and end are missing',
      { time_flow_start_ns: undefined, time_flow_end_ns: undefined },
      received,
    ],
    ['its start, if it has no end', { time_flow_end_ns: 0 }, start],
    ['its end, if it has no start', { time_flow_start_ns: 0 }, end],
    [
      'in whole microseconds',
      { time_flow_start_ns: 1_700_000_309_500_001_999n },
      { startUs: 1_700_000_309_500_001, durationUs: 90_249_999 },
    ],
    [
      'also read from a date',
      { time_flow_start_ns: '2023-11-14T22:18:29.5Z' },
      { startUs: start.startUs, durationUs: 90_250_000 },
    ],
  ])('is %s', (_, changes, span) => {
    expect(flow(changes)).toMatchObject(span);
  });
});

describe('a frame that is not IP', () => {
  it.each(['ARP', '', 2054])('of type %j is skipped', (etype) => {
    expect(flow({ etype, src_addr: '', dst_addr: '' })).toBe('notIp');
  });

  it.each(['IPv4', 'IPv6', 34_525, undefined])('but of type %j must have addresses', (etype) => {
    expect(() => flow({ etype, src_addr: '', dst_addr: '' })).toThrow(
      'src_addr must be an IP address, got ""',
    );
  });
});

describe('a record without times and traffic', () => {
  const nothing = { time_flow_start_ns: 0, time_flow_end_ns: 0, bytes: 0, packets: 0 };

  it('is an event', () => {
    expect(flow(nothing)).toBe('events');
  });

  it('is refused if it does not even have these fields', () => {
    const parse = createGoflow2Parser({ portRule: 'registered' });
    expect(() => parse('{"event_type":"flow","proto":"TCP"}')).toThrow('src_addr is missing');
  });

  it.each([{ bytes: 1 }, { packets: 1 }, { time_flow_end_ns: 1_700_000_309_500_000_000n }])(
    'is a flow with %o',
    (some) => {
      expect(flow({ ...nothing, ...some })).toMatchObject({ protocol: 6 });
    },
  );
});

describe('what is not a record of goflow2', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ src_addr: 'host' }, 'src_addr must be an IP address, got "host"'],
    [{ dst_addr: undefined }, 'dst_addr is missing'],
    [{ proto: undefined }, 'proto is missing'],
    [{ proto: 'XYZ' }, 'proto must be an IP protocol, got "XYZ"'],
    [{ proto: 256 }, 'proto must be an integer from 0 to 255, got "256"'],
    [{ dst_port: 65_536 }, 'dst_port must be an integer from 0 to 65535, got "65536"'],
    [{ bytes: -1 }, 'bytes must be an integer from 0 to 2^63-1, got "-1"'],
    [{ bytes: 1.5 }, 'bytes must be an integer from 0 to 2^63-1, got "1.5"'],
    [{ bytes: [1] }, 'bytes must be a text or a number'],
    [{ sampling_rate: 'x' }, 'sampling_rate must be an integer from 0 to 2^63-1, got "x"'],
    [
      { bytes: 2n ** 62n, sampling_rate: 2 },
      'bytes times sampling_rate must be at most 2^63-1, got 9223372036854775808',
    ],
    [
      { time_flow_end_ns: 1_700_000_309_499_999_999n },
      'the flow must not end before it starts: the exporter says that it starts at ' +
        '2023-11-14T22:18:29.5Z and ends at 2023-11-14T22:18:29.499Z: correct its clock or its settings',
    ],
    [
      { time_flow_start_ns: 18_446_744_073_709_551_615n },
      'time_flow_start_ns must be a time since 1970 in whole units, got "18446744073709551615"',
    ],
    [
      { time_flow_start_ns: '2023-02-30T00:00:00Z' },
      'time_flow_start_ns must be a time since 1970 in whole units, got "2023-02-30T00:00:00Z"',
    ],
    [
      { time_received_ns: 0, time_flow_start_ns: 0, time_flow_end_ns: 0 },
      'time_flow_start_ns or time_received_ns is missing',
    ],
  ])('%o is refused', (changes, reason) => {
    expect(() => flow(changes)).toThrow(reason);
  });

  it.each(['', '[]', '{', 'text', '{"a":1,}'])('%j is refused', (text) => {
    expect(() => createGoflow2Parser({ portRule: 'registered' })(text)).toThrow(
      'it must be a JSON object',
    );
  });
});
