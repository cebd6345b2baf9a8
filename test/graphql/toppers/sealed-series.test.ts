import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

/** Sparse readings of a counter and of a maximum. */
const HOSTS = 90;
const MINUTE = 60;

const line = (minute: number, value: number, key = 'a'): Line => ({
  group: guidOf(HOSTS),
  key,
  ts: T0 + minute * MINUTE,
  values: { 0: value, 11: value },
});

const DAY_MINUTES = DAY / MINUTE;

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(HOSTS, { meters: [meter(0, 2), meter(11, 11)] })],
    lines: [line(60, 1), line(720, 2)],
    settings: { answerCacheBytes: 0, responseCacheBytes: 0 },
  });
  // The largest value is in the first minute of the second day's readings, at 03:17.
  await lab.importSamples([
    line(DAY_MINUTES + 197, 1000),
    line(DAY_MINUTES + 700, 30),
    line(DAY_MINUTES + 800, 20),
    line(DAY_MINUTES + 197, 50, 'b'),
    line(DAY_MINUTES + 900, 60, 'b'),
  ]);
  await lab.importSamples([line(2 * DAY_MINUTES + 60, 5), line(2 * DAY_MINUTES + 70, 6)]);
  lab.clock.seconds = Date.now() / 1000 + 3600;
  await lab.mergeNow();
});

afterAll(() => lab.close());

const KEYS = `query ($meter: Int!, $from: EpochSeconds!, $to: EpochSeconds!) {
  context(name: "lab") {
    counterGroup(guid: "${guidOf(HOSTS)}") {
      topper(meter: $meter, window: { interval: { from: $from, to: $to } }, maxItems: 5) {
        keys { key peak percentiles(ranks: [100]) { value } }
      }
      ranked: topper(
        meter: $meter, window: { interval: { from: $from, to: $to } }, maxItems: 5, rankBy: PEAK
      ) {
        keys { key rankValue }
      }
    }
  }
}`;

type Answer = {
  readonly context: {
    readonly counterGroup: {
      readonly topper: {
        readonly keys: readonly {
          readonly key: string;
          readonly peak: number;
          readonly percentiles: readonly { readonly value: number }[];
        }[];
      };
      readonly ranked: {
        readonly keys: readonly { readonly key: string; readonly rankValue: number }[];
      };
    };
  };
};

describe('the series of sealed days', () => {
  it('are those of the lab', async () => {
    const levels = await lab.sql<{ level: number }>('select level from segments order by level');
    expect(levels.filter(({ level }) => level >= 100).length).toBeGreaterThanOrEqual(2);
  });

  describe.each([
    [0, 'a counter'],
    [11, 'a maximum'],
  ])('of meter %i, %s', (number) => {
    // 03:16 cuts the topper bucket of the largest value; it is asked for first and last.
    it.each([
      ['03:16', 196],
      ['02:00', 120],
      ['03:15', 195],
      ['03:17', 197],
      ['00:00', 0],
      ['03:16', 196],
    ])('have the same peaks in every window that has them: from %s', async (_, minute) => {
      const { context } = await lab.data<Answer>(KEYS, {
        meter: number,
        from: T0 + DAY + minute * MINUTE,
        to: T0 + 2 * DAY + 100 * MINUTE,
      });
      const { topper, ranked } = context.counterGroup;
      const peaks = topper.keys.map(({ key, peak, percentiles }) => [key, peak, percentiles]);
      expect(peaks).toEqual([
        ['a', 1000, [{ value: 1000 }]],
        ['b', 60, [{ value: 60 }]],
      ]);
      expect(ranked.keys).toEqual([
        { key: 'a', rankValue: 1000 },
        { key: 'b', rankValue: 60 },
      ]);
    });

    it('does not have a value that the window cuts off', async () => {
      const { context } = await lab.data<Answer>(KEYS, {
        meter: number,
        from: T0 + DAY + 198 * MINUTE,
        to: T0 + 2 * DAY + 100 * MINUTE,
      });
      const { topper } = context.counterGroup;
      expect(topper.keys.map(({ key, peak }) => [key, peak]).toSorted()).toEqual([
        ['a', 30],
        ['b', 60],
      ]);
    });
  });
});

describe('percentiles beside the series of a topper', () => {
  it('take as many statements as either, even if nothing is cached', async () => {
    const other = await startLab({
      settings: { blockCacheBytes: 0 },
      groups: [group(HOSTS, { meters: [meter(0, 2)] })],
      lines: [0, 1].flatMap((day) =>
        [0, 12, 60, 120].map((minute) => ({
          ...line(day * DAY_MINUTES + minute, 3),
          values: { 0: 3 },
        })),
      ),
    });
    try {
      const statementsOf = async (fields: string): Promise<number> => {
        const statements = other.watchStatements();
        await other.data(`{
          context(name: "lab") {
            counterGroup(guid: "${guidOf(HOSTS)}") {
              topper(
                meter: 0, window: { interval: { from: ${T0}, to: ${T0 + 2 * DAY} } }, maxItems: 5
              ) { ${fields} }
            }
          }
        }`);
        return statements().length;
      };
      await statementsOf('series { at }');
      const ofSeries = await statementsOf('series { at }');
      expect(await statementsOf('keys { percentiles(ranks: [50]) { value } } series { at }')).toBe(
        ofSeries,
      );
    } finally {
      await other.close();
    }
  });
});
