import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { LoopTurns } from '../../../server/admission/loop-turns.ts';

/** Keeps the event loop to itself. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Counts the turns of the event loop until `over` settles. */
async function turnsUntil(over: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise(setImmediate);
    turns += 1;
  }
  return turns;
}

describe('turns of the event loop', () => {
  it('end between pieces of work that take as long as one may', async () => {
    const turns = new LoopTurns();
    const order: number[] = [];
    const pieces = Array.from({ length: 20 }, async (_, piece) => {
      await turns.take('arrived');
      // What a request does is spread over many promises.
      for (let step = 0; step < 5; step += 1) await Promise.resolve();
      work(LIMITS.loopTurnMs);
      order.push(piece);
    });
    expect(await turnsUntil(Promise.all(pieces))).toBeGreaterThanOrEqual(pieces.length - 2);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('end sooner while there are new connections', async () => {
    const turns = new LoopTurns();
    const take = async () => {
      await turns.take('arrived');
      turns.accepted();
      work(LIMITS.loopTurnAcceptingMs);
    };
    const pieces = Array.from({ length: 20 }, take);
    // All but the first turn, before which nobody had come.
    const together = LIMITS.loopTurnMs / LIMITS.loopTurnAcceptingMs;
    expect(await turnsUntil(Promise.all(pieces))).toBeGreaterThanOrEqual(20 - together - 2);
  });

  it('are for accepting, most of them, as long as there are new connections', async () => {
    const turns = new LoopTurns();
    const wentOn: number[] = [];
    const take = async () => {
      await turns.take('arrived');
      wentOn.push(performance.now());
      work(LIMITS.loopTurnAcceptingMs);
    };
    const over = Promise.all(Array.from({ length: 6 }, take));
    let isOver = false;
    void over.then(() => {
      isOver = true;
    });
    while (!isOver) {
      turns.accepted();
      await new Promise(setImmediate);
    }
    const pauses = wentOn.slice(1).map((at, index) => at - (wentOn[index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(LIMITS.loopAcceptingPauseMs);
  });

  it('do small pieces together', async () => {
    const turns = new LoopTurns();
    const pieces = Array.from({ length: 1000 }, () => turns.take('arrived'));
    expect(await turnsUntil(Promise.all(pieces))).toBeLessThan(pieces.length / 10);
  });

  it('come for everybody who waits', async () => {
    const turns = new LoopTurns();
    for (let round = 0; round < 50; round += 1) {
      let done = 0;
      const pieces = Array.from({ length: 1 + (round % 7) }, async () => {
        for (let step = 0; step < 3; step += 1) {
          await turns.take('arrived');
          work(LIMITS.loopTurnMs * 0.6);
        }
        done += 1;
      });
      await Promise.all(pieces);
      expect(done).toBe(pieces.length);
    }
  });
});
