import { describe, expect, it } from 'vitest';
import { DEFAULT_UNITS } from '../../web/src/address/address.ts';
import { marksWithin, reachOf } from '../../web/src/chart/rule-marks.ts';
import { conditionText, keylessText, reasonText } from '../../web/src/data/alerts/alert-words.ts';
import {
  type ChartShows,
  drawnRule,
  rulesInChart,
  type WatchedChart,
} from '../../web/src/data/alerts/chart-rules.ts';
import { eventAddress } from '../../web/src/data/alerts/event-address.ts';
import {
  type AlertEvent,
  countFiring,
  firingEvents,
  firingSentence,
  firingText,
  type Rule,
} from '../../web/src/data/alerts/firing.ts';
import { ruleText } from '../../web/src/data/alerts/rule-words.ts';
import { type MarkedEvents, watched } from '../../web/src/data/alerts/watched.ts';
import { compareSeverities, urgencyOf } from '../../web/src/format/severity.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';

const rule = (given: Partial<Rule> = {}): Rule => {
  const usual: Rule = {
    id: 'rule',
    name: 'big talker',
    severity: 'warning',
    description: null,
    enabled: true,
    condition: 'a key above 1000000000',
    comparison: 'KEY_ABOVE',
    threshold: 1_000_000_000,
    windowSeconds: 300,
    probe: null,
    filtered: false,
    filter: null,
    forWindows: 1,
    clearWindows: 1,
    maxKeys: 100,
    madeInPage: false,
    madeBy: null,
    silencedUntil: null,
    silencedBy: null,
    silenceReason: null,
    evaluatedTo: null,
    counterGroup: { guid: HOSTS, name: 'Hosts', topperBucketSize: 300 },
    meter: { index: 0, name: 'Total', type: 'VT_COUNTER', units: 'bytes' },
    firing: [],
  };
  return { ...usual, ...given };
};

const filter = {
  cidr: ['10.0.0.0/8', '192.168.0.0/16'],
  excludeCidr: ['10.1.0.0/16'],
  keys: [],
  excludeKeys: [],
  search: 'web',
  match: null,
  exclude: null,
};

type Firing = Rule['firing'][number];

const event = (id: string, startedAt: number, key: string | null = 'C0.A8.01.0A'): Firing => ({
  id,
  startedAt,
  endedAt: null,
  value: 1_500_000_000,
  peakValue: '9007199254740993',
  acknowledgedAt: null,
  acknowledgedBy: null,
  note: null,
  key: key === null ? null : { key, label: 'printer', readable: '192.168.1.10' },
});

const eventOf = (given: Partial<Rule>, id = 'e'): AlertEvent => {
  const happened = event(id, 9000);
  return { ...happened, alert: rule(given) };
};

describe('severities', () => {
  it.each([
    ['Critical', 'high'],
    ['major', 'high'],
    ['warning', 'medium'],
    ['whatever', 'medium'],
    ['minor', 'low'],
    ['info', 'low'],
  ])('%s has %s urgency', (severity, urgency) => {
    expect(urgencyOf(severity)).toBe(urgency);
  });

  it('are sorted worst first, with unknown ones among the warnings', () => {
    const severities = ['info', 'warning', 'zebra', 'critical', 'major', 'minor'];
    expect(severities.sort(compareSeverities)).toEqual([
      'critical',
      'major',
      'warning',
      'zebra',
      'minor',
      'info',
    ]);
  });
});

describe('what is firing', () => {
  const rules = [
    rule({ firing: [event('a', 600), event('b', 900)] }),
    rule({ name: 'flood', severity: 'critical', firing: [event('c', 300)] }),
    rule({ name: 'quiet', severity: 'emergency' }),
  ];

  it.each([
    [[], 'none firing', 'No alert is firing'],
    [rules.slice(1), '1 critical', '1 alert is firing, 1 of severity critical'],
    [rules, '1 critical + 2', '3 alerts are firing, 1 of severity critical'],
  ])('is described by its number and worst severity', (some, text, sentence) => {
    const count = countFiring(some);
    expect(firingText(count)).toBe(text);
    expect(firingSentence(count)).toBe(sentence);
  });

  it('is sorted worst first, then newest first', () => {
    expect(firingEvents(rules).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });
});

describe('a rule in words', () => {
  it.each([
    [{}, 'a key above 1.00 GB in 5 minutes'],
    [
      { comparison: 'KEY_SHARE_ABOVE', threshold: 0.5, filtered: true },
      'a key above 50.0 % of the total in 5 minutes, counting only keys that pass its filter',
    ],
    [{ comparison: 'KEY_IN_TOP', threshold: 3 }, 'a key in the top 3 in 5 minutes'],
    [
      { comparison: 'KEY_GROWS_BY', windowSeconds: 3600 },
      'a key growing by more than 1.00 GB between consecutive windows of 1 hour',
    ],
    [
      { comparison: 'KEY_NEW_ABOVE', threshold: 0, probe: 'north' },
      'a new key above 0 B in 5 minutes from the probe north',
    ],
    [{ comparison: 'TOTAL_ABOVE' }, 'the total above 1.00 GB in 5 minutes'],
    [
      {
        comparison: 'TOTAL_BELOW',
        threshold: 1200,
        meter: { index: 1, name: 'Connections', type: 'VT_COUNTER', units: 'connections' },
      },
      'the total below 1.20 k connections in 5 minutes',
    ],
    [{ comparison: 'SILENT_SECONDS', threshold: 900 }, 'no new data for more than 15 minutes'],
  ] satisfies [Partial<Rule>, string][])('%j is %s', (given, text) => {
    expect(conditionText(rule(given), DEFAULT_UNITS).replaceAll('\u00a0', ' ')).toBe(text);
  });

  it('gives a rate as its mean over the window, as charts draw it', () => {
    const meter = { index: 0, name: 'Rate', type: 'VT_RATE_COUNTER', units: 'Bps' } as const;
    // Two topper buckets of 500 bytes per second each add up to a metric of 1000.
    const given = { meter, threshold: 1000, windowSeconds: 600 };
    expect(conditionText(rule(given), DEFAULT_UNITS).replaceAll('\u00a0', ' ')).toBe(
      'a key above 4.00 kbit/s in 10 minutes',
    );
  });

  it.each([
    [{}, 'any key of Hosts with Total above 1.00 GB in 5 minutes'],
    [
      { comparison: 'KEY_SHARE_ABOVE', threshold: 0.5, probe: 'north' },
      'any key of Hosts with more than 50.0 % of all Total in 5 minutes, from the probe north',
    ],
    [
      { comparison: 'TOTAL_BELOW', filtered: true },
      'Hosts that pass its filter with Total below 1.00 GB in total in 5 minutes',
    ],
    [
      { filtered: true, filter, forWindows: 3, clearWindows: 2 },
      'any key of Hosts in 10.0.0.0/8, 192.168.0.0/16 outside 10.1.0.0/16 whose name contains “web” with Total above 1.00 GB in 5 minutes, 3 windows in a row; ends after 2 windows without',
    ],
    [
      { comparison: 'SILENT_SECONDS', threshold: 900 },
      'no new data in Hosts for more than 15 minutes',
    ],
  ] satisfies [Partial<Rule>, string][])('in full, %j is %s', (given, text) => {
    expect(ruleText(rule(given), DEFAULT_UNITS).replaceAll('\u00a0', ' ')).toBe(text);
  });
});

describe('an event', () => {
  const windowOf = (given: Partial<AlertEvent>, newest: number | null = null) =>
    eventAddress({ ...eventOf({ probe: 'north' }), startedAt: 90_000, ...given }, newest).window;

  it('links to its key, in a window that is wider than that of its rule', () => {
    const address = eventAddress(eventOf({ probe: 'north' }), null);
    expect(address).toMatchObject({
      view: 'top',
      group: HOSTS,
      meter: 0,
      probe: 'north',
      key: 'C0.A8.01.0A',
    });
    // From what was usual before it began until it ended, and at least three hours.
    expect(windowOf({ endedAt: 120_000 })).toEqual({ kind: 'interval', from: 88_500, to: 120_300 });
    expect(windowOf({ endedAt: 91_000 })).toEqual({ kind: 'interval', from: 80_500, to: 91_300 });
  });

  it('that is firing is shown up to the newest data', () => {
    expect(windowOf({}, 120_000)).toEqual({ kind: 'interval', from: 88_500, to: 120_000 });
    expect(windowOf({}, null)).toEqual({ kind: 'interval', from: 79_200, to: 90_000 });
  });

  it.each([
    [{}, 'moved 1.50 GB in 5 minutes; the rule allows 1.00 GB'],
    [
      { comparison: 'KEY_SHARE_ABOVE', threshold: 0.4 },
      'moved 1.50 GB in 5 minutes, more than 40.0 % of the total',
    ],
    [
      { comparison: 'KEY_IN_TOP', threshold: 3 },
      'moved 1.50 GB in 5 minutes, which is in the top 3',
    ],
    [
      { comparison: 'KEY_GROWS_BY' },
      '+1.50 GB between two windows of 5 minutes; the rule allows +1.00 GB',
    ],
    [
      { comparison: 'KEY_NEW_ABOVE', threshold: 0 },
      'new, and moved 1.50 GB in 5 minutes; the rule allows 0 B',
    ],
    [
      { comparison: 'TOTAL_BELOW', threshold: 2_000_000_000 },
      'moved only 1.50 GB in 5 minutes; the rule requires 2.00 GB',
    ],
    [
      {
        comparison: 'TOTAL_ABOVE',
        meter: { index: 1, name: 'Flows', type: 'VT_COUNTER', units: 'flows' },
      },
      'had 1.50 G flows in 5 minutes; the rule allows 1.00 G flows',
    ],
  ] satisfies [Partial<Rule>, string][])('says why it fired: %j', (given, text) => {
    expect(reasonText(eventOf(given), DEFAULT_UNITS).replaceAll('\u00a0', ' ')).toBe(text);
  });

  it('says for how long there were no data', () => {
    const silent = { ...eventOf({ comparison: 'SILENT_SECONDS', threshold: 900 }), value: 960 };
    expect(reasonText(silent, DEFAULT_UNITS)).toBe(
      'no new data for 16 minutes; the rule allows 15 minutes',
    );
  });

  it('without a key is about the whole group, or about the keys beyond the most that may fire', () => {
    expect(keylessText(rule({ comparison: 'TOTAL_BELOW' }))).toBe('All of Hosts');
    expect(keylessText(rule({ comparison: 'SILENT_SECONDS' }))).toBe('All of Hosts');
    expect(keylessText(rule({ comparison: 'KEY_ABOVE' }))).toBe('Further keys of Hosts');
    expect(keylessText(rule({ comparison: 'KEY_NEW_ABOVE' }))).toBe('Further keys of Hosts');
  });
});

describe('a rule in a chart', () => {
  const stack: ChartShows = { kind: 'stack', isTotal: true };
  const keys: ChartShows = { kind: 'lines' };
  const ownChart: ChartShows = { kind: 'key', hasFired: (name) => name === 'big talker' };

  const chart = (given: Partial<WatchedChart>): WatchedChart => {
    const usual: WatchedChart = {
      kind: 'counter',
      step: 300,
      topperBucketSize: 300,
      of: 'keys',
      shows: stack,
    };
    return { ...usual, ...given };
  };

  const total: Partial<Rule> = { comparison: 'TOTAL_ABOVE', threshold: 3000 };

  it.each([
    ['a total of a counter is per second', total, {}, 10],
    ['a total below a threshold is drawn too', { ...total, comparison: 'TOTAL_BELOW' }, {}, 10],
    ['a key in its own chart', { threshold: 6000 }, { shows: ownChart }, 20],
    ['a gauge is drawn as it is', { threshold: 21 }, { shows: keys, kind: 'mean' }, 21],
    ['a rate over one topper bucket is drawn as it is', total, { kind: 'rate' }, 3000],
    [
      'a rate over several topper buckets is their mean',
      { ...total, windowSeconds: 900 },
      { kind: 'rate', step: 900 },
      1000,
    ],
    ['a total is the same for networks', total, { of: 'networks' }, 10],
    [
      'filtered keys, in the chart of one that fired',
      { threshold: 600, filtered: true },
      { shows: ownChart },
      2,
    ],
  ] satisfies [string, Partial<Rule>, Partial<WatchedChart>, number][])(
    'has a line: %s',
    (_, given, shown, at) => {
      expect(drawnRule(rule(given), chart(shown))).toEqual({ at, why: null });
    },
  );

  it.each([
    ['a step is shorter than its window', total, { step: 60 }, /one value per 5 minutes/],
    ['a step is longer than its window', total, { step: 600 }, /one value per 5 minutes/],
    ['a key is within a stack', {}, {}, /single keys/],
    ['the stack is not the total', total, { shows: { kind: 'stack', isTotal: false } }, /others/],
    [
      'the chart is of a network, not of an address',
      {},
      { shows: ownChart, of: 'networks' },
      /single addresses, not networks/,
    ],
    ['no total is drawn', total, { shows: ownChart }, /total/],
    [
      'shares are not drawn',
      { comparison: 'KEY_SHARE_ABOVE' },
      { shows: ownChart },
      /no such values/,
    ],
    ['it counts only some keys', { ...total, filtered: true }, {}, /filter/],
    [
      'its filter may leave the key out',
      { filtered: true, name: 'another' },
      { shows: ownChart },
      /filter/,
    ],
  ] satisfies [string, Partial<Rule>, Partial<WatchedChart>, RegExp][])(
    'has no line if %s',
    (_, given, shown, why) => {
      const drawn = drawnRule(rule(given), chart(shown));
      expect(drawn.at).toBe(null);
      expect(drawn.why).toMatch(why);
    },
  );

  const node = (id: string, startedAt: number, about: Partial<Rule> = {}) => {
    const { name, severity, probe, counterGroup, meter } = rule(about);
    const alert = { name, severity, probe, counterGroup, meter };
    return { node: { id, startedAt, key: { key: 'B', label: 'b', readable: 'b' }, alert } };
  };

  const history: MarkedEvents = {
    edges: [
      node('new', 900),
      node('a', 600),
      node('gone', 600, { name: 'gone' }),
      node('moved', 600, { meter: { index: 1, name: '', type: 'VT_GAUGE', units: '' } }),
      node('old', 300),
    ],
    pageInfo: { hasNextPage: true },
  };

  const shown = { group: HOSTS, meter: 0, probe: null };
  const rules = [
    rule({ firing: [event('a', 600, 'A'), event('all', 600, null)] }),
    rule({ name: 'off', enabled: false }),
    rule({ name: 'elsewhere', probe: 'north' }),
  ];

  it('is watched with its events, each once, and no others', () => {
    const seen = watched(rules, history, shown);
    expect(seen.rules.map(({ name }) => name)).toEqual(['big talker']);
    expect(seen.events.map(({ id }) => id)).toEqual(['old', 'a', 'all', 'new']);
    expect(seen.knownFrom).toBe(300);
  });

  it('marks what began in the window; in the chart of a key, only what concerns it', () => {
    const seen = watched(rules, history, shown);
    const span = { from: 300, to: 900 };
    const inStack = rulesInChart(seen, chart({}), { span, key: null });
    expect(inStack.drawn.marks.map(({ id, text }) => [id, text])).toEqual([
      ['a', 'big talker began: printer'],
      ['all', 'big talker began'],
      ['new', 'big talker began: b'],
    ]);
    expect(inStack.rules.map(({ marks }) => marks)).toEqual([3]);
    const ofKey = rulesInChart(seen, chart({ shows: ownChart }), { span, key: 'A' });
    expect(ofKey.drawn.marks.map(({ id }) => id)).toEqual(['a', 'all']);
    expect(ofKey.drawn.lines).toHaveLength(1);
    expect(marksWithin(inStack.drawn, 600, 900).map(({ id }) => id)).toEqual(['new']);
  });

  it('makes room for lines that are not far above the data', () => {
    expect(reachOf(100, [50, 150, 200, 201])).toBe(200);
    expect(reachOf(0, [10])).toBe(10);
  });
});
