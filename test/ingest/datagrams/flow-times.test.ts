import { describe, expect, it } from 'vitest';
import {
  decodeRecord,
  ENDS,
  flowOf,
  NOW_MS,
  NOW_S,
  NOW_US,
  sender,
  TRAFFIC,
  templateOf,
  UPTIME_MS,
  valuesOf,
  type WrittenRecord,
} from './sent-sets.ts';
import { dataSet, templateSet, type WrittenValue } from './write-templates.ts';

const DAY_MS = 86_400_000;
const WRAP_MS = 2 ** 32;

/** A time of NTP: seconds since 1900, and a binary fraction that is cut off. */
const ntp = (microseconds: number): bigint => {
  const us = BigInt(microseconds) + 2_208_988_800n * 1_000_000n;
  return ((us << 32n) / 1_000_000n) & (2n ** 64n - 1n);
};

/** A time of pmacct: seconds since 1970, and microseconds. */
function timePair(microseconds: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(BigInt(Math.floor(microseconds / 1e6)), 0);
  bytes.writeBigUInt64BE(BigInt(microseconds % 1e6), 8);
  return bytes;
}

/** Returns start and duration in microseconds, the start relative to the header's time. */
function spanOf(
  protocol: 'netflow9' | 'ipfix',
  fields: WrittenRecord,
  options = {},
): readonly [number, number] {
  const { startUs, durationUs } = flowOf(protocol, [...TRAFFIC, ...fields], options);
  return [startUs - NOW_US, durationUs];
}

describe('the time of a flow', () => {
  it.each([
    [
      'seconds',
      [
        [150, 4, NOW_S - 60],
        [151, 4, NOW_S - 15],
      ],
      -60e6,
      45e6,
    ],
    [
      'milliseconds',
      [
        [152, 8, NOW_MS - 60_001],
        [153, 8, NOW_MS - 15_000],
      ],
      -60_001e3,
      45_001e3,
    ],
    [
      'microseconds of NTP',
      [
        [154, 8, ntp(NOW_US - 3)],
        [155, 8, ntp(NOW_US - 1)],
      ],
      -3,
      2,
    ],
    [
      'microseconds of pmacct',
      [
        [154, 16, timePair(NOW_US - 1_000_003)],
        [155, 16, timePair(NOW_US - 1)],
      ],
      -1_000_003,
      1_000_002,
    ],
    [
      'nanoseconds of NTP',
      [
        [156, 8, ntp(NOW_US - 999_999)],
        [157, 8, ntp(NOW_US)],
      ],
      -999_999,
      999_999,
    ],
    [
      'microseconds before the message',
      [
        [158, 4, 5_000_001],
        [159, 4, 1],
      ],
      -5_000_001,
      5_000_000,
    ],
    [
      'microseconds before it, of 0',
      [
        [158, 4, 0],
        [159, 4, 0],
      ],
      0,
      0,
    ],
    [
      'the start and the duration in milliseconds',
      [
        [152, 8, NOW_MS - 60_000],
        [161, 4, 5],
      ],
      -60e6,
      5000,
    ],
    [
      'the end and the duration in microseconds',
      [
        [153, 8, NOW_MS],
        [162, 4, 7],
      ],
      -7,
      7,
    ],
    ['the duration alone', [[161, 4, 2000]], -2e6, 2e6],
    ['the start alone', [[152, 8, NOW_MS - 60_000]], -60e6, 0],
    ['the end alone', [[151, 4, NOW_S - 1]], -1e6, 0],
    ['that of the event', [[323, 8, NOW_MS - 9]], -9000, 0],
    [
      'the start and that of the event',
      [
        [152, 8, NOW_MS - 60_000],
        [323, 8, NOW_MS - 9000],
      ],
      -60e6,
      51e6,
    ],
    ['that of the event in seconds', [[322, 4, NOW_S - 9]], -9e6, 0],
    ['that of the event in microseconds', [[324, 8, ntp(NOW_US - 9)]], -9, 0],
    ['that of the event in nanoseconds', [[325, 8, ntp(NOW_US - 9)]], -9, 0],
    ['that of the message', [], 0, 0],
    [
      'that of the message, if 0 is sent',
      [
        [152, 8, 0],
        [153, 8, 0],
      ],
      0,
      0,
    ],
    [
      'that of the message, if 0 seconds are sent',
      [
        [150, 4, 0],
        [151, 4, 0],
      ],
      0,
      0,
    ],
    [
      'that of the message, if 0 is sent as NTP',
      [
        [154, 8, 0],
        [155, 8, 0],
      ],
      0,
      0,
    ],
    [
      'the end, if the start is 0',
      [
        [152, 8, 0],
        [153, 8, NOW_MS - 1],
      ],
      -1000,
      0,
    ],
    [
      'the most exact one',
      [
        [150, 4, NOW_S - 9],
        [151, 4, NOW_S - 8],
        [152, 8, NOW_MS - 8765],
        [153, 8, NOW_MS - 8123],
      ],
      -8_765_000,
      642_000,
    ],
    [
      'one since 1970 rather than one by uptime',
      [
        [22, 4, 1],
        [21, 4, 2],
        [150, 4, NOW_S - 9],
        [151, 4, NOW_S - 8],
      ],
      -9e6,
      1e6,
    ],
  ] as const)('may be %s', (_, fields, startUs, durationUs) => {
    for (const protocol of ['netflow9', 'ipfix'] as const) {
      expect(spanOf(protocol, fields as WrittenRecord)).toEqual([startUs, durationUs]);
    }
  });

  it('is refused if pmacct sends one that cannot be', () => {
    const far = Buffer.alloc(16, 0xff);
    const decoded = decodeRecord('ipfix', [...TRAFFIC, [154, 16, far], [155, 16, far]]);
    expect(decoded).toMatchObject({ flows: [], refused: new Map([['badTime', 1]]) });
  });

  it('may be after 2036, when the seconds of NTP start again', () => {
    const seconds = 2_085_978_496 + 1000;
    const fields: WrittenRecord = [...TRAFFIC, [154, 8, ntp(seconds * 1e6)]];
    const flow = flowOf('ipfix', fields, { seconds, receivedMs: seconds * 1000 });
    expect(flow.startUs).toBe(seconds * 1e6);
  });
});

describe('the time of a flow by the uptime of NetFlow 9', () => {
  const of = (first: number, last: number): WrittenRecord => [
    [22, 4, first],
    [21, 4, last],
  ];

  it.each([
    ['is before the header', UPTIME_MS, UPTIME_MS - 60_000, UPTIME_MS - 15_000, -60e6, 45e6],
    ['is before the wrap', 1000, WRAP_MS - 2000, WRAP_MS - 1, -3e6, 1999e3],
    ['is on both sides of the wrap', 1000, WRAP_MS - 1000, 500, -2e6, 1.5e6],
    ['is just after the header', UPTIME_MS, UPTIME_MS + 1, UPTIME_MS + 3, 1000, 2000],
    ['is after the wrap and the header', WRAP_MS - 1, WRAP_MS - 1, 1, 0, 2000],
    ['is an uptime of 0', 1000, 0, 0, -1e6, 0],
    ['is a day long', DAY_MS, 0, DAY_MS, -DAY_MS * 1000, DAY_MS * 1000],
  ])('%s', (_, uptimeMs, first, last, startUs, durationUs) => {
    expect(spanOf('netflow9', of(first, last), { uptimeMs })).toEqual([startUs, durationUs]);
  });
});

describe('the time of a flow by the uptime of IPFIX', () => {
  const INIT_MS = NOW_MS - 100 * DAY_MS;
  /** The uptime when the message is sent, which wrapped twice. */
  const uptime = (NOW_MS - INIT_MS) % WRAP_MS;
  const fields: WrittenRecord = [
    [22, 4, uptime - 60_000],
    [21, 4, uptime - 15_000],
  ];

  it('is reckoned from the start of the exporter, in the record', () => {
    expect(spanOf('ipfix', [...fields, [160, 8, INIT_MS]])).toEqual([-60e6, 45e6]);
  });

  it('is reckoned from the start of the exporter, in options', () => {
    const template = templateOf([...TRAFFIC, ...fields]);
    const options = templateOf([[160, 8, 0]], 257, [{ id: 143, length: 4 }]);
    const send = sender();
    const values = valuesOf([...TRAFFIC, ...fields]);
    send('ipfix', [
      templateSet('ipfix', [template]),
      templateSet('ipfix', [options]),
      dataSet(options, [[1, INIT_MS]]),
    ]);
    const [flow] = send('ipfix', [dataSet(template, [values])]).flows;
    expect(flow).toMatchObject({ startUs: NOW_US - 60e6, durationUs: 45e6 });
    const [other] = send('ipfix', [templateSet('ipfix', [template]), dataSet(template, [values])], {
      domain: 1,
    }).flows;
    expect(other).toMatchObject({ startUs: NOW_US - 45e6, durationUs: 45e6 });
  });

  it('ends with the message, if the start of the exporter is unknown', () => {
    expect(spanOf('ipfix', fields)).toEqual([-45e6, 45e6]);
    expect(spanOf('ipfix', fields.slice(0, 1))).toEqual([0, 0]);
    expect(
      spanOf('ipfix', [
        [22, 4, WRAP_MS - 1],
        [21, 4, 1],
      ]),
    ).toEqual([-2000, 2000]);
  });
});

describe('a flow of an impossible time', () => {
  const milliseconds = (start: WrittenValue, end: WrittenValue): WrittenRecord => [
    [152, 8, start],
    [153, 8, end],
  ];

  it.each([
    ['ends before it starts', milliseconds(NOW_MS, NOW_MS - 1)],
    ['lasts more than a day', milliseconds(NOW_MS - DAY_MS - 1, NOW_MS)],
    ['starts before 1990', milliseconds(631_151_999_999, 631_151_999_999)],
    ['ends more than a day from now', milliseconds(NOW_MS, NOW_MS + DAY_MS + 1)],
    ['starts more than a day from now', milliseconds(NOW_MS + DAY_MS + 1, NOW_MS + DAY_MS + 1)],
    ['is beyond all time', milliseconds(2n ** 64n - 1n, 2n ** 64n - 1n)],
    ['has a duration beyond all time', [[161, 8, 2n ** 64n - 1n]] satisfies WrittenRecord],
    [
      'begins before the message by more than is possible',
      [[158, 8, 2n ** 63n]] satisfies WrittenRecord,
    ],
  ])('is refused: it %s', (_, fields) => {
    const { flows, refused } = decodeRecord('ipfix', [...TRAFFIC, ...fields]);
    expect({ flows, refused }).toEqual({ flows: [], refused: new Map([['badTime', 1]]) });
  });

  it.each([
    ['lasts a day', milliseconds(NOW_MS - DAY_MS, NOW_MS), DAY_MS * 1000],
    ['starts with 1990', milliseconds(631_152_000_000, 631_152_000_001), 1000],
    ['ends a day from now', milliseconds(NOW_MS + 1, NOW_MS + DAY_MS), (DAY_MS - 1) * 1000],
    ['ends as it starts', milliseconds(NOW_MS, NOW_MS), 0],
  ])('is not one that %s', (_, fields, durationUs) => {
    expect(flowOf('ipfix', [...TRAFFIC, ...fields]).durationUs).toBe(durationUs);
  });

  it('is not one whose exporter mistook the wrap of its uptime', () => {
    const [startUs, durationUs] = spanOf('ipfix', milliseconds(NOW_MS, NOW_MS + 500 - WRAP_MS));
    expect([startUs, durationUs]).toEqual([(500 - WRAP_MS) * 1000 - 500_000, 500_000]);
  });

  it('leaves the flows beside it', () => {
    const record: WrittenRecord = [...ENDS, ...milliseconds(NOW_MS, NOW_MS), [1, 4, 5]];
    const template = templateOf(record);
    const { flows, refused } = sender()('ipfix', [
      templateSet('ipfix', [template]),
      dataSet(template, [
        valuesOf(record),
        valuesOf(record).with(-2, NOW_MS - 1),
        valuesOf(record),
      ]),
    ]);
    expect([flows.length, refused.get('badTime')]).toEqual([2, 1]);
  });
});
