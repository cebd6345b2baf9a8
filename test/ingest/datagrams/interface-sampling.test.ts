import { describe, expect, it } from 'vitest';
import {
  sender,
  type TemplateProtocol,
  TRAFFIC,
  templateOf,
  valuesOf,
  type WrittenRecord,
} from './sent-sets.ts';
import { dataSet, templateSet } from './write-templates.ts';

const KNOWN = (rate: number) => ({ rate, isUnknown: false });
const UNKNOWN = { rate: 1, isUnknown: true };

describe('the sampling rates of interfaces', () => {
  /** RFC 3954, section 6.1, has a number of its own for an interface as the scope of options. */
  const INTERFACE = { netflow9: { id: 2, length: 4 }, ipfix: { id: 10, length: 4 } };

  /** Sends rates by interface, then a flow, and returns by what its bytes were multiplied. */
  function rateBy(
    protocol: TemplateProtocol,
    rates: readonly (readonly [place: number, rate: number])[],
    fields: WrittenRecord,
  ) {
    const send = sender();
    const options = templateOf([[34, 4, 0]], 300, [INTERFACE[protocol]]);
    send(protocol, [templateSet(protocol, [options]), dataSet(options, rates)]);
    const record = [...TRAFFIC, ...fields];
    const template = templateOf(record);
    const sets = [templateSet(protocol, [template]), dataSet(template, [valuesOf(record)])];
    const sent = send(protocol, sets);
    const rate = Number(sent.flows[0]?.originator.bytes) / 1500;
    return { rate, isUnknown: sent.ofUnknownSampler === 1 };
  }

  const RATES = [
    [1, 100],
    [2, 1000],
  ] as const;

  describe.each(['netflow9', 'ipfix'] as const)('of %s', (protocol) => {
    it.each<readonly [string, WrittenRecord, { rate: number; isUnknown: boolean }]>([
      ['are those of where a flow came in', [[10, 2, 1]], KNOWN(100)],
      ['are not the last ones that were said', [[10, 4, 2]], KNOWN(1000)],
      [
        'are those of where it came in, not of where it went out',
        [
          [10, 2, 1],
          [14, 2, 2],
        ],
        KNOWN(100),
      ],
      [
        'are those of where it went out, if nothing is known of the other',
        [
          [10, 2, 7],
          [14, 2, 2],
        ],
        KNOWN(1000),
      ],
      ['are unknown of another interface', [[10, 2, 7]], UNKNOWN],
      ['are unknown of a flow that names no interface', [], UNKNOWN],
      [
        'give way to what a flow says',
        [
          [10, 2, 1],
          [34, 4, 5],
        ],
        KNOWN(5),
      ],
    ])('%s', (_, fields, rate) => {
      expect(rateBy(protocol, RATES, fields)).toEqual(rate);
    });

    it('count for all flows if they are the same', () => {
      expect(rateBy(protocol, [[1, 50]], [[10, 2, 7]])).toEqual(KNOWN(50));
    });
  });
});
