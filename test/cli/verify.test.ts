import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { group, guidOf, startLab, T0 } from '../support/lab.ts';
import { type CommandOutcome, runOnDatabase } from '../support/run-command.ts';
import { CONTEXT, type TestService } from '../support/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [
      { group: guidOf(1), key: 'a', ts: T0, values: { 0: 5 } },
      { group: guidOf(1), key: 'b', ts: T0, values: { 0: 7 } },
    ],
  });
  vi.stubEnv('DATABASE_URL', lab.databaseUrl);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await lab.close();
});

const run = (...parameters: string[]): Promise<CommandOutcome> => runOnDatabase(parameters);

const VERIFY = ['verify', '--context', CONTEXT];
const REBUILD = ['rebuild', '--context', CONTEXT];

it('verify ends with 0 and says how much was compared where nothing differs', async () => {
  expect(await run(...VERIFY)).toEqual({
    status: 0,
    out: [
      expect.stringMatching(
        /^Context lab is as its samples say: 7 readings in 1 slice were compared, \d+\.\d s$/,
      ),
    ],
    err: [],
  });
});

it('verify names differences, and ends with 1 and what to do; rebuild repairs them', async () => {
  await lab.sql('update samples set readings[1] = 6 where readings[1] = 5');
  const { status, out, err } = await run(...VERIFY);
  expect([status, err]).toEqual([
    1,
    ['countergraph: context lab has 4 differences: run `npx countergraph rebuild --context lab`'],
  ]);
  const place = `Group 1 ${guidOf(1)}, blocks of 60 s, slice-20240715-0000, 2024-07-15T00:00:00Z`;
  expect(out).toHaveLength(4);
  expect(out).toContain(`${place}, key a, meter 0: 5 is stored, the samples say 6`);

  const json = await run(...VERIFY, '--json');
  expect([json.status, json.out.length]).toEqual([1, 1]);
  expect(JSON.parse(json.out[0] ?? '')).toMatchObject({
    ...{ context: 'lab', slices: 1, readings: 7, differenceCount: 4, seconds: expect.any(Number) },
    differences: expect.arrayContaining([
      expect.objectContaining({ key: 'a', meter: 0, start: '2024-07-15T00:00:00Z' }),
    ]),
  });

  const rebuilt = await run(...REBUILD);
  expect([rebuilt.status, rebuilt.err]).toEqual([0, []]);
  expect(rebuilt.out).toEqual([
    expect.stringMatching(
      /^Context lab was rebuilt: 1 slice in \d+ rows of blocks and series, 0 blocks of a day and/,
    ),
  ]);
  expect((await run(...VERIFY)).status).toBe(0);
});

it('more differences than can be named are counted', async () => {
  const lines = Array.from({ length: 400 }, (_, i) => ({
    ...{ group: guidOf(1), key: `k${i}`, ts: T0 + 600, values: { 0: 5 } },
  }));
  await lab.importSamples(lines);
  await lab.sql('update samples set readings[1] = 6 where readings[1] = 5');
  const { status, out, err } = await run(...VERIFY);
  expect([status, out.length]).toEqual([1, 1001]);
  expect(out.at(-1)).toBe('201 more differences are only counted');
  expect(err).toEqual([expect.stringContaining('context lab has 1,201 differences: run')]);
  expect((await run(...REBUILD, '--json')).out.map((text) => JSON.parse(text))).toEqual([
    {
      ...{ context: 'lab', slices: 1, rows: expect.any(Number), coarseBlocks: 0 },
      seconds: expect.any(Number),
    },
  ]);
});

it.each([['verify'], ['rebuild']])(
  '%s of a context that is not there ends with 1',
  async (name) => {
    expect(await run(name, '--context', 'nowhere')).toEqual({
      status: 1,
      out: [],
      err: ['countergraph: There is no context nowhere (the contexts are lab)'],
    });
  },
);

it.each([['verify'], ['rebuild']])('%s without a context ends with 2', async (name) => {
  expect((await run(name)).status).toBe(2);
});
