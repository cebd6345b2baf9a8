import { describe, expect, it } from 'vitest';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import {
  decodeRecord,
  sender,
  type TemplateProtocol,
  TRAFFIC,
  templateOf,
  valuesOf,
  type WrittenRecord,
} from './sent-sets.ts';
import { dataSet, templateSet, type WrittenField } from './write-templates.ts';

const BYTES = 1500;
const PROTOCOLS: readonly TemplateProtocol[] = ['netflow9', 'ipfix'];

/** The scope of options: of NetFlow 9 the system, of IPFIX the exporting process. */
const SCOPE: Readonly<Record<TemplateProtocol, readonly WrittenField[]>> = {
  netflow9: [{ id: 1, length: 4 }],
  ipfix: [{ id: 144, length: 4 }],
};

/** Sets with an options template and its records, whose fields are all alike. */
function optionSets(protocol: TemplateProtocol, records: readonly WrittenRecord[], id = 300) {
  const template = templateOf(records[0] ?? [], id, SCOPE[protocol]);
  return [
    templateSet(protocol, [template]),
    dataSet(
      template,
      records.map((record) => [1, ...valuesOf(record)]),
    ),
  ];
}

function flowSets(protocol: TemplateProtocol, record: WrittenRecord, id = 256) {
  const template = templateOf(record, id);
  return [templateSet(protocol, [template]), dataSet(template, [valuesOf(record)])];
}

/** Sends options, then a flow, and returns by what its bytes were multiplied. */
function rateOf(
  protocol: TemplateProtocol,
  options: readonly WrittenRecord[],
  fields: WrittenRecord = [],
) {
  const send = sender();
  send(protocol, optionSets(protocol, options));
  const { flows, samplingRates, ofUnknownSampler } = send(
    protocol,
    flowSets(protocol, [...TRAFFIC, ...fields]),
  );
  const rate = Number(flows[0]?.originator.bytes) / BYTES;
  expect(samplingRates).toEqual([rate]);
  expect(flows[0]?.originator.packets).toBe(10 * rate);
  return { rate, isUnknown: ofUnknownSampler === 1 };
}

const KNOWN = (rate: number) => ({ rate, isUnknown: false });
const UNKNOWN = { rate: 1, isUnknown: true };

describe('the sampling rate of all of an exporter', () => {
  it.each([
    [
      'one of an interval',
      [
        [34, 4, 100],
        [35, 1, 2],
      ],
      100,
    ],
    ['one of an interval of two bytes', [[34, 2, 100]], 100],
    ['none, with an interval of 1', [[34, 4, 1]], 1],
    ['none, with an interval of 0', [[34, 4, 0]], 1],
    [
      'by a sampler without a number',
      [
        [49, 1, 2],
        [50, 4, 512],
      ],
      512,
    ],
    [
      'an interval and the space after it',
      [
        [304, 2, 1],
        [305, 4, 1],
        [306, 4, 999],
      ],
      1000,
    ],
    [
      'several packets, and the space after them',
      [
        [305, 4, 10],
        [306, 4, 990],
      ],
      100,
    ],
    [
      'all packets, without space',
      [
        [305, 4, 1],
        [306, 4, 0],
      ],
      1,
    ],
    ['an interval, if the space is left out', [[305, 4, 1000]], 1000],
    [
      'a time, and the space after it',
      [
        [304, 2, 2],
        [307, 4, 100],
        [308, 4, 900],
      ],
      10,
    ],
    [
      'so many of so many',
      [
        [304, 2, 3],
        [309, 4, 2],
        [310, 4, 256],
      ],
      128,
    ],
    [
      'the nearest whole number',
      [
        [309, 4, 3],
        [310, 4, 8],
      ],
      3,
    ],
    [
      'a probability',
      [
        [304, 2, 4],
        [311, 8, Buffer.from('3f50624dd2f1a9fc', 'hex')],
      ],
      1000,
    ],
    [
      'nothing, with a probability of 0',
      [
        [311, 8, 0],
        [34, 4, 5],
      ],
      5,
    ],
    [
      'the first that is set',
      [
        [305, 4, 0],
        [306, 4, 0],
        [50, 4, 7],
      ],
      7,
    ],
    [
      'nothing',
      [
        [36, 2, 60],
        [37, 2, 15],
      ],
      1,
    ],
  ] as const)('may be %s', (_, options, rate) => {
    for (const protocol of PROTOCOLS) {
      expect(rateOf(protocol, [options as WrittenRecord])).toEqual(KNOWN(rate));
    }
  });

  it.each(PROTOCOLS)('is that in force when the flow is read, in %s', (protocol) => {
    const send = sender();
    const flow = () => send(protocol, flowSets(protocol, TRAFFIC)).samplingRates;
    expect(flow()).toEqual([1]);
    send(protocol, optionSets(protocol, [[[34, 4, 100]]]));
    expect(flow()).toEqual([100]);
    send(protocol, optionSets(protocol, [[[34, 4, 200]]]));
    expect(flow()).toEqual([200]);
    const both = [
      ...flowSets(protocol, TRAFFIC),
      ...optionSets(protocol, [[[34, 4, 300]]]),
      ...flowSets(protocol, TRAFFIC),
    ];
    expect(send(protocol, both).samplingRates).toEqual([200, 300]);
  });

  it('is that which its only sampler has now', () => {
    const send = sender();
    for (const rate of [100, 200]) {
      send(
        'netflow9',
        optionSets('netflow9', [
          [
            [48, 1, 7],
            [50, 4, rate],
          ],
        ]),
      );
      expect(send('netflow9', flowSets('netflow9', TRAFFIC))).toMatchObject({
        samplingRates: [rate],
        ofUnknownSampler: 0,
      });
    }
  });

  it('is that of its domain, port, address and protocol', () => {
    const decoder = createDatagramDecoder();
    const send = sender(decoder);
    send('ipfix', optionSets('ipfix', [[[34, 4, 100]]]), { domain: 7 });
    const rates = (protocol: TemplateProtocol, options: object) =>
      send(protocol, flowSets(protocol, TRAFFIC), options).samplingRates;
    expect(rates('ipfix', { domain: 7 })).toEqual([100]);
    expect(rates('ipfix', { domain: 8 })).toEqual([1]);
    expect(rates('ipfix', { domain: 7, port: 4322 })).toEqual([1]);
    expect(rates('ipfix', { domain: 7, address: '192.0.2.2' })).toEqual([1]);
    expect(rates('netflow9', { domain: 7 })).toEqual([1]);
  });
});

describe('the sampling rate of a flow', () => {
  const samplers: readonly WrittenRecord[] = [
    [
      [48, 1, 1],
      [49, 1, 2],
      [50, 4, 100],
    ],
    [
      [48, 1, 2],
      [49, 1, 2],
      [50, 4, 200],
    ],
  ];
  const selectors: readonly WrittenRecord[] = [
    [
      [302, 8, 1],
      [304, 2, 1],
      [305, 4, 1],
      [306, 4, 99],
    ],
    [
      [302, 8, 2],
      [304, 2, 1],
      [305, 4, 1],
      [306, 4, 199],
    ],
  ];
  const oneSampler = samplers.slice(0, 1);
  const ofAll: WrittenRecord = [[34, 4, 50]];

  it.each([
    ['that of the sampler that it names', samplers, [[48, 1, 2]], KNOWN(200)],
    ['that of the sampler, with a longer number', samplers, [[48, 4, 1]], KNOWN(100)],
    ['that of the selector that it names', selectors, [[302, 8, 1]], KNOWN(100)],
    ['that of the selector, with a shorter number', selectors, [[302, 4, 2]], KNOWN(200)],
    ['the only one that there is', oneSampler, [], KNOWN(100)],
    ['the only one that there is, if it names none', oneSampler, [[48, 1, 0]], KNOWN(100)],
    ['the one that all samplers have', [samplers[0], samplers[0]], [], KNOWN(100)],
    ['unknown, of a sampler that no options describe', samplers, [[48, 1, 3]], UNKNOWN],
    ['unknown, if it does not say which of several it is of', samplers, [], UNKNOWN],
    ['unknown, without options', [[[36, 2, 60]]], [[48, 1, 3]], UNKNOWN],
    ['none, without options, if it names none', [[[36, 2, 60]]], [[48, 1, 0]], KNOWN(1)],
    ['that of the exporter, if its sampler is unknown', [ofAll], [[48, 1, 3]], KNOWN(50)],
    ['its own', [ofAll], [[34, 4, 20]], KNOWN(20)],
    ['its own, without options', [[[36, 2, 60]]], [[34, 4, 20]], KNOWN(20)],
    [
      'its own interval and space',
      [ofAll],
      [
        [305, 4, 1],
        [306, 4, 9],
      ],
      KNOWN(10),
    ],
    [
      'its own, whatever its sampler',
      samplers,
      [
        [48, 1, 2],
        [50, 4, 20],
      ],
      KNOWN(20),
    ],
    ['its own of 1', [ofAll], [[34, 4, 1]], KNOWN(1)],
    ['that of the exporter, if its own is 0', [ofAll], [[34, 4, 0]], KNOWN(50)],
  ] as const)('is %s', (_, options, fields, expected) => {
    for (const protocol of PROTOCOLS) {
      const records = options as unknown as readonly WrittenRecord[];
      expect(rateOf(protocol, records, fields as WrittenRecord)).toEqual(expected);
    }
  });

  it('may be said of a sampler that is the scope of options', () => {
    const template = templateOf(
      [
        [305, 4, 0],
        [306, 4, 0],
      ],
      300,
      [{ id: 302, length: 8 }],
    );
    const send = sender();
    send('ipfix', [
      templateSet('ipfix', [template]),
      dataSet(template, [
        [1, 1, 99],
        [2, 1, 199],
      ]),
    ]);
    const record: WrittenRecord = [...TRAFFIC, [302, 8, 2]];
    expect(send('ipfix', flowSets('ipfix', record)).samplingRates).toEqual([200]);
  });

  it('multiplies both ways', () => {
    const record: WrittenRecord = [...TRAFFIC, [1, 4, 70, 29_305], [2, 4, 7, 29_305], [34, 4, 3]];
    const [flow] = decodeRecord('ipfix', record).flows;
    expect(flow?.originator).toMatchObject({ bytes: 4500, packets: 30 });
    expect(flow?.responder).toMatchObject({ bytes: 210, packets: 21 });
  });

  it('multiplies exactly, and refuses more than can be counted', () => {
    const record = (bytes: bigint): WrittenRecord => [
      ...TRAFFIC.slice(0, -2),
      [1, 8, bytes],
      [34, 4, 1000],
    ];
    const most = (2n ** 63n - 1n) / 1000n;
    expect(decodeRecord('ipfix', record(most)).flows[0]?.originator.bytes).toBe(most * 1000n);
    const refused = decodeRecord('ipfix', record(most + 1n));
    expect(refused).toMatchObject({ flows: [], samplingRates: [], ofUnknownSampler: 0 });
    expect(refused.refused).toEqual(new Map([['badAmount', 1]]));
  });

  it('of refused and skipped flows is not told', () => {
    const send = sender();
    const record: WrittenRecord = [...TRAFFIC, [48, 1, 9], [158, 8, 2n ** 60n]];
    expect(send('ipfix', flowSets('ipfix', record))).toMatchObject({
      samplingRates: [],
      ofUnknownSampler: 0,
    });
  });

  it('of several flows is told once each', () => {
    const record: WrittenRecord = [...TRAFFIC, [48, 1, 1]];
    const template = templateOf(record);
    const send = sender();
    send('netflow9', optionSets('netflow9', samplers));
    const values = [1, 2, 1, 9, 2].map((sampler) => valuesOf(record).with(-1, sampler));
    const decoded = send('netflow9', [
      templateSet('netflow9', [template]),
      dataSet(template, values),
    ]);
    expect(decoded.samplingRates).toEqual([100, 200, 1]);
    expect(decoded.ofUnknownSampler).toBe(1);
  });

  it('of a sampler beyond the limit replaces that of the oldest', () => {
    const all = Array.from(
      { length: 1025 },
      (_, i): WrittenRecord => [
        [48, 2, i + 1],
        [50, 4, i + 2],
      ],
    );
    const send = sender();
    for (let i = 0; i < all.length; i += 100) {
      send('netflow9', optionSets('netflow9', all.slice(i, i + 100)));
    }
    const of = (sampler: number) =>
      send('netflow9', flowSets('netflow9', [...TRAFFIC, [48, 2, sampler]]));
    expect(of(1)).toMatchObject({ ofUnknownSampler: 1 });
    expect(of(2)).toMatchObject({ samplingRates: [3], ofUnknownSampler: 0 });
    expect(of(1025)).toMatchObject({ samplingRates: [1026] });
  });
});
