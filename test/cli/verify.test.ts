import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';
import { type CommandOutcome, runOnDatabase } from '../support/programs/run-command.ts';

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

it('verify ends with 0 and says how much was checked if nothing differs', async () => {
  expect(await run(...VERIFY)).toEqual({
    status: 0,
    out: [
      expect.stringMatching(
        /^Context lab is as it was written: 2 samples in 1 segment of 1 slice, \d+ B, were checked, \d+\.\d s$/,
      ),
    ],
    err: [],
  });
});

it('verify names differences, ends with 1 and says what to do; rebuild repairs them', async () => {
  await lab.sql('update segments set key_count = 1 where died is null');
  await lab.sql('update coverage set last_bucket = last_bucket + 60');
  const { status, out, err } = await run(...VERIFY);
  expect([status, err]).toEqual([
    1,
    [
      'countergraph: context lab has 2 differences: `npx countergraph rebuild --context lab` ' +
        'repairs what can be derived, and names what cannot',
    ],
  ]);
  const place = `Group 1 ${guidOf(1)}, slice-20240715-0000`;
  expect(out).toEqual([
    expect.stringContaining(`${place}, segment 1: the number of keys is 2, the manifest says 1`),
    expect.stringContaining(`${place}: its coverage: 2024-07-15T00:00:00Z to 2024-07-15T00:01`),
  ]);

  const json = await run(...VERIFY, '--json');
  expect([json.status, json.out.length]).toEqual([1, 1]);
  expect(JSON.parse(json.out[0] ?? '')).toMatchObject({
    context: 'lab',
    slices: 1,
    segments: 1,
    samples: 2,
    differenceCount: 2,
    seconds: expect.any(Number),
    differences: [
      { group: 'Group 1', slice: 'slice-20240715-0000', probe: null, segment: 1 },
      { group: 'Group 1', slice: 'slice-20240715-0000', probe: null, segment: null },
    ],
  });

  const rebuilt = await run(...REBUILD);
  expect([rebuilt.status, rebuilt.err]).toEqual([0, []]);
  expect(rebuilt.out).toEqual([
    'repaired: 1 row of coverage',
    expect.stringMatching(/^Context lab was rebuilt: 2 samples in 1 segment, \d+ B, \d+\.\d s$/),
  ]);
  expect((await run(...VERIFY)).status).toBe(0);
});

it('verify only counts differences beyond the first thousand', async () => {
  await lab.sql(`insert into coverage (slice_id, group_id, probe_id, first_bucket, last_bucket)
    select slice_id, group_id, n, first_bucket, last_bucket
    from coverage, generate_series(1, 1201) n`);
  const { status, out, err } = await run(...VERIFY);
  expect([status, out.length]).toEqual([1, 1001]);
  expect(out.at(-1)).toBe('201 more differences are only counted');
  expect(err).toEqual([expect.stringContaining('context lab has 1,201 differences: ')]);
  expect((await run(...REBUILD, '--json')).out.map((text) => JSON.parse(text))).toEqual([
    {
      context: 'lab',
      segments: 1,
      samples: 2,
      bytes: expect.any(Number),
      leftOver: 0,
      rollUps: 0,
      coverage: 1201,
      damaged: [],
      seconds: expect.any(Number),
    },
  ]);
});

it.each([['verify'], ['rebuild'], ['compact']])(
  '%s of a context that does not exist ends with 1',
  async (name) => {
    expect(await run(name, '--context', 'nowhere')).toEqual({
      status: 1,
      out: [],
      err: ['countergraph: There is no context nowhere (the contexts are lab)'],
    });
  },
);

it.each([['verify'], ['rebuild'], ['compact']])(
  '%s without a context ends with 2',
  async (name) => {
    expect((await run(name)).status).toBe(2);
  },
);
