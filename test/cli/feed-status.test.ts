import { beforeEach, describe, expect, it } from 'vitest';
import { type FeedDisplay, feedLine, showFeed } from '../../cli/output/feed-status.ts';
import type { FeedStatus } from '../../ingest/feed/feed.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { collectingStream } from '../support/http/collecting-stream.ts';

const NOW = { wallMs: 1_700_000_100_000, monotonicMs: 90_000 };

const STATUS: FeedStatus = {
  context: 'lab',
  unit: 'line',
  lines: 12_400,
  flows: 12_345,
  skipped: { events: 0, tunnelLines: 0, notIp: 0 },
  badLines: 0,
  leftOutFlows: 0,
  commits: 4,
  committedFlows: 12_000,
  lost: { flows: 0, packets: 0, datagrams: 0 },
  newestAt: 1_700_000_088,
  committedTo: 1_700_000_039.5,
  uncommitted: 345,
  uncommittedSinceMs: 40_000,
  trouble: null,
  late: null,
};

describe('the line about a feed', () => {
  it.each<[string, Partial<FeedStatus>, string]>([
    [
      'says how far behind it is, and what is committed',
      {},
      'lab: 12,345 flows, 12 s behind; 345 not committed, for 50 s; ' +
        'committed up to 2023-11-14T22:13:59Z',
    ],
    [
      'before anything was read',
      { flows: 0, newestAt: null, committedTo: null, uncommitted: 0, uncommittedSinceMs: null },
      'lab: 0 flows; 0 not committed; nothing committed yet',
    ],
    [
      'says what is wrong',
      { badLines: 1200, trouble: 'the database is away' },
      'lab: 12,345 flows, 12 s behind; 345 not committed, for 50 s; the database is away; ' +
        '1,200 bad lines; committed up to 2023-11-14T22:13:59Z',
    ],
    [
      'says what of datagrams was refused and skipped',
      { unit: 'datagram', badLines: 1200, skipped: { events: 2, tunnelLines: 0, notIp: 1 } },
      'lab: 12,345 flows, 12 s behind; 345 not committed, for 50 s; ' +
        '3 records skipped (2 events, 1 not IP); 1,200 refused; ' +
        'committed up to 2023-11-14T22:13:59Z',
    ],
    [
      'says what exporters sent that no line contains',
      { lost: { flows: 1, packets: 1200, datagrams: 3 } },
      'lab: 12,345 flows, 12 s behind; 345 not committed, for 50 s; ' +
        'lost: 1 flow, 1,200 export packets, 3 sFlow datagrams; ' +
        'committed up to 2023-11-14T22:13:59Z',
    ],
    [
      'says what came late, as from an exporter whose clock is behind',
      { late: { flows: 1200, bySeconds: 172_900 } },
      'lab: 12,345 flows, 12 s behind; 345 not committed, for 50 s; ' +
        '1,200 flows late, by up to 2 d; committed up to 2023-11-14T22:13:59Z',
    ],
    [
      'says how far a clock is ahead',
      { newestAt: 1_700_000_190 },
      'lab: 12,345 flows, 90 s ahead of the clock; 345 not committed, for 50 s; ' +
        'committed up to 2023-11-14T22:13:59Z',
    ],
  ])('%s', (_, changes, line) => {
    expect(feedLine({ ...STATUS, ...changes }, NOW)).toBe(line);
  });

  it.each([
    [119, '119 s'],
    [120, '2 min'],
    [7_199, '119 min'],
    [7_200, '2 h'],
    [172_799, '47 h'],
    [172_800, '2 d'],
  ])('for a feed that is %d seconds behind says %s', (seconds, text) => {
    const newestAt = NOW.wallMs / 1000 - seconds;
    expect(feedLine({ ...STATUS, newestAt }, NOW)).toContain(` ${text} behind;`);
  });
});

describe('a feed without a terminal', () => {
  let lines: string[];
  let wallMs: number;
  let monotonicMs: number;
  let display: FeedDisplay;

  beforeEach(() => {
    lines = [];
    wallMs = NOW.wallMs;
    monotonicMs = NOW.monotonicMs;
    const log = createLog('info', collectingStream(lines));
    display = showFeed(
      () => ({ wallMs, monotonicMs }),
      () => log,
    );
  });

  const logged = () => JSON.parse(lines.at(-1) ?? '');

  /** Updates the status after some seconds, and returns the number of lines written so far. */
  function shown(seconds: number, changes: Partial<FeedStatus>): number {
    wallMs += seconds * 1000;
    monotonicMs += seconds * 1000;
    display.update({ ...STATUS, ...changes });
    return lines.length;
  }

  it('writes a line every ten seconds if anything has changed, and at once on trouble', () => {
    expect(shown(0, {})).toBe(1);
    expect(shown(9, { flows: 20_000 })).toBe(1);
    expect(shown(1, { flows: 20_000 })).toBe(2);
    expect(shown(60, { flows: 20_000 })).toBe(2);
    expect(shown(1, { flows: 20_000, trouble: 'away' })).toBe(3);
    expect(shown(1, { flows: 20_001, trouble: 'away' })).toBe(3);
    expect(shown(1, { flows: 20_001 })).toBe(4);
    display.say('a word');
    expect(logged()).toMatchObject({ level: 30, msg: 'a word' });
  });

  it('logs JSON, at the level warn as long as something is wrong', () => {
    shown(0, {});
    expect(logged()).toMatchObject({
      level: 30,
      context: 'lab',
      flows: 12_345,
      uncommitted: 345,
      committedTo: 1_700_000_039.5,
      msg: expect.stringContaining('lab: 12,345 flows, 12 s behind; 345 not committed'),
    });
    shown(1, { trouble: 'away' });
    expect(logged()).toMatchObject({ level: 40, trouble: 'away' });
  });

  it.each([
    ['back', -3600],
    ['forward', 3600],
  ])('keeps to its ten seconds when the wall clock steps %s', (_, seconds) => {
    expect(shown(0, {})).toBe(1);
    wallMs += seconds * 1000;
    expect(shown(9, { flows: 20_000 })).toBe(1);
    expect(shown(1, { flows: 20_000 })).toBe(2);
    expect(lines.at(-1)).toContain('345 not committed, for 60 s;');
  });
});
