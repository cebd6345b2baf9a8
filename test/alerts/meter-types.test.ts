import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { meter } from '../support/lab/lab.ts';
import { CONTEXT, type Line } from '../support/lab/service.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';
import { type AlertLab, GRID, startAlertLab, windowEnd } from './alert-lab.ts';
import {
  ADDRESSES,
  edge,
  eventsIn,
  nameOf,
  RULES,
  randomLines,
  SAMPLING_RATE,
  TYPES,
  WINDOWS,
} from './rules-of-meters.ts';

/** The last window of each part; lines come in parts, so that rules resume from stored state. */
const PARTS = [7, 8, 20, WINDOWS];

describe('rules about every kind of meter', () => {
  let lab: AlertLab;
  let lines: Line[];

  beforeAll(async () => {
    const addresses = {
      guid: ADDRESSES,
      name: 'Addresses',
      key_kind: 'ipv4',
      bucket_size: 60,
      topper_bucket_size: GRID,
      sampling_rate: SAMPLING_RATE,
      meters: TYPES.map((type, id) => meter(id, type)),
    };
    lab = await startAlertLab({ groups: [addresses] });
    await lab.importSamples(edge(0));
    await lab.apply({
      context: CONTEXT,
      alerts: RULES.map((rule) => {
        const named = { name: nameOf(rule), group: ADDRESSES };
        return Object.assign(named, rule);
      }),
    });
    const random = randomLines();
    lines = [...edge(0), ...random, ...edge(WINDOWS + 2)];
    for (const [i, last] of PARTS.entries()) {
      const from = windowEnd(PARTS[i - 1] ?? 0);
      await lab.importSamples(random.filter(({ ts }) => ts >= from && ts < windowEnd(last)));
      await lab.decideAlertsNow();
    }
    await lab.importSamples(edge(WINDOWS + 2));
    await lab.decideAlertsNow();
  }, 120_000);
  afterAll(() => lab.close());

  it.each(RULES.map((rule) => [nameOf(rule), rule] as const))(
    'give the events of plain arithmetic: %s',
    async (name, rule) => {
      const events = (await lab.events(name)).map(({ alert: _, ...event }) => event);
      expect(events).toEqual(eventsIn(rule, lines));
      expect(events.length).toBeGreaterThan(0);
    },
  );

  it('give the same events when `alerts test` runs them on stored data', async () => {
    vi.stubEnv('DATABASE_URL', lab.databaseUrl);
    const first = windowEnd(0);
    const last = windowEnd(WINDOWS + 1);
    for (const rule of RULES.filter(({ probe }) => probe === 'p1')) {
      const name = nameOf(rule);
      const { status, out } = await runOnDatabase([
        'alerts',
        'test',
        '--json',
        '--context',
        CONTEXT,
        '--alert',
        name,
        '--from',
        String(first),
        '--to',
        String(last),
      ]);
      expect(status).toBe(0);
      const stored = (await lab.events(name)).map((event) => ({
        alert: event.alert,
        key: event.key,
        started_at: event.startedAt,
        ended_at: event.endedAt,
        value: event.value,
        peak_value: event.peakValue,
      }));
      const tested = out.map((line) => JSON.parse(line));
      expect(new Set(tested)).toEqual(new Set(stored));
      expect(tested).toHaveLength(stored.length);
    }
    vi.unstubAllEnvs();
  }, 120_000);
});
