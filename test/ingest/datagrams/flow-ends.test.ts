import { describe, expect, it } from 'vitest';
import {
  DESTINATION,
  DESTINATION_KEY,
  decodeRecord,
  ENDS,
  flowOf,
  IPV6_DESTINATION,
  IPV6_SOURCE,
  SOURCE,
  SOURCE_KEY,
  type WrittenRecord,
} from './sent-sets.ts';

describe('addresses', () => {
  const ipv6: WrittenRecord = [
    [27, 16, IPV6_SOURCE],
    [28, 16, IPV6_DESTINATION],
  ];
  const ipv4: WrittenRecord = [
    [8, 4, SOURCE],
    [12, 4, DESTINATION],
  ];
  const noIpv4: WrittenRecord = [
    [8, 4, 0],
    [12, 4, 0],
  ];
  const noIpv6: WrittenRecord = [
    [27, 16, 0],
    [28, 16, 0],
  ];
  const rest: WrittenRecord = [
    [4, 1, 6],
    [1, 4, 100],
  ];
  const IPV4 = [SOURCE_KEY, DESTINATION_KEY];
  const IPV6 = [
    '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01',
    '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.FF',
  ];
  const NONE = ['00.00.00.00', '00.00.00.00'];

  it.each([
    ['of IPv4', ipv4, IPV4],
    ['of IPv6', ipv6, IPV6],
    ['of IPv4, in a template for both', [...noIpv6, ...ipv4], IPV4],
    ['of IPv6, in a template for both', [...noIpv4, ...ipv6], IPV6],
    ['of IPv4, as the version says', [...ipv6, ...ipv4, [60, 1, 4]], IPV4],
    ['of IPv6, as the version says', [...ipv4, ...ipv6, [60, 1, 6]], IPV6],
    ['of IPv4, if the version is unknown', [...ipv6, ...ipv4, [60, 1, 0]], IPV4],
    ['of IPv4, if all are 0', [...noIpv6, ...noIpv4], NONE],
    ['of IPv4, if the template has no others', [...ipv4, [60, 1, 6]], IPV4],
    [
      'of IPv6 with a source of 0',
      [...noIpv4, [27, 16, 0], [28, 16, IPV6_DESTINATION]],
      [Array(16).fill('00').join('.'), IPV6[1]],
    ],
    [
      'of IPv6 with a destination of 0',
      [...noIpv4, [27, 16, IPV6_SOURCE], [28, 16, 0]],
      [IPV6[0], Array(16).fill('00').join('.')],
    ],
    [
      'of IPv4 within IPv6',
      [[27, 16, Buffer.from(`${'00'.repeat(10)}ffff0a000001`, 'hex')]],
      ['00.00.00.00.00.00.00.00.00.00.FF.FF.0A.00.00.01', null],
    ],
    ['of the source alone', [[8, 4, SOURCE]], [SOURCE_KEY, null]],
    ['of the destination alone', [[12, 4, DESTINATION]], [null, DESTINATION_KEY]],
  ] as const)('may be %s', (_, record, expected) => {
    const flow = flowOf('ipfix', [...(record as WrittenRecord), ...rest]);
    expect([flow.originator.address, flow.responder.address]).toEqual(expected);
  });

  it('are missing in records of frames, which are skipped', () => {
    const record: WrittenRecord = [
      [56, 6, 1],
      [80, 6, 2],
      [256, 2, 0x0806],
      [1, 4, 60],
      [2, 4, 1],
    ];
    const decoded = decodeRecord('ipfix', record);
    expect(decoded).toMatchObject({
      flows: [],
      skipped: { events: 0, notIp: 1 },
      samplingRates: [],
    });
  });
});

describe('a protocol', () => {
  it.each([
    ['is that of the record', [[4, 1, 89]], 89],
    [
      'of ICMP between addresses of IPv6 is that for IPv6',
      [
        [27, 16, IPV6_SOURCE],
        [4, 1, 1],
      ],
      58,
    ],
    ['has no more than a byte', [[4, 2, 0x0111]], 17],
    ['is unknown without a field', [], null],
    [
      'is TCP if the ports are',
      [
        [182, 2, 1],
        [183, 2, 2],
      ],
      6,
    ],
    [
      'is UDP if the ports are',
      [
        [180, 2, 1],
        [181, 2, 2],
      ],
      17,
    ],
  ] as const)('%s', (_, fields, protocol) => {
    const addresses: WrittenRecord = fields.some(([id]) => id === 27) ? [] : ENDS.slice(0, 2);
    const flow = flowOf('ipfix', [...addresses, ...(fields as WrittenRecord), [1, 4, 100]]);
    expect(flow.protocol).toBe(protocol);
  });
});

describe('ports', () => {
  const of = (fields: WrittenRecord) =>
    flowOf('ipfix', [...ENDS.slice(0, 2), ...fields, [1, 4, 100]]).ports;

  it.each([
    [
      'are those of TCP',
      [
        [4, 1, 6],
        [7, 2, 1],
        [11, 2, 65_535],
      ],
      { source: 1, destination: 65_535 },
    ],
    [
      'are those of UDP',
      [
        [4, 1, 17],
        [7, 2, 1],
        [11, 2, 2],
      ],
      { source: 1, destination: 2 },
    ],
    [
      'are those of SCTP',
      [
        [4, 1, 132],
        [7, 2, 1],
        [11, 2, 2],
      ],
      { source: 1, destination: 2 },
    ],
    [
      'are none of ICMP',
      [
        [4, 1, 1],
        [7, 2, 0],
        [11, 2, 0x0800],
        [32, 2, 0x0800],
      ],
      null,
    ],
    [
      'are none of ICMP for IPv6',
      [
        [4, 1, 58],
        [139, 2, 0x8000],
        [11, 2, 1],
      ],
      null,
    ],
    [
      'are none of an unknown protocol',
      [
        [7, 2, 1],
        [11, 2, 2],
      ],
      null,
    ],
    [
      'may have fields for UDP',
      [
        [4, 1, 17],
        [180, 2, 1],
        [181, 2, 2],
      ],
      { source: 1, destination: 2 },
    ],
    [
      'may have fields for TCP',
      [
        [4, 1, 6],
        [182, 2, 1],
        [183, 2, 2],
      ],
      { source: 1, destination: 2 },
    ],
    [
      'may have fields for both',
      [
        [4, 1, 17],
        [182, 2, 1],
        [183, 2, 2],
        [180, 2, 3],
        [181, 2, 4],
      ],
      { source: 3, destination: 4 },
    ],
    [
      'have fields for all that count before others',
      [
        [4, 1, 6],
        [182, 2, 1],
        [183, 2, 2],
        [7, 2, 3],
        [11, 2, 4],
      ],
      { source: 3, destination: 4 },
    ],
    [
      'have no more than two bytes',
      [
        [4, 1, 6],
        [7, 4, 65_537],
        [11, 4, 65_616],
      ],
      { source: 1, destination: 80 },
    ],
    ['are 0 without a field', [[4, 1, 6]], { source: 0, destination: 0 }],
    [
      'may be only that of the source',
      [
        [4, 1, 6],
        [7, 2, 443],
      ],
      { source: null, destination: 443 },
    ],
    [
      'may be only that of the destination',
      [
        [4, 1, 6],
        [11, 2, 80],
      ],
      { source: null, destination: 80 },
    ],
  ] as const)('%s', (_, fields, ports) => {
    expect(of(fields as WrittenRecord)).toEqual(ports);
  });
});
