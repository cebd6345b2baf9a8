import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DAY, group, guidOf, startLab } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import { runOnDatabase } from '../../support/programs/run-command.ts';
import { keepingOf, makePoolFolder, removeFolder } from './keep-support.ts';

const NOW = Math.floor(Date.now() / 1000);

const line = (key: string, ts: number): Line => ({ group: guidOf(1), key, ts, values: { 0: 1 } });

let lab: TestService;
let pool: string;

beforeAll(async () => {
  pool = await makePoolFolder();
  lab = await startLab({
    groups: [group(1)],
    declaration: { retention_days: 30, pools: [{ name: 'oper', path: pool }] },
    lines: [40, 20, 10, 0].map((days) => line(`${days} days ago`, NOW - days * DAY)),
  });
  vi.stubEnv('DATABASE_URL', lab.databaseUrl);
  vi.useFakeTimers({ toFake: ['Date'], now: (NOW + 400 * DAY) * 1000 });
});

afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await lab.close();
  await removeFolder(pool);
});

const names = async () => (await keepingOf(lab).list()).map(({ name }) => name);

/** Retention by a server is tested with others of its rules, and with its own clock. */
describe('a command whose clock is 400 days ahead', () => {
  it('drops nothing expired, and says why', async () => {
    const before = await names();
    const args = ['slices', 'drop', '--context', CONTEXT, '--expired', '--confirm', CONTEXT];
    expect(await runOnDatabase(args)).toMatchObject({
      status: 1,
      out: [],
      err: [
        expect.stringMatching(/^countergraph: Nothing is dropped for its age, because two clocks/),
      ],
    });
    expect(await names()).toEqual(before);
  });

  it.each([
    ['drop', ['--confirm', CONTEXT]],
    ['archive', []],
  ])('never does %s a slice that is not over by the clock of the database', async (what, more) => {
    const before = await names();
    const [newest = ''] = before.slice(-1);
    const args = ['slices', what, '--context', CONTEXT, '--slice', newest, ...more];
    const { status, err } = await runOnDatabase(args);
    expect([status, err.join()]).toEqual([1, expect.stringContaining(`${newest} is processing`)]);
    expect(await names()).toEqual(before);
  });

  it('tells of an import only what a server drops', async () => {
    const file = join(pool, 'more.ndjson');
    const text = [21, 41].map((days) => JSON.stringify(line('more', NOW - days * DAY)));
    await writeFile(file, `${text.join('\n')}\n`);
    const samples = ['--context', CONTEXT, '--format', 'samples', '--json'];
    const { out } = await runOnDatabase(['import', ...samples, file]);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ expired: { slices: 1, retentionDays: 30 } });
  });
});
