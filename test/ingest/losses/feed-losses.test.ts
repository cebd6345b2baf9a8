import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LostUnits } from '../../../domain/exporters.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ExportNumber } from '../../../ingest/losses/export-number.ts';
import { FeedLosses } from '../../../ingest/losses/feed-losses.ts';
import {
  type Numbering,
  numbersOf,
  protocolOf,
  type SentPacket,
  sentPackets,
} from './sequence-numbers.ts';

const NOTHING = { flows: 0, packets: 0, datagrams: 0 };

/** Returns the losses of lines that are checked at the end, and also after the given lines. */
function lostOf(lines: readonly ExportNumber[], looksAfter: readonly number[] = []): LostUnits {
  const losses = new FeedLosses();
  losses.settle(0);
  let looks = 0;
  for (const [i, line] of lines.entries()) {
    losses.note(line);
    if (!looksAfter.includes(i)) continue;
    looks += 1;
    losses.settle(looks * LIMITS.lostAfterMs);
  }
  losses.end();
  return losses.total();
}

const NUMBERINGS: readonly Numbering[] = ['netflow5', 'netflow9', 'ipfix', 'ownIpfix', 'sflow'];

const UNITS = {
  netflow5: 'flows',
  netflow9: 'packets',
  ipfix: 'flows',
  sflow: 'datagrams',
} as const;

const lostPackets = (numbering: Numbering, packets: readonly SentPacket[]): LostUnits => {
  const unit = UNITS[protocolOf(numbering)];
  const flows = packets.reduce((sum, packet) => sum + packet.flows, 0);
  return { ...NOTHING, [unit]: unit === 'flows' ? flows : packets.length };
};

describe.each(NUMBERINGS)('losses of %s', (numbering) => {
  const sizes = [7, 30, 30, 12, 30, 1, 30, 30, 25, 30];
  const packets = sentPackets(sizes, numbering, 1000);
  const lines = (list: readonly SentPacket[]) => numbersOf(list, numbering);

  it('are none if nothing is missing', () => {
    expect(lostOf(lines(packets))).toEqual(NOTHING);
  });

  it.each([[[3]], [[1, 2]], [[4, 6, 8]]])('are the missing packets: %j', (lacking) => {
    const came = packets.filter((_, i) => !lacking.includes(i));
    const lost = packets.filter((_, i) => lacking.includes(i));
    expect(lostOf(lines(came))).toEqual(lostPackets(numbering, lost));
    expect(lostOf(lines(came), [20, 60, 100])).toEqual(lostPackets(numbering, lost));
  });

  it('are right when numbers wrap at 2^32', () => {
    const wrapping = sentPackets(sizes, numbering, 2 ** 32 - (numbering.endsWith('flow') ? 3 : 5));
    expect(lostOf(lines(wrapping))).toEqual(NOTHING);
    const came = wrapping.filter((_, i) => i !== 4);
    expect(lostOf(lines(came))).toEqual(lostPackets(numbering, wrapping.slice(4, 5)));
  });

  it('are none if an exporter restarts', () => {
    const restarted = sentPackets(sizes, numbering, 0);
    for (const start of [1_000_000, 3_000_000_000, 2 ** 32 - 5_000_000]) {
      const before = sentPackets(sizes, numbering, start);
      const all = [...lines(before), ...lines(restarted), ...lines(restarted)];
      expect(lostOf(all, [100, 300])).toEqual(NOTHING);
    }
  });

  it('are found again soon after a restart with numbers that were checked before', () => {
    const losses = new FeedLosses();
    const restarted = sentPackets(sizes, numbering, 0);
    const parts = [
      sentPackets([...sizes, ...sizes], numbering, 5_000),
      [],
      restarted.slice(0, 1),
      restarted.slice(1, 2),
      restarted.slice(2).filter((_, i) => i !== 3),
    ];
    for (const [look, part] of parts.entries()) {
      losses.settle(look * LIMITS.lostAfterMs);
      for (const line of lines(part)) losses.note(line);
    }
    losses.end();
    expect(losses.total()).toEqual(lostPackets(numbering, restarted.slice(5, 6)));
  });
});

/** Sizes of packets, and which of them are missing: never the first or the last. */
const exports = fc
  .array(fc.record({ flows: fc.integer({ min: 1, max: 30 }), lacks: fc.boolean() }), {
    minLength: 3,
    maxLength: 40,
  })
  .map((list) =>
    list.map((each, i) => ({ ...each, lacks: each.lacks && i > 0 && i < list.length - 1 })),
  );

describe('any losses', () => {
  const cases = fc.record({
    list: exports,
    numbering: fc.constantFrom(...NUMBERINGS),
    start: fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constant(2 ** 32 - 20)),
  });

  /** Returns the lines that arrived, and the losses. The caller decides on order and checks. */
  const exported = ({ list, numbering, start }: CaseOf<typeof cases>) => {
    const packets = sentPackets(
      list.map(({ flows }) => flows),
      numbering,
      start,
    );
    const came = packets.filter((_, i) => !list[i]?.lacks);
    const lost = lostPackets(
      numbering,
      packets.filter((_, i) => list[i]?.lacks),
    );
    return { lines: numbersOf(came, numbering), lost, unit: UNITS[protocolOf(numbering)] };
  };

  type CaseOf<T> = T extends fc.Arbitrary<infer V> ? V : never;

  /**
   * Whether the distance between two IPFIX packets that arrived is by chance the number of flows
   * that it would be if the exporter counted in the other way.
   */
  const isMisleading = ({ list, numbering, start }: CaseOf<typeof cases>): boolean => {
    const sizes = list.map(({ flows }) => flows);
    const came = sentPackets(sizes, numbering, start).filter((_, i) => !list[i]?.lacks);
    return came.slice(1).some((packet, i) => {
      const before = came[i] as SentPacket;
      const step = (packet.number - before.number) | 0;
      const isOwn = step === packet.flows && step !== before.flows;
      const isBefore = step === before.flows && step !== packet.flows;
      return numbering === 'ipfix' ? isOwn : numbering === 'ownIpfix' && isBefore;
    });
  };

  it('are exactly what is missing from lines in order, if it is clear how numbers count', () => {
    fc.assert(
      fc.property(cases, (given) => {
        fc.pre(!isMisleading(given));
        const { lines, lost, unit } = exported(given);
        const found = lostOf(lines);
        if (given.numbering === 'ipfix' || given.numbering === 'ownIpfix') {
          // It may be unclear which way the exporter counts; then the losses are never too high.
          expect(found[unit]).toBeLessThanOrEqual(lost[unit]);
          expect(found[unit]).toBeGreaterThan(lost[unit] - 30);
        } else expect(found).toEqual(lost);
      }),
    );
  });

  it('do not depend on the order of lines before they are checked', () => {
    fc.assert(
      fc.property(cases, fc.infiniteStream(fc.nat()), (given, random) => {
        fc.pre(given.numbering !== 'ipfix' && given.numbering !== 'ownIpfix');
        const { lines, lost } = exported(given);
        const shuffled = lines
          .map((line) => ({ line, at: random.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ line }) => line);
        expect(lostOf(shuffled)).toEqual(lost);
      }),
    );
  });

  it('are never too high, and never decrease, with checks in between', () => {
    fc.assert(
      fc.property(
        cases,
        fc.array(fc.nat({ max: 40 })),
        fc.nat({ max: 30 }),
        (given, nth, shift) => {
          // The lines of a packet arrive within less than the time between two checks.
          const looks = nth.map((n) => n * 31 + shift);
          fc.pre(!isMisleading(given));
          const { lines, lost, unit } = exported(given);
          const losses = new FeedLosses();
          let at = 0;
          let before = 0;
          losses.settle(at);
          for (const [i, line] of lines.entries()) {
            losses.note(line);
            if (looks.includes(i)) {
              at += LIMITS.lostAfterMs;
              losses.settle(at);
            }
            const now = losses.total()[unit];
            expect(now).toBeGreaterThanOrEqual(before);
            before = now;
          }
          losses.end();
          expect(losses.total()[unit]).toBeLessThanOrEqual(lost[unit]);
          expect(losses.total()[unit]).toBeGreaterThanOrEqual(before);
        },
      ),
    );
  });

  it('of arbitrary numbers are no more than lies between them', () => {
    const any = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 50 });
    fc.assert(
      fc.property(any, fc.constantFrom(...NUMBERINGS), (numbers, numbering) => {
        const lines = numbersOf(
          numbers.map((number) => ({ number, flows: 1 })),
          numbering,
        );
        const total = lostOf(lines)[UNITS[protocolOf(numbering)]];
        expect(total).toBeLessThanOrEqual(numbers.length * LIMITS.lossNearNumbers);
      }),
    );
  });
});

describe('lines of one exporter', () => {
  it('may belong to several interleaved sequences, each with its own losses', () => {
    const cards = [100_000, 90_000_000, 4_000_000_000].map((start, i) =>
      sentPackets(Array(40).fill(1), 'sflow', start).filter((_, at) => at !== 10 + i),
    );
    const lines = Array.from({ length: 39 }, (_, i) =>
      cards.flatMap((card) => numbersOf(card.slice(i, i + 1), 'sflow')),
    ).flat();
    expect(lostOf(lines)).toEqual({ ...NOTHING, datagrams: 3 });
    expect(lostOf(lines, [30, 60, 90])).toEqual({ ...NOTHING, datagrams: 3 });
  });

  it('are separate for separate domains', () => {
    const near = { near: LIMITS.lossNearNumbersOfOne };
    const domains = ['0', '1'].map((domain, i) =>
      numbersOf(sentPackets([5, 5, 5, 5], 'netflow9', i * 7), 'netflow9', { domain, ...near }),
    );
    const lines = Array.from({ length: 20 }, (_, i) => domains.flatMap((each) => each[i] ?? []));
    expect(lostOf(lines.flat())).toEqual(NOTHING);
  });

  it('count a long gap as lost once the sequence before it has been silent for long', () => {
    const sizes = Array<number>(100).fill(30);
    const packets = [
      ...sentPackets(sizes, 'netflow5', 50_000),
      ...sentPackets(sizes, 'netflow5', 2_000_000),
    ];
    const lines = numbersOf(packets, 'netflow5');
    const gap = { ...NOTHING, flows: 2_000_000 - 50_000 - 3000 };
    expect(lostOf(lines)).toEqual(gap);
    const losses = new FeedLosses();
    losses.settle(0);
    for (const line of lines) losses.note(line);
    for (let look = 1; look < LIMITS.lossSilentChecks; look += 1) {
      losses.settle(look * LIMITS.lostAfterMs);
      expect(losses.total()).toEqual(NOTHING);
    }
    losses.settle(LIMITS.lossSilentChecks * LIMITS.lostAfterMs);
    expect(losses.total()).toEqual(gap);
  });

  it('count nothing as lost if numbers are too far apart for a gap', () => {
    const sizes = Array<number>(100).fill(30);
    const packets = [
      ...sentPackets(sizes, 'netflow5', 50_000),
      ...sentPackets(sizes, 'netflow5', 60_000 + LIMITS.lossLongestGap),
    ];
    expect(lostOf(numbersOf(packets, 'netflow5'))).toEqual(NOTHING);
  });
});

describe('exporters', () => {
  const packets = sentPackets([10, 10, 10], 'netflow9', 77);
  const came = [...packets.slice(0, 1), ...packets.slice(2)];

  it('are listed with their losses, the largest first', () => {
    const losses = new FeedLosses();
    for (const exporter of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const list = exporter === '192.0.2.2' ? packets : came;
      for (const line of numbersOf(list, 'netflow9', { exporter, domain: '4' })) losses.note(line);
    }
    const flows = sentPackets([10, 10, 10], 'netflow5', 0).filter((_, i) => i !== 1);
    for (const line of numbersOf(flows, 'netflow5')) losses.note(line);
    losses.end();
    expect(losses.exporters()).toEqual([
      { exporter: '192.0.2.1', domain: '', protocol: 'NetFlow v5', unit: 'flows', lost: 10 },
      { exporter: '192.0.2.1', domain: '4', protocol: 'NetFlow v9', unit: 'packets', lost: 1 },
      { exporter: '192.0.2.3', domain: '4', protocol: 'NetFlow v9', unit: 'packets', lost: 1 },
    ]);
    expect(losses.total()).toEqual({ flows: 10, packets: 2, datagrams: 0 });
  });

  it('that are silent for long are forgotten, but their losses are not', () => {
    const losses = new FeedLosses();
    losses.settle(0);
    for (const line of numbersOf(came, 'netflow9')) losses.note(line);
    losses.settle(LIMITS.lossExporterIdleMs);
    losses.settle(LIMITS.lossExporterIdleMs + LIMITS.lostAfterMs);
    expect([losses.total().packets, losses.exporters()]).toEqual([1, []]);
    const later = sentPackets([10, 10], 'netflow9', 5000);
    for (const line of numbersOf(later, 'netflow9')) losses.note(line);
    losses.end();
    expect(losses.total().packets).toBe(1);
  });

  it('are tracked up to a limited number', () => {
    const losses = new FeedLosses();
    for (let i = 0; i <= LIMITS.lossExporters; i += 1) {
      const exporter = `10.0.${i >> 8}.${i % 256}`;
      for (const line of numbersOf(came, 'netflow9', { exporter })) losses.note(line);
    }
    losses.end();
    expect(losses.total().packets).toBe(LIMITS.lossExporters);
  });
});
