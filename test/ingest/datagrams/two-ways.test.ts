import { describe, expect, it } from 'vitest';
import { appPort } from '../../../ingest/flows/flow.ts';
import {
  DESTINATION_KEY,
  decodeRecord,
  ENDS,
  flowOf,
  SOURCE_KEY,
  type WrittenRecord,
} from './sent-sets.ts';

const REVERSE = 29_305;

/** Both ends' bytes and packets, the originator's first. */
const amountsOf = (fields: WrittenRecord) => {
  const { originator, responder } = flowOf('ipfix', [...ENDS, ...fields]);
  return [originator.bytes, originator.packets, responder.bytes, responder.packets];
};

describe('the amounts of a flow', () => {
  it.each([
    [
      'are those since the previous record',
      [
        [1, 4, 1500],
        [2, 4, 10],
      ],
      1500,
      10,
    ],
    [
      'are the same before and after the exporter',
      [
        [1, 4, 1500],
        [2, 4, 10],
        [23, 4, 1400],
        [24, 4, 9],
      ],
      1500,
      10,
    ],
    [
      'are the same whatever comes first',
      [
        [23, 4, 1400],
        [24, 4, 9],
        [1, 4, 1500],
        [2, 4, 10],
      ],
      1500,
      10,
    ],
    [
      'may only be those after the exporter',
      [
        [23, 4, 1400],
        [24, 4, 9],
      ],
      1400,
      9,
    ],
    [
      'are those after it, if those before are 0',
      [
        [1, 4, 0],
        [2, 4, 0],
        [23, 4, 1400],
        [24, 4, 9],
      ],
      1400,
      9,
    ],
    [
      'may be totals',
      [
        [85, 8, 1500],
        [86, 8, 10],
      ],
      1500,
      10,
    ],
    [
      'are not totals, if there are others',
      [
        [85, 8, 9999],
        [86, 8, 99],
        [1, 4, 1500],
        [2, 4, 10],
      ],
      1500,
      10,
    ],
    [
      'are not those of another field with the number of a responder',
      [
        [1, 4, 1500],
        [232, 2, 7],
      ],
      1500,
      0,
    ],
    [
      'are not those of a responder without an initiator',
      [
        [2, 4, 10],
        [299, 4, 7],
      ],
      0,
      10,
    ],
    ['may only be bytes', [[1, 4, 1500]], 1500, 0],
    ['may only be packets', [[2, 4, 10]], 0, 10],
  ] as const)('%s', (_, fields, bytes, packets) => {
    expect(amountsOf(fields as WrittenRecord)).toEqual([bytes, packets, 0, 0]);
  });
});

describe('a flow of both ways', () => {
  it.each([
    [
      'has the reverse elements of RFC 5103',
      [
        [1, 4, 1500],
        [2, 4, 10],
        [1, 4, 70_000, REVERSE],
        [2, 4, 60, REVERSE],
      ],
      [1500, 10, 70_000, 60],
    ],
    [
      'may have totals',
      [
        [85, 8, 1500],
        [86, 8, 10],
        [85, 8, 70_000, REVERSE],
        [86, 8, 60, REVERSE],
      ],
      [1500, 10, 70_000, 60],
    ],
    [
      'may have what left the exporter',
      [
        [23, 8, 1500],
        [24, 8, 10],
        [23, 8, 70_000, REVERSE],
        [24, 8, 60, REVERSE],
      ],
      [1500, 10, 70_000, 60],
    ],
    [
      'may have had no answer',
      [
        [1, 4, 40],
        [2, 4, 1],
        [1, 4, 0, REVERSE],
        [2, 4, 0, REVERSE],
      ],
      [40, 1, 0, 0],
    ],
    [
      'may only be the answer',
      [
        [1, 4, 0],
        [2, 4, 0],
        [1, 4, 40, REVERSE],
        [2, 4, 1, REVERSE],
      ],
      [0, 0, 40, 1],
    ],
    [
      'may have what initiator and responder sent',
      [
        [231, 4, 1500],
        [232, 4, 70_000],
        [298, 4, 10],
        [299, 4, 60],
      ],
      [1500, 10, 70_000, 60],
    ],
    [
      'may have no packets',
      [
        [231, 4, 1500],
        [232, 4, 70_000],
      ],
      [1500, 0, 70_000, 0],
    ],
    [
      'has those of the initiator rather than those of the source',
      [
        [1, 4, 9],
        [2, 4, 9],
        [231, 4, 1500],
        [232, 4, 70_000],
        [298, 4, 10],
        [299, 4, 60],
      ],
      [1500, 10, 70_000, 60],
    ],
  ] as const)('%s', (_, fields, amounts) => {
    expect(amountsOf(fields as WrittenRecord)).toEqual(amounts);
    // Without more, only those of the initiator say who opened the connection.
    const isByInitiator = fields.some(([id]) => id === 231);
    expect(flowOf('ipfix', [...ENDS, ...(fields as WrittenRecord)]).portRule).toBe(
      isByInitiator ? 'destination' : 'registered',
    );
  });

  it('is refused if both ways together are more than can be counted', () => {
    const half = 2n ** 62n;
    const record = (back: bigint): WrittenRecord => [...ENDS, [1, 8, half], [1, 8, back, REVERSE]];
    expect(flowOf('ipfix', record(half - 1n)).responder.bytes).toBe(half - 1n);
    expect(decodeRecord('ipfix', record(half)).refused.get('badAmount')).toBe(1);
  });

  describe('says which end opened it', () => {
    const both: WrittenRecord = [
      [1, 4, 1500],
      [2, 4, 10],
      [1, 4, 70_000, REVERSE],
      [2, 4, 60, REVERSE],
    ];
    // The source has a registered port, too: otherwise the registry would find the service.
    const ends: WrittenRecord = ENDS.map(([id, length, value]) => [
      id,
      length,
      id === 7 ? 22 : value,
    ]);

    it.each([
      ['not, so the registry decides', null, SOURCE_KEY, 1500, 22],
      ['the source', 1, SOURCE_KEY, 1500, 443],
      ['the destination', 2, DESTINATION_KEY, 70_000, 22],
      ['unknown, so the registry decides', 0, SOURCE_KEY, 1500, 22],
      ['the outer one, so the registry decides', 3, SOURCE_KEY, 1500, 22],
    ])('%s', (_, direction, originator, bytes, port) => {
      const fields: WrittenRecord = direction === null ? both : [...both, [239, 1, direction]];
      const flow = flowOf('ipfix', [...ends, ...fields]);
      expect(flow.originator).toMatchObject({ address: originator, bytes });
      expect(appPort(flow)).toBe(port);
    });

    it('by the amounts of the initiator, which is the destination', () => {
      const fields: WrittenRecord = [
        [231, 4, 1500],
        [232, 4, 70_000],
        [239, 1, 2],
      ];
      const { originator, responder, ports } = flowOf('ipfix', [...ENDS, ...fields]);
      expect(originator).toEqual({ address: DESTINATION_KEY, bytes: 1500, packets: 0 });
      expect(responder).toEqual({ address: SOURCE_KEY, bytes: 70_000, packets: 0 });
      expect(ports).toEqual({ source: 443, destination: 51_000 });
    });
  });
});
