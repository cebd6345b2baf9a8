import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { stringify } from 'lossless-json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importFile } from '../../ingest/files/import-file.ts';
import { compactContext } from '../../store/merge/compact-context.ts';
import { DAY, group, meter, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/lab/service.ts';

const GROUPS = [
  group(1, { meters: [meter(2, 2), meter(5, 5)] }),
  group(2, { key_kind: 'protocol', bucket_size: 3600, topper_bucket_size: 3600 }),
] as const;

const DAYS = 9;

const line = (place: 0 | 1, day: number, i: number): Line => ({
  group: GROUPS[place].guid,
  key: place === 0 ? `key ${i}` : `0${i}`,
  ts: T0 + day * DAY + i * 700,
  values: place === 0 ? { 2: day + i, 5: i } : { 0: i + 1 },
});

const linesOf = (days: readonly number[], count: number): Line[] =>
  days.flatMap((day) =>
    Array.from({ length: count }, (_, i) => [line(0, day, i), line(1, day, i)]).flat(),
  );

let lab: TestService;

beforeAll(async () => {
  const lines = linesOf([...Array(DAYS).keys()], 6);
  lab = await startLab({ groups: GROUPS, lines });
});

afterAll(() => lab.close());

const REST = {
  counter_group: GROUPS[0].guid,
  meter: 2,
  get_percentiles: '50,100',
  window_fromts: T0 + 1,
  window_tots: T0 + 12 * DAY,
};

/** Total, keys, percentiles, series and earlier window of two groups: one request, many reads. */
const DOCUMENT = `query ($window: WindowInput) { context(name: "lab") {
  ${GROUPS.map(
    ({ guid, meters: [first] }, i) => `g${i}: counterGroup(guid: "${guid}") {
      topper(meter: ${first?.id}, window: $window, maxItems: 3) {
        total others keyCount series(step: 86400) { at total others }
        keys { key metric percentiles(ranks: [50, 100]) { value } previous(ago: ${4 * DAY}) { metric rank }
          series(step: 86400) { at value } } } }`,
  ).join(' ')} } }`;

const WINDOW = { window: { interval: { from: T0 + 4 * DAY, to: T0 + 12 * DAY } } };

/** A question in REST and one in GraphQL; each returns its answer as text. */
const ASK = [
  async () => JSON.stringify(await lab.topper(REST)),
  async () => JSON.stringify(await lab.data(DOCUMENT, WINDOW)),
] as const;

const askAll = (): Promise<string[]> => Promise.all(ASK.map((ask) => ask()));

/** Starts an import that pauses after these lines until it is released. */
function heldImport(lines: readonly Line[]) {
  const events = new EventEmitter();
  const held = once(events, 'held');
  const released = once(events, 'released');
  const importing = importFile({
    databaseUrl: lab.databaseUrl,
    context: CONTEXT,
    format: 'samples',
    batchRows: 1,
    source: {
      name: 'held',
      sizeBytes: null,
      isRepeatable: false,
      open: () =>
        Readable.from(
          (async function* () {
            yield Buffer.from(lines.map((each) => `${stringify(each)}\n`).join(''));
            await released;
          })(),
        ),
    },
    now: () => T0 + 100 * DAY,
    onProgress: () => events.emit('held'),
  });
  return {
    importing,
    held: Promise.race([held, importing]),
    release: () => events.emit('released'),
  };
}

describe('answers while an import is in progress', () => {
  it('stay the same until it commits, and then contain its readings', async () => {
    const before = await askAll();
    const { importing, held, release } = heldImport(linesOf([2, 5], 4));
    await held;
    expect(await askAll()).toEqual(before);
    lab.emptyCaches();
    expect(await askAll()).toEqual(before);
    release();
    await importing;
    const committed = await askAll();
    expect(committed.map((text, i) => text === before[i])).toEqual([false, false]);
    lab.emptyCaches();
    expect(await askAll()).toEqual(committed);
  });

  it('are the same while segments are merged and swept, cached or not', async () => {
    const before = await askAll();
    const now = () => Math.floor(Date.now() / 1000);
    const state = { isOver: false };
    const merging = compactContext({ databaseUrl: lab.databaseUrl, context: CONTEXT, now });
    const ended = merging.finally(() => {
      state.isOver = true;
    });
    while (!state.isOver) {
      lab.emptyCaches();
      expect(await askAll()).toEqual(before);
    }
    expect((await ended).merges).toBeGreaterThan(0);
    expect(await askAll()).toEqual(before);
    await compactContext({
      databaseUrl: lab.databaseUrl,
      context: CONTEXT,
      now: () => now() + DAY,
    });
    lab.emptyCaches();
    expect(await askAll()).toEqual(before);
  });

  it('are from before the import or from after it, and never go back', async () => {
    for (const days of [
      [1, 3, 7],
      [DAYS, DAYS + 1],
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
    ]) {
      const before = await askAll();
      const answers: string[][] = ASK.map(() => []);
      const state = { isOver: false };
      const importing = lab.importSamples(linesOf(days, 5)).finally(() => {
        state.isOver = true;
      });
      const asking = ASK.map(async (ask, i) => {
        while (!state.isOver) answers[i]?.push(await ask());
      });
      await Promise.all([importing, ...asking]);
      const after = await askAll();
      for (const [i, texts] of answers.entries()) {
        expect(after[i]).not.toBe(before[i]);
        const isAfter = [...texts.map((text) => text === after[i]), true];
        const turn = isAfter.indexOf(true);
        expect(texts).toEqual([
          ...texts.slice(0, turn).map(() => before[i]),
          ...texts.slice(turn).map(() => after[i]),
        ]);
      }
      lab.emptyCaches();
      expect(await askAll()).toEqual(after);
    }
  });
});
