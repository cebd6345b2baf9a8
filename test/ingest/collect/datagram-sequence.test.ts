import { describe, expect, it } from 'vitest';
import { DatagramSequence } from '../../../ingest/collect/datagram-sequence.ts';
import type { DatagramNumber } from '../../../ingest/datagrams/datagram.ts';

type Sent = {
  readonly number: number;
  readonly units?: number | null;
  /** Milliseconds since the exporter's start; by default the header does not say. */
  readonly uptimeMs?: number;
  readonly sentMs?: number;
};

/** Returns what is lost after datagrams that arrive one after the other, a millisecond apart. */
function lostOf(protocol: DatagramNumber['protocol'], datagrams: readonly Sent[]): number {
  const sequence = new DatagramSequence(protocol);
  for (const [i, { number, units = 30, uptimeMs = null, sentMs = null }] of datagrams.entries()) {
    const numbered: DatagramNumber = { protocol, domain: '', number, units, uptimeMs, sentMs };
    sequence.take(numbered, { receivedMs: 1_700_000_000_000 + i, nowMs: i });
  }
  sequence.end();
  return sequence.lost;
}

const numbers = (...given: readonly number[]): Sent[] => given.map((number) => ({ number }));

/** Datagrams that count as one each. */
const each = (...given: readonly number[]): Sent[] => given.map((number) => ({ number, units: 1 }));

const DAY = 86_400_000;

describe('the sequence of an exporter', () => {
  it.each<readonly [string, DatagramNumber['protocol'], readonly Sent[], number]>([
    ['loses nothing while numbers continue', 'netflow5', numbers(5, 35, 65), 0],
    ['counts the records between two datagrams as lost', 'netflow5', numbers(0, 30, 90), 30],
    ['counts datagrams in the unit of NetFlow v9', 'netflow9', each(7, 8, 11, 12), 2],
    ['counts nothing before the first datagram', 'netflow9', each(1_000), 0],
    ['counts what is lost before the last datagram', 'sflow', each(1, 4), 2],
    ['continues at 0 after 2^32-1', 'netflow9', each(4_294_967_294, 4_294_967_295, 0, 1), 0],
    ['counts a loss across 2^32', 'netflow9', each(4_294_967_294, 1), 2],
    ['takes a late datagram as arrived', 'netflow9', each(1, 3, 2, 4), 0],
    ['takes a late part of a gap as arrived', 'netflow5', numbers(0, 120, 60), 60],
    ['takes no notice of a duplicate', 'netflow9', each(1, 2, 2, 3), 0],
    ['takes no notice of duplicates in a row', 'netflow9', each(1, 2, 3, 1, 2, 3, 4), 0],
    ['takes no notice of a late duplicate', 'netflow9', each(0, 1, 2, 0, 3), 0],
    ['takes no notice of late duplicates in a row', 'netflow9', each(0, 1, 2, 3, 0, 1, 4), 0],
    ['counts a loss after late duplicates', 'netflow9', each(0, 1, 2, 3, 0, 1, 6), 2],
    ['fills a gap after late duplicates', 'netflow9', each(0, 1, 2, 5, 0, 1, 6, 3, 7), 1],
    ['takes the first datagrams in any order', 'netflow5', numbers(60, 0, 30, 90), 0],
    ['starts over with an exporter whose numbers do', 'netflow9', each(500, 501, 0, 1, 2), 0],
    ['counts losses after such a start', 'netflow9', each(500, 501, 0, 1, 4), 2],
    ['counts a loss right after a start at 0', 'netflow5', numbers(900, 930, 0, 60), 30],
    ['keeps what was lost before a start', 'netflow9', each(500, 503, 0, 1), 2],
    ['counts no loss in a jump of more than 10 million', 'netflow9', each(0, 10_000_002), 0],
    [
      'goes on with an exporter after such a jump',
      'sflow',
      each(0, 20_000_000, 20_000_001, 20_000_003),
      1,
    ],
    [
      'takes no notice of a single number far ahead',
      'sflow',
      each(0, 1, 3_000_000_000, 2, 20_000_000, 5),
      2,
    ],
    ['takes a number far ahead of a start at 0', 'sflow', each(500, 0, 3_000_000_000, 501), 0],
    ['takes one far ahead after 0', 'sflow', each(2_000_000_000, 0, 20_000_000), 0],
    ['counts a loss of 10 million', 'netflow9', each(0, 10_000_001), 10_000_000],
    [
      'knows a restart by the uptime, whatever the number',
      'netflow9',
      [
        { number: 500, units: 1, uptimeMs: DAY, sentMs: 2 * DAY },
        { number: 700, units: 1, uptimeMs: 1_000, sentMs: 2 * DAY + 30_000 },
      ],
      0,
    ],
    [
      'takes a clock that is set for no restart while numbers continue',
      'netflow9',
      [
        { number: 500, units: 1, uptimeMs: DAY, sentMs: 2 * DAY },
        { number: 501, units: 1, uptimeMs: DAY, sentMs: 9 * DAY },
        { number: 504, units: 1, uptimeMs: DAY + 1, sentMs: 9 * DAY },
      ],
      2,
    ],
    [
      'counts a loss while a clock is set',
      'netflow9',
      [
        { number: 500, units: 1, uptimeMs: DAY, sentMs: 2 * DAY },
        { number: 504, units: 1, uptimeMs: DAY, sentMs: 2 * DAY + 3_600_000 },
      ],
      3,
    ],
    [
      'counts a loss of IPFIX by its RFC between the first two datagrams',
      'ipfix',
      [
        { number: 0, units: 3 },
        { number: 103, units: 10 },
      ],
      100,
    ],
    [
      'takes an uptime that goes around for no restart',
      'sflow',
      [
        { number: 500, units: 1, uptimeMs: 4_294_967_290, sentMs: 50 * DAY },
        { number: 502, units: 1, uptimeMs: 4, sentMs: 50 * DAY + 10 },
      ],
      1,
    ],
    [
      'does not know what follows data without a template',
      'ipfix',
      [
        { number: 100, units: 10 },
        { number: 110, units: null },
        { number: 150, units: 10 },
        { number: 170, units: 10 },
      ],
      10,
    ],
    [
      'takes numbers of IPFIX that count their own records',
      'ipfix',
      [
        { number: 10, units: 10 },
        { number: 15, units: 5 },
        { number: 45, units: 30 },
        { number: 65, units: 10 },
      ],
      10,
    ],
    [
      'takes the next datagram of an exporter that does not count its options',
      'ipfix',
      [
        { number: 10, units: 11 },
        { number: 28, units: 18 },
        { number: 46, units: 18 },
        { number: 54, units: 9 },
        { number: 67, units: 13 },
        { number: 93, units: 13 },
      ],
      13,
    ],
    [
      'takes numbers of IPFIX that count what was before',
      'ipfix',
      [
        { number: 0, units: 10 },
        { number: 10, units: 5 },
        { number: 15, units: 30 },
        { number: 55, units: 10 },
      ],
      10,
    ],
  ])('%s', (_, protocol, datagrams, lost) => {
    expect(lostOf(protocol, datagrams)).toBe(lost);
  });

  it('waits for two seconds before what is missing counts as lost', () => {
    const sequence = new DatagramSequence('netflow9');
    const take = (number: number, nowMs: number) =>
      sequence.take(
        { protocol: 'netflow9', domain: '', number, units: 1, uptimeMs: null, sentMs: null },
        { receivedMs: nowMs, nowMs },
      );
    take(1, 0);
    take(3, 100);
    sequence.settle(2_099);
    expect(sequence.lost).toBe(0);
    sequence.settle(2_100);
    expect(sequence.lost).toBe(1);
    // It is too late now: what is lost never decreases.
    take(2, 2_200);
    sequence.end();
    expect(sequence.lost).toBe(1);
  });
});
