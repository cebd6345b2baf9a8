import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AlertLab, GRID, GROUP, startAlertLab } from '../alerts/alert-lab.ts';
import { CONTEXT, type Line } from '../support/lab/service.ts';

const HOUR = 3600;
const NOW = Math.floor(Date.now() / 1000);
/** The newest window that is over. */
const END = NOW - (NOW % GRID);

let lab: AlertLab;

beforeAll(async () => {
  lab = await startAlertLab();
  lab.clock.seconds = NOW;
  await lab.declare({
    big: { when: { key_above: 5 } },
    idle: { when: { total_below: 1 } },
    quiet: { when: { silent_seconds: 600 } },
  });
});
afterAll(() => lab.close());

const line = (key: string, ts: number, value: number): Line => ({
  group: GROUP,
  key,
  ts,
  values: { 0: value },
});

const decidedTo = async () =>
  (
    await lab.sql<{ name: string; to: number }>(
      `select name, evaluated_to::float8 as to from alerts
       where name <> 'quiet' and superseded_at is null order by name`,
    )
  ).map(({ to }) => to);

describe('flows that are ahead of the clock', () => {
  it('decide no window', async () => {
    const windows = [4, 3, 2, 1].map((n) => line('usual', END - n * GRID, n === 3 ? 9 : 2));
    await lab.importSamples([...windows, line('now', END, 1), line('ahead', NOW + 8 * HOUR, 99)]);
    await lab.decideAlertsNow();
    expect(await decidedTo()).toEqual([END - GRID, END - GRID]);
    expect(await lab.events()).toMatchObject([
      { alert: 'big', key: 'usual', startedAt: END - 2 * GRID, endedAt: END - GRID },
    ]);
  });

  it('do not delay the rules that are declared after them', async () => {
    await lab.declare({ late: { when: { key_above: 5 } } });
    const [late] = await lab.sql<{ after: number }>(
      `select begins_after::float8 as after from alerts where name = 'late'`,
    );
    expect(late?.after).toBeLessThanOrEqual(END + GRID);
    await lab.sql(`delete from alerts where name = 'late'`);
  });

  it('hide no silence', async () => {
    lab.clock.seconds = NOW + 700;
    await lab.importSamples([line('ahead', NOW + 9 * HOUR, 1)]);
    await lab.decideAlertsNow();
    expect(await lab.events('quiet')).toMatchObject([{ endedAt: null }]);
  });

  it('are decided when they are the only data', async () => {
    await lab.apply({ context: CONTEXT, probes: [{ id: 'alone' }] });
    await lab.declare({ alone: { when: { key_above: 5 }, probe: 'alone' } });
    const ahead = NOW - (NOW % GRID) + 8 * HOUR;
    const alone = (ts: number): Line => ({ ...line('alone', ts, 9), probe: 'alone' });
    await lab.importSamples([alone(ahead), alone(ahead + 3 * GRID)]);
    await lab.decideAlertsNow();
    expect(await lab.events('alone')).toMatchObject([{ startedAt: ahead + GRID }]);
  });
});
