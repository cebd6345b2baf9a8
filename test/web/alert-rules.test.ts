import { describe, expect, it } from 'vitest';
import { DEFAULT_UNITS, parseAddress } from '../../web/src/address/address.ts';
import { ruleFaults } from '../../web/src/data/alerts/rule-faults.ts';
import {
  alertInput,
  newRuleTexts,
  noNumbers,
  type RuleTexts,
  saidRule,
  windowLengths,
} from '../../web/src/data/alerts/rule-texts.ts';
import {
  type MeasuredRule,
  parseThreshold,
  thresholdTexts,
  thresholdUnits,
} from '../../web/src/data/alerts/threshold-units.ts';
import { drawnAt, type Trial, triedKeys } from '../../web/src/data/alerts/trial.ts';
import type { ContextChoice } from '../../web/src/data/choices.ts';

const measured = (given: Partial<MeasuredRule> = {}): MeasuredRule => ({
  comparison: 'KEY_ABOVE',
  windowSeconds: 300,
  counterGroup: { topperBucketSize: 300 },
  meter: { type: 'VT_COUNTER', units: 'bytes' },
  ...given,
});

const rate = measured({ windowSeconds: 600, meter: { type: 'VT_RATE_COUNTER', units: 'Bps' } });
const flows = measured({ meter: { type: 'VT_COUNTER', units: 'flows' } });
const gauge = measured({ meter: { type: 'VT_GAUGE', units: 'celsius' } });
const silence = measured({ comparison: 'SILENT_SECONDS' });
const share = measured({ comparison: 'KEY_SHARE_ABOVE' });

describe('a threshold', () => {
  it.each([
    [measured(), '100', 'MB', 100_000_000n],
    [measured(), '1.5', 'GB', 1_500_000_000n],
    [measured(), '9007199254.740991', 'MB', 9_007_199_254_740_991n],
    [measured(), '100', 'Mbit/s', 3_750_000_000n],
    [measured(), '1', 'bit/s', 38n],
    // Two topper buckets of 500 bytes per second each add up to a metric of 1000.
    [rate, '4', 'kbit/s', 1000n],
    [flows, '2', 'k flows', 2000n],
    [gauge, '-5', 'celsius', -5n],
    [silence, '15', 'minutes', 900n],
  ] as const)(
    'of %# is what the server compares, to the last digit',
    (rule, amount, name, exact) => {
      const unit = thresholdUnits(rule, DEFAULT_UNITS).find((each) => each.name === name);
      expect(unit && parseThreshold(amount, unit)).toBe(exact);
    },
  );

  it.each([
    [measured(), 100_000_000, '100', 'MB'],
    [measured(), 1_234_567, '1234.567', 'kB'],
    [measured(), 3_750_000_000, '3.75', 'GB'],
    [measured(), 0, '0', 'B'],
    [measured(), 1_000_000_001, '1000000.001', 'kB'],
    [rate, 1000, '4', 'kbit/s'],
    [gauge, -5, '-5', 'celsius'],
    [silence, 5400, '1.5', 'hours'],
    [share, 0.07, '7', '%'],
  ] as const)('%# is shown as few digits of a unit as it has', (rule, threshold, amount, unit) => {
    const units = thresholdUnits(rule, DEFAULT_UNITS);
    expect(thresholdTexts(threshold, units)).toEqual({ amount, unit });
  });

  it.each(['', 'much', '1,5', '1e9', '--1'])('“%s” is no number', (text) => {
    const [unit] = thresholdUnits(measured(), DEFAULT_UNITS);
    expect(unit && parseThreshold(text, unit)).toBe(null);
  });
});

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';

const choice: ContextChoice = {
  name: 'lab',
  probes: [],
  totalWindow: null,
  counterGroups: [
    {
      guid: HOSTS,
      name: 'Hosts',
      keyKind: 'IPV4',
      bucketSize: 60,
      topperBucketSize: 300,
      samplingRate: 1,
      keysOf: null,
      crosskey: null,
      drilldowns: [],
      meters: [{ index: 0, name: 'Total', description: '', type: 'VT_COUNTER', units: 'bytes' }],
    },
  ],
};

describe('a new rule', () => {
  const begun = (search: string): RuleTexts => {
    const texts = newRuleTexts(parseAddress(search), choice);
    if (!texts) throw new Error('no texts');
    return texts;
  };

  it('is about what was shown where it was begun', () => {
    const texts = begun('?group=4CD742B1-C1CA-4708-BE78-0FCA2EB01A86&cidr=10.0.0.0/8&find=web');
    expect(texts).toMatchObject({ group: HOSTS, meter: 0, unit: 'MB', windowSeconds: 300 });
    expect(texts.filter).toMatchObject({ cidr: '10.0.0.0/8', search: 'web' });
    expect(begun('?key=10.0.0.1&find=web').filter).toMatchObject({ keys: '10.0.0.1', search: '' });
  });

  it('is sent whole, without what does not belong to its condition', () => {
    const texts = {
      ...begun('?cidr=10.0.0.0/8,10.1.0.0/16'),
      name: ' big talker ',
      amount: '100',
    };
    const sent = (given: RuleTexts) => {
      const said = saidRule(given, choice, DEFAULT_UNITS);
      return said && alertInput(given, said, null);
    };
    expect(sent(texts)).toMatchObject({
      name: 'big talker',
      threshold: 100_000_000,
      filter: { cidr: ['10.0.0.0/8', '10.1.0.0/16'] },
    });
    const silent = { ...texts, comparison: 'SILENT_SECONDS', amount: '900', unit: '' } as const;
    expect(sent(silent)).toMatchObject({ threshold: 900, filter: null });
  });

  it('is not sent while a number in it is none', () => {
    const texts = { ...begun(''), amount: 'much', forWindows: '', maxKeys: '5' };
    expect(noNumbers(texts, measured(), DEFAULT_UNITS)).toEqual(['threshold', 'forWindows']);
  });

  it('has windows that are multiples of the topper bucket', () => {
    expect(windowLengths({ windowSeconds: 2100 }, { topperBucketSize: 300 }).slice(0, 6)).toEqual([
      300, 600, 900, 1800, 2100, 3600,
    ]);
  });
});

describe('what the server refuses', () => {
  it('is told beside its fields', () => {
    const { fields, rest } = ruleFaults(
      'Invalid alert - alert.name must be a text, got ""; alert.filter.cidr[1] must be a network, got "x"; alert.counterGroup must be enabled',
    );
    expect([...fields]).toEqual([
      ['name', 'Must be a text, got "".'],
      ['cidr', 'Must be a network, got "x".'],
    ]);
    expect(rest).toBe('alert.counterGroup must be enabled.');
  });

  it('is told below the form if it concerns no field', () => {
    expect(ruleFaults('The alert cannot be changed - somebody has').rest).toBe(
      'The alert cannot be changed - somebody has.',
    );
  });
});

describe('a trial', () => {
  const event = (key: string, startedAt: number, endedAt: number | null, peakValue: number) => ({
    startedAt,
    endedAt,
    value: 1,
    peakValue,
    key: { key, label: key, readable: key },
  });
  const trial: Trial = {
    fired: 3,
    windows: 10,
    window: { from: 0, to: 1000 },
    events: [event('a', 100, 200, 9), event('b', 500, null, 3), event('a', 300, 350, 20)],
  };

  it('lists the keys that would have fired for longest first, each with its largest value', () => {
    expect(
      triedKeys(trial).map(({ key, seconds, events, worst }) => [
        key?.key,
        seconds,
        events.length,
        worst.peakValue,
      ]),
    ).toEqual([
      ['b', 500, 1, 3],
      ['a', 150, 2, 20],
    ]);
  });

  it('draws each event within its window, however short it is', () => {
    const span = { from: 0, to: 1000 };
    expect(drawnAt(event('a', 500, null, 1), span)).toEqual({ left: 50, width: 50 });
    expect(drawnAt(event('a', 1000, 1000, 1), span)).toEqual({ left: 99.5, width: 0.5 });
  });
});
