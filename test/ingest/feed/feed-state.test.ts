import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { rowsOf } from '../../support/database/rows-of.ts';
import { flowLine, MINUTE, startFeed } from '../../support/lab/feed-lab.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const states = () =>
  rowsOf<{ waiting: number; readTo: number; flows: number; hasEnded: boolean; probe: string }>(
    database.url,
    `select waiting_flows::int as waiting, (read_us / 1e6)::int as "readTo", flows::int, probe,
       ended_at is not null as "hasEnded" from feeds`,
  );

describe('the state of a feed', () => {
  it('is stored with its commits, while it is idle, and when it ends', async () => {
    const feed = startFeed({
      databaseUrl: database.url,
      probe: 'west',
      limits: { lossesEveryMs: 10 },
    });
    feed.write(flowLine({ at: 0 }), flowLine({ at: 600 }));
    await feed.until(({ commits }) => commits === 1);
    const running = { flows: 1, hasEnded: false, probe: 'west' };
    expect(await states()).toEqual([{ ...running, waiting: 1, readTo: MINUTE + 600 }]);
    feed.write(flowLine({ at: 610 }));
    await expect.poll(states).toEqual([{ ...running, waiting: 2, readTo: MINUTE + 610 }]);
    feed.end();
    expect(await feed.done).toMatchObject({ commits: 2, committedFlows: 3 });
    const ended = { ...running, flows: 3, waiting: 0, readTo: MINUTE + 610, hasEnded: true };
    expect(await states()).toEqual([ended]);
  });

  it('is stored as ended if nothing is left to commit', async () => {
    const feed = startFeed({ databaseUrl: database.url, limits: { holdMs: 20 } });
    feed.write(flowLine());
    await feed.until(({ commits }) => commits === 1);
    feed.stop();
    await feed.done;
    expect(await states()).toMatchObject([{ flows: 1, waiting: 0, hasEnded: true }]);
  });
});
