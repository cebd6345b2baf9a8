import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';
import { type CommandOutcome, runOnDatabase } from '../../support/programs/run-command.ts';
import { makePoolFolder, removeFolder } from './keep-support.ts';

let lab: TestService;
let pool: string;

beforeAll(async () => {
  pool = await makePoolFolder();
  lab = await startLab({
    groups: [group(1)],
    declaration: { pools: [{ name: 'oper', path: pool }] },
    lines: [0, 1, 2, 3, 4].map((day) => ({
      group: guidOf(1),
      key: `day ${day}`,
      ts: T0 + day * DAY,
      values: { 0: 1 },
    })),
  });
  vi.stubEnv('DATABASE_URL', lab.databaseUrl);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await lab.close();
  await removeFolder(pool);
});

const run = (...parameters: string[]): Promise<CommandOutcome> =>
  runOnDatabase([...parameters, '--context', CONTEXT]);

const statuses = async () =>
  (await run('slices', 'list', '--json')).out.map((line) => JSON.parse(line).status);

/** The file of the slice of a day in July. */
async function fileOf(day: number): Promise<string> {
  const names = await readdir(join(pool, CONTEXT));
  return join(pool, CONTEXT, names.find((name) => name.startsWith(`slice-202407${day}-`)) ?? '');
}

describe('verify', () => {
  it('checks the files of archives, and says how many', async () => {
    expect((await run('slices', 'archive', '--before', '2024-07-19')).status).toBe(0);
    const { status, out } = await run('verify');
    expect(status).toBe(0);
    expect(out).toEqual([
      expect.stringMatching(/1 slice, \d+ B, and 4 archives, .+, were checked/),
    ]);
    const json = JSON.parse((await run('verify', '--json')).out[0] ?? '');
    expect(json).toMatchObject({ archives: 4, archivedBytes: expect.any(Number) });
  });

  it('names those that are missing, cut short or damaged, and ends with status 1', async () => {
    const [missing, short, damaged] = await Promise.all([15, 16, 17].map(fileOf));
    await rm(missing ?? '');
    await truncate(short ?? '', 100);
    const bytes = await readFile(damaged ?? '');
    bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
    await writeFile(damaged ?? '', bytes);
    const { status, out, err } = await run('verify');
    expect(status).toBe(1);
    expect(out).toEqual([
      expect.stringMatching(/^slice-20240715-0000: .* is not there: is pool oper mounted at/),
      expect.stringMatching(/^slice-20240716-0000: .* has 100 bytes, and \d+ were written$/),
      expect.stringMatching(/^slice-20240717-0000: .* is damaged: its SHA-256 is /),
    ]);
    expect(err).toEqual([
      'countergraph: context lab has 3 differences: put files of archives back from a copy',
    ]);
    const json = JSON.parse((await run('verify', '--json')).out[0] ?? '');
    expect(json).toMatchObject({ differenceCount: 3, damagedArchives: 3 });
    expect(json.differences[0]).toMatchObject({ slice: 'slice-20240715-0000', segment: null });
  });
});

describe('slices restore', () => {
  it('goes on after archives that cannot be restored, names them, and ends with 1', async () => {
    const { status, out, err } = await run('slices', 'restore', '--before', '2025-01-01');
    expect(status).toBe(1);
    expect(out).toEqual([expect.stringMatching(/^slice-20240718-0000 was restored: 1 row/)]);
    expect(err).toEqual([
      'slice-20240719-0000 is not archived: left out',
      expect.stringMatching(/^slice-20240715-0000 was not restored: .* is not there/),
      expect.stringMatching(/^slice-20240716-0000 was not restored: .* is damaged/),
      expect.stringMatching(/^slice-20240717-0000 was not restored: .* is damaged/),
      'countergraph: 3 of 4 slices could not be restored, and stay archived: the reasons are above',
    ]);
    expect((await statuses()).filter((text) => text === 'archived')).toHaveLength(3);
    const json = await run('slices', 'restore', '--before', '2025-01-01', '--json');
    expect(json.out.map((line) => JSON.parse(line))).toMatchObject([
      { notRestored: 'slice-20240715-0000', reason: expect.stringContaining('is not there') },
      { notRestored: 'slice-20240716-0000' },
      { notRestored: 'slice-20240717-0000' },
    ]);
  });

  it('of one slice says only what is wrong with it', async () => {
    const { status, out, err } = await run('slices', 'restore', '--slice', 'slice-20240716-0000');
    expect([status, out]).toEqual([1, []]);
    expect(err).toEqual([expect.stringMatching(/^countergraph: .* is damaged/)]);
  });
});
