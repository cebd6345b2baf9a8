import { describe, expect, it } from 'vitest';
import type { Flow } from '../../../ingest/flows/flow.ts';
import { createPmacctParser } from '../../../ingest/formats/pmacct/pmacct-json.ts';

/** A flow, as nfacctd 1.7.7 writes it with its plugin print. */
const RECORD: Readonly<Record<string, unknown>> = {
  event_type: 'purge',
  ip_src: '10.0.0.1',
  ip_dst: '198.51.100.7',
  port_src: 51_000,
  port_dst: 443,
  ip_proto: 'tcp',
  sampling_rate: 1,
  timestamp_start: '2023-11-14 22:18:29.500000',
  timestamp_end: '2023-11-14 22:19:59.750000',
  flows: 2,
  packets: 10,
  bytes: 1500,
};

const FLOW = {
  startUs: 1_700_000_309_500_000,
  durationUs: 90_250_000,
  protocol: 6,
  ports: { source: 51_000, destination: 443 },
  portRule: 'registered',
  originator: { address: '0A.00.00.01', bytes: 1500, packets: 10 },
  responder: { address: 'C6.33.64.07', bytes: 0, packets: 0 },
  connections: 2,
};

type Changes = Readonly<Record<string, unknown>>;

function read(record: Changes, timeZone = 'UTC', portRule: Flow['portRule'] = 'registered') {
  return createPmacctParser({ timeZone, portRule })(JSON.stringify(record));
}

/** The flow of the record with changes; undefined removes a field. */
function flow(changes: Changes = {}, timeZone?: string, portRule?: Flow['portRule']): Flow | null {
  const found = read({ ...RECORD, ...changes }, timeZone, portRule);
  if (typeof found === 'string') throw new Error(`it is skipped: ${found}`);
  return found;
}

describe('a line of pmacct', () => {
  it('is a flow from source to destination', () => {
    expect(flow()).toEqual(FLOW);
  });

  it('is one connection if it does not say how many', () => {
    expect(flow({ flows: undefined })?.connections).toBe(1);
    expect(flow({ flows: 0 })?.connections).toBe(0);
  });

  it('keeps numbers beyond 2^53 exactly, however they are written', () => {
    const line = JSON.stringify(RECORD).replace(':1500', ':900719925474099.3e1');
    const parse = createPmacctParser({ timeZone: 'UTC', portRule: 'registered' });
    expect(parse(line)).toMatchObject({ originator: { bytes: 2n ** 53n + 1n } });
  });

  it('has bytes and packets times sampling_rate, but not connections; 0 is unknown', () => {
    expect(flow({ sampling_rate: 100 })).toEqual({
      ...FLOW,
      originator: { address: '0A.00.00.01', bytes: 150_000, packets: 1000 },
    });
    for (const sampling_rate of [0, undefined]) expect(flow({ sampling_rate })).toEqual(FLOW);
  });

  it.each([
    ['tcp', 6],
    ['ipv6-icmp', 58],
    ['ipencap', 4],
    ['ospf', 89],
    ['others', 255],
    ['17', 17],
    [47, 47],
  ])('names protocols as pmacct does: %s', (ip_proto, protocol) => {
    expect(flow({ ip_proto })?.protocol).toBe(protocol);
  });

  it('has no ports if its protocol has none', () => {
    expect(flow({ ip_proto: 'icmp', port_dst: 2048 })?.ports).toBeNull();
  });
});

describe('the time of a line of pmacct', () => {
  const timeOf = (changes: Changes, timeZone?: string) => {
    const { startUs, durationUs } = flow(changes, timeZone) ?? {};
    return [startUs, durationUs];
  };
  const AT = 1_700_000_309_000_000;

  it.each([
    ['0000-00-00 00:00:00.000000'],
    ['0000-00-00T00:00:00.000000Z'],
    ['0000-00-00T00:00:00.000000+01:00'],
    ['0.000000'],
    [0],
    [undefined],
  ])('has no end if that is zero: %s', (timestamp_end) => {
    expect(timeOf({ timestamp_end })).toEqual([AT + 500_000, 0]);
  });

  it.each<[string, unknown]>([
    ['a local time', '2023-11-14 23:18:29'],
    ['a time with its zone', '2023-11-14T22:18:29+00:00'],
    ['a time in UTC', '2023-11-14T22:18:29.000000Z'],
    ['seconds since 1970', '1700000309.000000'],
    ['a number', 1_700_000_309],
  ])('is read as %s', (_, timestamp_start) => {
    const times = { timestamp_start, timestamp_end: undefined };
    expect(timeOf(times, 'Europe/Berlin')).toEqual([AT, 0]);
  });

  it('is the start of its time bin if the line has no other times', () => {
    const times = { timestamp_start: undefined, timestamp_end: undefined };
    const stamp_inserted = '2023-11-14 22:18:29';
    expect(timeOf({ ...times, stamp_inserted })).toEqual([AT, 0]);
    const zero = { timestamp_start: '0000-00-00 00:00:00.000000', timestamp_end: undefined };
    expect(timeOf({ ...zero, stamp_inserted })).toEqual([AT, 0]);
    expect(timeOf({ stamp_inserted })).toEqual([AT + 500_000, 90_250_000]);
    expect(timeOf({ ...times, timestamp_end: '2023-11-14 22:18:29' })).toEqual([AT, 0]);
  });
});

describe('an aggregate of pmacct', () => {
  it('may lack protocol and ports', () => {
    const { ip_proto: _, port_src: __, port_dst: ___, ...rest } = RECORD;
    expect(read(rest)).toEqual({ ...FLOW, protocol: null, ports: null });
  });

  it('may lack addresses, or have empty ones', () => {
    for (const address of [undefined, '']) {
      expect(flow({ ip_src: address, ip_dst: address })).toMatchObject({
        originator: { address: null, bytes: 1500 },
        responder: { address: null },
      });
    }
  });

  it('may have one port, which counts unless it is that of the wrong end', () => {
    expect(flow({ port_src: undefined })?.ports).toEqual({ source: null, destination: 443 });
    const lone = { port_dst: undefined };
    expect(flow(lone)?.ports).toEqual({ source: null, destination: 51_000 });
    expect(flow(lone, 'UTC', 'destination')?.ports).toBeNull();
  });
});

describe('a line without traffic', () => {
  const event = { event_type: 'purge', ip_src: '10.0.0.1', stamp_inserted: '0' };

  it.each<[string, object, string | null]>([
    ['the beginning of a purge', { event_type: 'purge_init', writer_id: 'f/1' }, null],
    [
      'the end of a purge',
      { event_type: 'purge_close', purged_entries: 1, total_entries: 1 },
      null,
    ],
    ['an event of NAT', { ...event, nat_event: 1 }, 'events'],
    ['an event of NAT without a type', { ip_src: '10.0.0.1', nat_event: 1 }, 'events'],
    ['an event that does not say what happened', event, 'events'],
    ['one without times', { ip_src: '10.0.0.1', bytes: 0, packets: 0 }, 'events'],
  ])('is skipped: %s', (_, record, reason) => {
    expect(read(record as Changes)).toBe(reason);
  });
});

describe('a bad line', () => {
  it.each<[Changes, string]>([
    [{ bytes: -1 }, 'bytes must be an integer from 0 to 2^63-1, got "-1"'],
    [{ packets: 'many' }, 'packets must be an integer from 0 to 2^63-1, got "many"'],
    [{ ip_src: 'router' }, 'ip_src must be an IP address, got "router"'],
    [{ ip_proto: 'nonsense' }, 'ip_proto must be an IP protocol, got "nonsense"'],
    [{ port_dst: 65_536 }, 'port_dst must be an integer from 0 to 65535, got "65536"'],
    [{ flows: 'x' }, 'flows must be an integer from 0 to 2^63-1, got "x"'],
    [{ ip_src: {} }, 'ip_src must be a text or a number'],
    [
      { timestamp_start: 'yesterday' },
      'timestamp_start must look like 2026-07-15 10:00:00.000000, got "yesterday"',
    ],
    [
      { timestamp_start: '2023-02-30T10:00:30.25Z' },
      'timestamp_start must look like 2026-07-15 10:00:00.000000, got "2023-02-30T10:00:30.25Z"',
    ],
    [
      { timestamp_end: '2023-11-14 22:18:29' },
      'the flow must not end before it starts: the exporter says that it starts at',
    ],
    [
      { timestamp_start: undefined, timestamp_end: undefined },
      'timestamp_start or stamp_inserted must be given: add timestamp_start to `aggregate`',
    ],
  ])('is refused with what is required: %j', (changes, reason) => {
    expect(() => flow(changes)).toThrow(reason);
  });

  it.each<Changes>([
    { ...RECORD, bytes: undefined },
    { ...RECORD, bytes: undefined, flows: undefined },
    { ...RECORD, bytes: undefined, packets: undefined },
    { ...RECORD, bytes: '' },
    { ...RECORD, bytes: undefined, nat_event: 1 },
    { type: 'NETFLOW_V5' },
    { event_type: 'flow', src_ip: '10.0.0.1' },
  ])('is one of traffic without bytes: %j', (record) => {
    expect(() => read(record)).toThrow(
      'bytes is missing: pmacct writes it in each line of traffic',
    );
  });

  it('may be of another format', () => {
    const parse = createPmacctParser({ timeZone: 'UTC', portRule: 'registered' });
    expect(() => parse('SRC_IP,DST_IP')).toThrow('it must be a JSON object');
  });
});
