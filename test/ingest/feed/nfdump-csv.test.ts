import { describe, expect, it } from 'vitest';
import type { Flow } from '../../../ingest/flows/flow.ts';
import { createNfdumpParser } from '../../../ingest/formats/nfdump/nfdump-csv.ts';

const HEADER = 'ts,te,td,sa,da,sp,dp,pr,flg,ipkt,ibyt,opkt,obyt';

const VALUES: Record<string, string> = {
  ts: '2023-11-14 22:18:29',
  te: '2023-11-14 22:19:59',
  td: '90.250',
  sa: '10.0.0.1',
  da: '198.51.100.7',
  sp: '51000',
  dp: '443',
  pr: 'TCP',
  flg: '...AP.SF',
  ipkt: '10',
  ibyt: '1500',
  opkt: '0',
  obyt: '0',
};

const START = 1_700_000_309;

const FLOW = {
  startUs: START * 1e6,
  durationUs: 90_250_000,
  protocol: 6,
  ports: { source: 51_000, destination: 443 },
  portRule: 'registered',
  originator: { address: '0A.00.00.01', bytes: 1500, packets: 10 },
  responder: { address: 'C6.33.64.07', bytes: 0, packets: 0 },
  connections: 1,
};

/** Returns a parser that gives the flow of a line, or the reason why there is none. */
function parserOf(timeZone: string) {
  const parse = createNfdumpParser({ timeZone, portRule: 'registered' });
  return (line: string): Flow | null => {
    const found = parse(line);
    if (typeof found === 'string') throw new Error(`it is skipped: ${found}`);
    return found?.flow ?? null;
  };
}

/** The flow of a line with some values changed; `header` selects the columns. */
function flow(
  changes: Record<string, string>,
  { header = HEADER, timeZone = 'UTC' } = {},
): Flow | null {
  const parse = parserOf(timeZone);
  expect(parse(header)).toBeNull();
  return parse(
    header
      .split(',')
      .map((name) => changes[name] ?? VALUES[name])
      .join(','),
  );
}

describe('a line of nfdump', () => {
  it('is a flow from source to destination', () => {
    expect(flow({})).toEqual(FLOW);
  });

  it('has the responder in its output columns', () => {
    const back = { address: 'C6.33.64.07', bytes: 30_000, packets: 40 };
    expect(flow({ opkt: '40', obyt: '30000' })).toEqual({ ...FLOW, responder: back });
  });

  it('may be of IPv6', () => {
    const both = flow({ sa: '2001:db8::7', da: 'fd00::1' });
    expect(both?.originator.address).toBe('20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.07');
  });

  it.each([
    ['TCP', 6, 443],
    ['17', 17, 443],
    ['SCTP', 132, 443],
    ['ICMP', 1, null],
    ['IPIP', 4, null],
    ['ICMP6', 58, null],
    ['GRE', 47, null],
    ['200  ', 200, null],
    ['0', 0, null],
  ])('of protocol %s has the number %d', (pr, protocol, destination) => {
    const ports = destination && { source: 51_000, destination };
    expect(flow({ pr })).toMatchObject({ protocol, ports });
  });

  it('of ICMP between IPv6 addresses has the protocol ICMPv6', () => {
    expect(flow({ pr: 'ICMP', sa: 'fd00::1', da: 'fd00::2' })?.protocol).toBe(58);
  });

  it('of a protocol without ports may have anything in their columns', () => {
    expect(flow({ pr: 'ICMP', dp: '8.0' })?.ports).toBeNull();
  });

  it('keeps amounts beyond 2^53', () => {
    expect(flow({ ibyt: '9223372036854775807' })?.originator.bytes).toBe(2n ** 63n - 1n);
  });

  it.each([
    ['UTC', '2023-11-14 22:18:29', START],
    ['America/New_York', '2023-11-14 17:18:29', START],
    ['Asia/Kolkata', '2023-11-15 03:48:29', START],
    ['Europe/Berlin', '2023-10-29 02:30:00', 1_698_539_400],
    ['Europe/Berlin', '2023-03-26 02:30:00', 1_679_794_200],
  ])('in %s at %s was at %d', (timeZone, ts, seconds) => {
    expect(flow({ ts }, { timeZone })?.startUs).toBe(seconds * 1e6);
  });
});

describe('an impossible duration', () => {
  const te = '2023-11-14 22:19:00';

  it.each([
    ['18446744073709552.000', 'a negative duration as an unsigned number of 64 bits'],
    ['4294967.295', 'a negative duration as an unsigned number of 32 bits'],
    ['-0.100', 'a negative duration with its sign'],
    ['2678400.001', 'longer than a flow may last'],
  ])('such as %s, %s, is replaced by the time between start and end', (td) => {
    expect(flow({ td, te })?.durationUs).toBe(31_000_000);
    expect(flow({ td, te: '2023-11-14 22:18:29' })?.durationUs).toBe(0);
  });

  it('is accepted if a flow can last that long', () => {
    expect(flow({ td: '2678400.000', te })?.durationUs).toBe(2_678_400_000_000);
  });

  it('is refused if the flow ends before it starts, with advice about the exporter', () => {
    expect(() => flow({ td: '18446744073709460.000', te: '2023-11-14 22:16:59' })).toThrow(
      'td must be a number of seconds, 0 or more, got "18446744073709460.000": the exporter says ' +
        'that the flow ended, at 2023-11-14 22:16:59, before it started, at 2023-11-14 22:18:29. ' +
        'softflowd does so in IPFIX: start it with -A milli. ' +
        'For other exporters, correct the clock or the settings',
    );
  });
});

describe('an uptime that wrapped', () => {
  // The flow ends 50 days after its start, or before it, and in truth lasts for 2 seconds.
  const wrapped = { startUs: 1_700_000_400_000_000, durationUs: 2_000_000 };
  const te = '2023-11-14 22:20:02';

  it.each([
    ['a duration and an end', { ts: '2023-09-26 05:17:12', td: '4294969.296', te }],
    ['an end before the start', { ts: '2024-01-03 15:22:47', td: '18446744069414584.000', te }],
    ['no duration, as since 1.7.5', { ts: '2024-01-03 15:22:47', td: '0.000', te }],
  ])('leaves the flow at its end: %s', (_, changes) => {
    const { startUs = 0, durationUs = 0 } = flow(changes) ?? {};
    expect(startUs + durationUs).toBe(wrapped.startUs + wrapped.durationUs);
    // The times of this header are in whole seconds.
    expect(Math.abs(durationUs - wrapped.durationUs)).toBeLessThan(1_000_000);
  });

  it('leaves the flow at the end of its duration if the row has no end', () => {
    const header = 'ts,td,sa,da,sp,dp,pr,ipkt,ibyt';
    const changes = { ts: '2023-09-26 05:17:12.704', td: '4294969.296' };
    expect(flow(changes, { header })).toMatchObject(wrapped);
  });

  it('does not matter if the times of the row make sense', () => {
    expect(flow({ td: '0.000', te: '2023-11-14 22:18:28' })).toMatchObject({ durationUs: 0 });
    expect(flow({ td: '0.000', te: '0000-00-00 00:00:00.000' })).toMatchObject({ durationUs: 0 });
  });
});

describe('the header', () => {
  const newer = 'firstSeen,duration,proto,srcAddr,srcPort,dstAddr,dstPort,packets,bytes,flows';
  const changes = {
    firstSeen: '2023-11-14 22:18:29.500',
    duration: '90.250',
    proto: '6',
    srcAddr: '10.0.0.1',
    srcPort: '51000',
    dstAddr: '198.51.100.7',
    dstPort: '443',
    packets: '10',
    bytes: '1500',
    flows: '1',
  };

  it('decides the order of the columns', () => {
    const header = HEADER.split(',').reverse().join(',');
    expect(flow({}, { header })).toEqual(FLOW);
  });

  it('of nfdump 1.7.5 and newer has other names, and milliseconds', () => {
    expect(flow(changes, { header: newer })).toEqual({ ...FLOW, startUs: START * 1e6 + 500_000 });
  });

  it('may have an end instead of a duration, and times in milliseconds', () => {
    const header =
      'cnt,af,firstSeen,lastSeen,proto,srcAddr,srcPort,dstAddr,dstPort,flags,packets,bytes';
    const times = { cnt: '1', af: '2', flags: '', firstSeen: '1700000309500' };
    const ended = { ...changes, ...times, lastSeen: '1700000399750' };
    expect(flow(ended, { header })).toEqual({ ...FLOW, startUs: START * 1e6 + 500_000 });
    expect(() => flow({ ...ended, lastSeen: '1700000309499' }, { header })).toThrow(
      'the flow must not end before it starts: the exporter says that it starts at ' +
        '2023-11-14T22:18:29.5Z and ends at 2023-11-14T22:18:29.499Z: correct its clock or its settings',
    );
  });

  it('without an end leaves only the duration in the line', () => {
    const header = 'ts,td,sa,da,sp,dp,pr,ipkt,ibyt';
    expect(() => flow({ td: '-1' }, { header })).toThrow(
      'td must be a number of seconds, 0 or more, got "-1": the exporter says that the flow ended ' +
        'before it started, at 2023-11-14 22:18:29.',
    );
    // It is longer than any flow may last, which is checked later for all formats.
    expect(flow({ td: '4294900.295' }, { header })?.durationUs).toBe(4_294_900_295_000);
  });

  it('may come with times in epoch seconds', () => {
    expect(flow({ ts: '1700000309.500' })?.startUs).toBe(START * 1e6 + 500_000);
  });

  it('is required', () => {
    expect(() => parserOf('UTC')('1,2,3')).toThrow(
      'there is no header line before it: call nfdump without -q',
    );
  });

  it.each([
    ['ibyt', 'ibyt or bytes or inBytes'],
    ['da', 'da or dstAddr'],
    ['ts', 'ts or firstSeen'],
  ])('without %s is refused, and so are the lines after it', (name, must) => {
    const parse = parserOf('UTC');
    const names = HEADER.split(',').filter((each) => each !== name);
    expect(() => parse(names.join(','))).toThrow(`the header must have a column ${must}: `);
    expect(() => parse('1')).toThrow('there is no header line before it');
  });

  it('of a statistic is refused', () => {
    expect(() => parserOf('UTC')('ts,te,td,pr,val,fl,flP,ipkt,ipktP,ibyt')).toThrow(
      'the header must have a column sa or srcAddr, and one da or dstAddr, and one dp or dstPort: ',
    );
  });
});

describe('the number of connections', () => {
  const header = `${HEADER},fl`;

  it.each([
    ['the number of flows', { fl: '3' }, 3],
    ['1 if that is 0', { fl: '0' }, 1],
    ['1 for a pair of directions, of however many flows', { fl: '2', opkt: '1', obyt: '0' }, 1],
  ])('is %s', (_, changes, connections) => {
    expect(flow(changes, { header })).toMatchObject({ connections });
  });

  it('is 1 without that column', () => {
    expect(flow({})).toMatchObject({ connections: 1 });
  });
});

describe('a header without columns of what came back', () => {
  const notes: string[] = [];
  const parse = createNfdumpParser({
    timeZone: 'UTC',
    portRule: 'registered',
    onNote: (note) => notes.push(note),
  });

  it.each<[string, string, string[]]>([
    ['lacks nothing', HEADER, []],
    [
      'lacks one',
      HEADER.replace(',opkt', ''),
      [
        expect.stringMatching(
          /^the header has no column outPackets: .* ask nfdump for %opkt: -o csv:/,
        ),
      ],
    ],
    ['is noted once', HEADER.replace(',opkt,obyt', ''), []],
  ])('is noted, with what to ask for, once: it %s', (_, header, expected) => {
    notes.length = 0;
    parse(header);
    expect(notes).toEqual(expected);
  });
});

describe('a record without times and traffic', () => {
  const nothing = { td: '0.000', ipkt: '0', ibyt: '0' };

  it.each([
    ['since nfdump 1.7.5', { ts: '0000-00-00 00:00:00.000', te: '0000-00-00 00:00:00.000' }],
    ['before', { ts: '1970-01-01 00:00:00', te: '1970-01-01 00:00:00' }],
    ['before, west of Greenwich', { ts: '1969-12-31 19:00:00', te: '1969-12-31 19:00:00' }],
    ['in epoch seconds', { ts: '0.000', te: '0.000' }],
    ['without an end', { ts: '0', te: '' }],
    ['of nothing known', { ts: '0', te: '0', sa: '', da: '', pr: '' }],
  ])('is an event: %s', (_, changes) => {
    const parse = createNfdumpParser({ timeZone: 'UTC', portRule: 'registered' });
    parse(HEADER);
    const values: Record<string, string> = { ...VALUES, ...nothing, ...changes };
    expect(
      parse(
        HEADER.split(',')
          .map((name) => values[name])
          .join(','),
      ),
    ).toBe('events');
  });

  it('is a flow if it has times', () => {
    expect(flow(nothing)).toMatchObject({ originator: { bytes: 0 } });
  });

  it.each([{ ipkt: '1' }, { ibyt: '1' }, { opkt: '1' }, { obyt: '1' }])(
    'is refused if it has traffic: %j',
    (some) => {
      const changes = { ...nothing, ...some, ts: '0000-00-00 00:00:00', te: '' };
      expect(() => flow(changes)).toThrow('ts must look like');
    },
  );
});

describe('a line that is not a flow', () => {
  it('is skipped in a summary, even between two outputs, or if it says there are no flows', () => {
    const parse = parserOf('UTC');
    const line = HEADER.split(',')
      .map((name) => VALUES[name])
      .join(',');
    const summary = ['Summary', 'flows,bytes,packets,avg_bps,avg_pps,avg_bpp', '6,33504,66,1,0,5'];
    const lines = [HEADER, line, ...summary, HEADER, 'No matching flows', ...summary, HEADER, line];
    expect(lines.map(parse).filter((each) => each !== null)).toEqual([FLOW, FLOW]);
  });

  it.each([
    [{ sa: 'host' }, 'sa must be an IP address, got "host"'],
    [{ da: '' }, 'da is missing'],
    [{ pr: 'XYZ' }, 'pr must be an IP protocol, got "XYZ"'],
    [{ pr: '256' }, 'pr must be an IP protocol, got "256"'],
    [{ dp: '65536' }, 'dp must be an integer from 0 to 65535, got "65536"'],
    [{ ibyt: '1.2 M' }, 'ibyt must be an integer from 0 to 2^63-1, got "1.2 M"'],
    [{ td: 'long' }, 'td must be a number of seconds, 0 or more, got "long"'],
    [{ td: '1.2.3' }, 'td must be a number of seconds, 0 or more, got "1.2.3"'],
    [{ ts: '2023-13-14 22:18:29' }, 'ts must look like 2026-07-15 10:00:00.000'],
    [{ ts: '2023-11-14 22:18:60' }, 'ts must look like 2026-07-15 10:00:00.000'],
    [{ ts: 'now' }, 'ts must look like 2026-07-15 10:00:00.000, got "now"'],
    [{ flg: 'a,b' }, 'it must have 13 fields, got 14'],
  ] satisfies [Record<string, string>, string][])('%j is refused', (changes, reason) => {
    expect(() => flow(changes)).toThrow(reason);
  });
});
