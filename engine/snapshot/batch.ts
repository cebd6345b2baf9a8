import { setImmediate } from 'node:timers';
import DataLoader from 'dataloader';
import type { Deadline } from '../../db/session/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import { yieldToEventLoop } from './event-loop-scheduler.ts';

/** See NodeReader. */
type Scheduled = { readonly batchScheduleFn: (dispatch: () => void) => void };

/** Loads the rows of a relation "one parent, many rows", in the order of the statement. */
export const manyLoader = <Id extends string | number, Row>(
  { batchScheduleFn }: Scheduled,
  select: (ids: readonly Id[]) => Promise<readonly Row[]>,
  parentOf: (row: Row) => Id,
): DataLoader<Id, Row[]> =>
  new DataLoader(
    async (ids) => {
      const rows = groupBy(await select(ids), parentOf);
      return ids.map((id) => rows.get(id) ?? []);
    },
    { batchScheduleFn },
  );

/** Loads the single row of a relation, or null. */
export const oneLoader = <Key, Row, CacheKey = Key>(
  { batchScheduleFn }: Scheduled,
  select: (keys: readonly Key[]) => Promise<readonly Row[]>,
  cacheKeyOf: (key: Key) => CacheKey,
  rowKeyOf: (row: Row) => CacheKey,
): DataLoader<Key, Row | null, CacheKey> =>
  new DataLoader(
    async (keys) => {
      const rows = new Map<CacheKey, Row>();
      for (const row of await select(keys)) rows.set(rowKeyOf(row), row);
      return keys.map((key) => rows.get(cacheKeyOf(key)) ?? null);
    },
    { batchScheduleFn, cacheKeyFn: cacheKeyOf },
  );

/**
 * Returns the answers to `keys` in their order, with one statement per time limit; ordinarily all
 * keys have the same limit. If a statement fails, only its own keys fail.
 */
export async function byDeadline<Key extends { deadline: Deadline | null }, Value>(
  keys: readonly Key[],
  select: (keys: readonly Key[], deadline: Deadline | null) => Promise<readonly Value[]>,
): Promise<(Value | Error)[]> {
  const answers = new Map<Key, Value | Error>();
  const batches = groupBy(keys, ({ deadline }) => deadline?.seconds ?? null);
  await Promise.all(
    [...batches.values()].map(async (batch) => {
      try {
        const values = await select(batch, batch[0]?.deadline ?? null);
        batch.forEach((key, index) => {
          const value = values[index];
          answers.set(key, value === undefined ? new Error('a batch gave too little') : value);
        });
      } catch (error) {
        for (const key of batch) answers.set(key, error as Error);
      }
    }),
  );
  return keys.map((key) => answers.get(key) ?? new Error('a batch left a key out'));
}

/**
 * Decides when a batch of loads is read. Ordinarily that is as soon as everything that can run
 * without it has run. While work of the operation gives way to others, its batches wait for the
 * rest of that work: however long it takes, the operation reads by the same statements.
 */
export class BatchGate {
  /** Pieces of work that give way, or have just continued. */
  #waiting = 0;
  readonly #held: (() => void)[] = [];

  /** For DataLoader's `batchScheduleFn`. */
  readonly schedule = (dispatch: () => void): void => {
    // Like DataLoader itself: after all promises that are resolved by now.
    void Promise.resolve().then(() =>
      process.nextTick(() => {
        if (this.#waiting > 0) this.#held.push(dispatch);
        else dispatch();
      }),
    );
  };

  /** Gives way to other requests, while the batches wait. */
  async giveWay(): Promise<void> {
    this.close();
    await yieldToEventLoop();
    this.open();
  }

  /** Call it when a piece of work gives way; each call needs one of `open`. */
  close(): void {
    this.#waiting += 1;
  }

  /** Call it when a piece of work continues. */
  open(): void {
    // Only then has it reached its own loads: what DataLoader remembers also takes a while.
    setImmediate(() => {
      this.#waiting -= 1;
      if (this.#waiting > 0) return;
      for (const dispatch of this.#held.splice(0)) dispatch();
    });
  }
}
