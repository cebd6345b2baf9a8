import { setImmediate as iteration } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { AnswerBudget } from '../../../resolvers/answer-budget.ts';
import { AnswerPace } from '../../../resolvers/answer-pace.ts';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';

const STAYS = new AbortController().signal;

/** Completes the objects of a list, so slowly that ten lists take more than an iteration. */
function spin(): void {
  const until = performance.now() + 0.3;
  while (performance.now() < until);
}

describe('the lists of a large answer', () => {
  it('begin at once, up to a thousand objects', () => {
    const pace = new AnswerPace(STAYS);
    expect([pace.begin(400), pace.begin(400), pace.begin(400)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(pace.begin(1)).toBeInstanceOf(Promise);
  });

  it('then begin in order, about a thousand objects in an iteration of the event loop', async () => {
    const pace = new AnswerPace(STAYS);
    expect(pace.begin(1_000)).toBeUndefined();
    const begun: number[] = [];
    const lists = Array.from({ length: 40 }, async (_, i) => {
      await pace.begin(100);
      begun.push(i);
      spin();
    });
    const perIteration: number[] = [];
    while (begun.length < lists.length) {
      const before = begun.length;
      await iteration();
      if (begun.length > before) perIteration.push(begun.length - before);
    }
    expect(begun).toEqual(lists.map((_, i) => i));
    expect(perIteration).toEqual([10, 10, 10, 10]);
  });

  it('wait behind those that wait already', async () => {
    const pace = new AnswerPace(STAYS);
    const begun: string[] = [];
    const note = (name: string) => () => begun.push(name);
    expect(pace.begin(1_000)).toBeUndefined();
    const lists = [pace.begin(5_000)?.then(note('large')), pace.begin(1)?.then(note('small'))];
    await Promise.all(lists);
    expect(begun).toEqual(['large', 'small']);
  });

  it('fail once the answer is no longer needed', async () => {
    const caller = new AbortController();
    const pace = new AnswerPace(caller.signal);
    expect(pace.begin(1_000)).toBeUndefined();
    const list = pace.begin(1);
    caller.abort(new Error('the caller has gone'));
    await expect(list).rejects.toThrow('the caller has gone');
  });
});

it.each([
  ['by Yoga', 0],
  ['compiled', 1],
])('all lists of a large answer yield to other requests, %s', async (_, compileAfter) => {
  const METERS = 40;
  const meters = Array.from({ length: METERS }, (_unused, id) => meter(id, 2));
  const settings = { compileAfter, responseCacheBytes: 0 };
  const lab = await startLab({ groups: [group(1, { meters })], settings });
  const below = 'meters { counterGroup { meters { name } } }';
  const query = `{ context(name: "lab") { counterGroup(guid: "${guidOf(1)}") { ${below} } } }`;
  await lab.graphql(query);
  const begin = vi.spyOn(AnswerPace.prototype, 'begin');
  try {
    const { data, errors } = await lab.graphql(query);
    expect(errors).toBeUndefined();
    const inner = { counterGroup: { meters: meters.map(({ name }) => ({ name })) } };
    expect(data).toEqual({ context: { counterGroup: { meters: Array(METERS).fill(inner) } } });
    const waited = begin.mock.results.filter(({ value }) => value instanceof Promise);
    // The first list, and 24 of the others, have a thousand objects together.
    expect([begin.mock.calls.length, waited.length]).toEqual([1 + METERS, METERS - 24]);
  } finally {
    begin.mockRestore();
    await lab.close();
  }
});

it('the drill-downs of many keys yield too, and take their values', async () => {
  const crosskey = { parentguid: guidOf(1), crosskeyguid_1: guidOf(1) };
  const keys = Array.from({ length: 30 }, (_, i) => `k${String(i).padStart(2, '0')}`);
  const lab = await startLab({
    groups: [group(1), group(2, { key_kind: 'crosskey', crosskey })],
    lines: keys.flatMap((key, i) => [
      { group: guidOf(1), key, ts: T0, values: { 0: 1 } },
      { group: guidOf(2), key: `${key}\\x`, ts: T0, values: { 0: i } },
    ]),
  });
  const begin = vi.spyOn(AnswerPace.prototype, 'begin');
  const take = vi.spyOn(AnswerBudget.prototype, 'take');
  try {
    const aliases = Array.from(
      { length: 40 },
      (_, i) =>
        `d${i}: drilldown(window: { interval: { from: ${T0 - i}, to: ${T0 + 60} } }) { total }`,
    );
    const { context } = await lab.data<{
      context: { counterGroup: { keys: { edges: unknown[] } } };
    }>(
      `{ context(name: "lab") { counterGroup(guid: "${guidOf(1)}") {
        keys(first: 30) { edges { node { ${aliases.join(' ')} } } } } } }`,
    );
    const total = (i: number) =>
      Object.fromEntries(aliases.map((_, at) => [`d${at}`, { total: i }]));
    expect(context.counterGroup.keys.edges).toEqual(keys.map((_, i) => ({ node: total(i) })));
    const calls = begin.mock.calls.filter(([objects]) => objects === 1);
    expect(calls).toHaveLength(30 * 40);
    const waited = begin.mock.results.filter(({ value }) => value instanceof Promise);
    expect(waited.length).toBeGreaterThan(200);
    expect(take.mock.calls.filter(([values]) => values === 51)).toHaveLength(30 * 40);
  } finally {
    vi.restoreAllMocks();
    await lab.close();
  }
});
