import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { AnswerPace } from '../../../resolvers/answer-pace.ts';
import { group, guidOf, meter, startLab } from '../../support/lab/lab.ts';

const STAYS = new AbortController().signal;

/** Completes the objects of a list, for so long that those of ten lists take more than a turn. */
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

  it('then begin in order, about a thousand objects in a turn of the event loop', async () => {
    const pace = new AnswerPace(STAYS);
    expect(pace.begin(1_000)).toBeUndefined();
    const begun: number[] = [];
    const lists = Array.from({ length: 40 }, async (_, i) => {
      await pace.begin(100);
      begun.push(i);
      spin();
    });
    const perTurn: number[] = [];
    while (begun.length < lists.length) {
      const before = begun.length;
      await turn();
      if (begun.length > before) perTurn.push(begun.length - before);
    }
    expect(begun).toEqual(lists.map((_, i) => i));
    expect(perTurn).toEqual([10, 10, 10, 10]);
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
])('all lists of a large answer wait for their turns, %s', async (_, compileAfter) => {
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
