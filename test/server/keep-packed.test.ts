import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/write/connection.ts';
import { lockContext } from '../../db/write/lock-context.ts';
import { verifyContext } from '../../packing/verify/verify-context.ts';
import { keepPacked } from '../../server/keep-packed.ts';
import { createLog } from '../../server/log.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/service.ts';

const line = (key: string, ts: number, value: number): Line => ({
  ...{ group: guidOf(1), key, ts, values: { 0: value } },
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [line('a', T0, 5), line('b', T0 + DAY, 7), line('a', T0 + 3 * DAY, 9)],
  });
});

afterAll(() => lab.close());

const verify = () => verifyContext({ databaseUrl: lab.databaseUrl, context: CONTEXT });
const coarseCount = async () => (await lab.sql('select from coarse_blocks')).length;

async function unpack(): Promise<void> {
  await lab.sql('update slices set packed = false where starts_at = $1', [T0]);
  await lab.sql('delete from coarse_blocks where start = $1', [T0]);
  await lab.sql('delete from key_series');
}

/** What was logged while `work` ran. */
async function loggedBy(work: () => Promise<void>): Promise<string> {
  const before = lab.logText().length;
  await work();
  return lab.logText().slice(before);
}

describe('a running server', () => {
  it('packs slices that are not packed and builds coarse blocks that are missing', async () => {
    const coarse = await coarseCount();
    expect(coarse).toBeGreaterThan(0);
    await lab.sql('update slices set packed = false');
    await lab.sql('delete from topper_blocks');
    await lab.sql('delete from key_series');
    await lab.sql('delete from coarse_blocks');
    const logged = await loggedBy(() => lab.packNow());
    expect(JSON.parse(logged)).toMatchObject({
      ...{ level: 30, context: CONTEXT, slices: 3, coarseBlocks: coarse },
      msg: 'a context was packed',
    });
    expect(await coarseCount()).toBe(coarse);
    expect(await verify()).toMatchObject({ slices: 3, unpackedSlices: 0, differenceCount: 0 });
  });

  it('makes good a single coarse block that is missing', async () => {
    const coarse = await coarseCount();
    await lab.sql('delete from coarse_blocks where start = $1 and level = $2', [T0, DAY]);
    await lab.packNow();
    expect(await coarseCount()).toBe(coarse);
    expect(await verify()).toMatchObject({ differenceCount: 0 });
  });

  it('says nothing where nothing is to be done', async () => {
    expect(await loggedBy(() => lab.packNow())).toBe('');
  });

  it('leaves a context alone that an import works on, and comes back to it', async () => {
    await unpack();
    await lab.write((connection) =>
      inTransaction(connection, async () => {
        await lockContext(connection, 1, () => {});
        expect(await loggedBy(() => lab.packNow())).toBe('');
      }),
    );
    expect(await verify()).toMatchObject({ unpackedSlices: 1 });
    await lab.packNow();
    expect(await verify()).toMatchObject({ unpackedSlices: 0 });
  });

  it('logs what fails, and tries again', async () => {
    await unpack();
    await lab.sql('alter table key_series rename to away');
    const logged = await loggedBy(() => lab.packNow());
    expect(JSON.parse(logged)).toMatchObject({
      ...{ level: 50, context: CONTEXT, msg: 'a context could not be packed' },
    });
    await lab.sql('alter table away rename to key_series');
    await lab.packNow();
    expect(await verify()).toMatchObject({ unpackedSlices: 0 });
  });
});

describe('packing in the background', () => {
  it('begins by itself, and ends at once when the server is closed', async () => {
    await unpack();
    const log = createLog('fatal', process.stderr);
    const first = keepPacked({
      ...{ databaseUrl: lab.databaseUrl, log },
      delays: { firstMs: 0, everyMs: 3_600_000 },
    });
    while ((await verify()).unpackedSlices > 0);
    await first.stop();
    await unpack();
    const second = keepPacked({ databaseUrl: lab.databaseUrl, log, delays: null });
    await lab.write((connection) =>
      inTransaction(connection, async () => {
        // Holds up the packing in the middle of its transaction.
        await connection.query('lock table key_series in share mode');
        const running = second.runOnce();
        const { rowCount } = await waitForLock(connection);
        expect(rowCount).toBe(1);
        await second.stop();
        await running;
      }),
    );
    expect(await verify()).toMatchObject({ unpackedSlices: 1 });
  });
});

type Asked = { query(text: string): Promise<{ rowCount: number | null }> };

/** Until the packing waits for the table. */
async function waitForLock(connection: Asked): Promise<{ rowCount: number | null }> {
  for (;;) {
    const found = await connection.query(
      `select from pg_locks where relation = 'key_series'::regclass and not granted`,
    );
    if (found.rowCount) return found;
  }
}
