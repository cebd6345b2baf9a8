import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ERRORS } from '../../domain/errors.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';
import { plainToppers } from '../support/reference/plain-topper.ts';

/** With two probes, too many keys to be added up on the main thread. */
const KEYS = 40_000;

const GROUP = group(1);
const WINDOW = { from: T0, to: T0 + 60 };
const QUESTION = {
  counter_group: guidOf(1),
  window_fromts: WINDOW.from,
  window_tots: WINDOW.to,
  maxitems: 1,
  resolve_keys: false,
};

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [GROUP],
    lines: Array.from({ length: 2 * KEYS }, (_, i) => ({
      group: GROUP.guid,
      key: `k${i % KEYS}`,
      ts: T0,
      values: { 0: (i % KEYS) + 1 },
      probe: i < KEYS ? 'a' : 'b',
    })),
    settings: { workers: 1 },
  });
});

afterAll(() => lab.close());

const threads: Worker[] = [];
const note = (worker: Worker) => threads.push(worker);

beforeAll(() => {
  process.on('worker', note);
});

afterAll(() => {
  process.off('worker', note);
});

async function rightAnswer() {
  const asked = { group: GROUP, meter: 0, ...WINDOW, maxItems: 1 };
  const [right] = plainToppers(lab, CONTEXT, [asked]);
  const keys = right?.keys.map(({ key, metric }) => ({ key, metric: Number(metric) }));
  return { sysgrouptotal: Number(right?.others), keys };
}

it('a thread that dies at work fails only its request, and is replaced', async () => {
  const right = await rightAnswer();
  for (const round of [1, 2, 3]) {
    // Without an idle thread, the next request creates one and gives it work at once.
    await threads.at(-1)?.terminate();
    lab.emptyCaches();
    const made = once(process, 'worker') as Promise<[Worker]>;
    const asked = lab.rest('topper', QUESTION);
    const [worker] = await made;
    await worker.terminate();
    const message = ERRORS.internal.message;
    expect(await asked).toMatchObject({ status: 500, body: { status: 'ERROR', message } });
    const next = await Promise.all([lab.topper(QUESTION), lab.topper(QUESTION)]);
    expect(next).toMatchObject([right, right]);
    expect(threads).toHaveLength(2 * round);
  }
  expect(lab.logText()).toContain('a kernel thread ended');
});

it('a thread that dies at work fails only its field in GraphQL', async () => {
  await threads.at(-1)?.terminate();
  lab.emptyCaches();
  const made = once(process, 'worker') as Promise<[Worker]>;
  const asked = lab.graphql(`{ viewer { username } context(name: "${CONTEXT}") {
    counterGroup(guid: "${GROUP.guid}") { name
      topper(window: { interval: { from: ${WINDOW.from}, to: ${WINDOW.to} } }) { total } } } }`);
  const [worker] = await made;
  await worker.terminate();
  expect(await asked).toMatchObject({
    status: 200,
    data: {
      viewer: { username: 'ada' },
      context: { counterGroup: { name: GROUP.name, topper: null } },
    },
    errors: [
      {
        message: ERRORS.internal.message,
        path: ['context', 'counterGroup', 'topper'],
        extensions: { code: 'BACKEND' },
      },
    ],
  });
  expect(await lab.topper(QUESTION)).toMatchObject(await rightAnswer());
});
