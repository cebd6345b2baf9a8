import { describe, expect, it } from 'vitest';
import { type UnreadAnswer, UnreadAnswers } from '../../../server/connections/unread-answers.ts';

/** Larger than an answer that is rendered in any case. */
const BYTES = 100_000;

const NEVER = new AbortController().signal;

/** Room for two answers at an address, and for five altogether, on a clock that stands still. */
function openAnswers({ stuckReaderMs = 10 } = {}) {
  const clock = { ms: 0 };
  const limits = { unreadBytes: 5 * BYTES, unreadBytesPerAddress: 2 * BYTES, stuckReaderMs };
  return { clock, all: new UnreadAnswers(limits, () => clock.ms) };
}

/** An answer that is complete, but not taken, and whether its reader was disconnected. */
function complete(answer: UnreadAnswer, bytes: number) {
  const state = { answer, isDisconnected: false };
  answer.complete(bytes, () => {
    state.isDisconnected = true;
  });
  return state;
}

/** An answer of these bytes to an address, as it waits for its reader. */
const completed = (all: UnreadAnswers, address: string, bytes = BYTES) =>
  complete(all.open(address), bytes);

/** Postpones an answer, and shows whether it has begun or given up. */
function postpone(answer: UnreadAnswer, signal = NEVER) {
  const state = { answer, isBegun: false, reason: null as unknown };
  answer.turn(signal).then(
    () => {
      state.isBegun = true;
    },
    (reason: unknown) => {
      state.reason = reason;
    },
  );
  return state;
}

/** Lets everything run that is resolved by now. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('an answer', () => {
  it('may grow as long as its address has room', () => {
    const { all } = openAnswers();
    completed(all, 'a');
    const answer = all.open('a');
    expect(answer.grow(BYTES)).toBe(true);
    expect(all.bytes).toBe(2 * BYTES);
    expect(answer.grow(BYTES + 1)).toBe(false);
    // It was dropped.
    expect(all.bytes).toBe(BYTES);
    expect(all.open('b').grow(2 * BYTES)).toBe(true);
  });

  it('may not grow if the answers of all addresses have too many bytes', () => {
    const { all } = openAnswers();
    for (const address of ['a', 'b', 'c', 'd', 'e']) completed(all, address);
    expect(all.bytes).toBe(5 * BYTES);
    expect(all.open('f').grow(BYTES)).toBe(false);
    expect(all.bytes).toBe(5 * BYTES);
  });

  it('that is small is never postponed', () => {
    const { all } = openAnswers();
    for (const address of ['a', 'b', 'c']) completed(all, address, 2 * BYTES);
    for (const address of ['a', 'd']) expect(all.open(address).grow(65_536)).toBe(true);
  });

  it('to an address with a huge answer does not find less room at another', () => {
    const { all } = openAnswers();
    completed(all, 'a', 1000 * BYTES);
    expect(all.bytes).toBe(2 * BYTES);
    expect(all.open('a').grow(BYTES)).toBe(false);
    expect(all.open('b').grow(2 * BYTES)).toBe(true);
    expect(all.open('c').grow(BYTES)).toBe(true);
    expect(all.open('d').grow(BYTES)).toBe(false);
  });
});

describe('an answer that is postponed', () => {
  it('is rendered whatever its size once there is room', async () => {
    const { all } = openAnswers();
    const { answer: first } = completed(all, 'a', 3 * BYTES);
    const waiting = postpone(all.open('a'));
    await settled();
    expect(waiting.isBegun).toBe(false);
    first.take(BYTES);
    await settled();
    expect(waiting.isBegun).toBe(true);
    expect(waiting.answer.grow(1000 * BYTES)).toBe(true);
    complete(waiting.answer, 1000 * BYTES);
    // The bytes of a huge answer count for its address as they are.
    waiting.answer.take(998 * BYTES);
    expect(all.open('a').grow(BYTES)).toBe(false);
  });

  it('begins at once if there is room', async () => {
    const { all } = openAnswers();
    const waiting = postpone(all.open('a'));
    await settled();
    expect(waiting.isBegun).toBe(true);
  });

  it('is rendered one at a time and in order at its address, beside those of others', async () => {
    const { all } = openAnswers();
    const waiting = [1, 2, 3].map(() => postpone(all.open('a')));
    const other = postpone(all.open('b'));
    const begun = () => [...waiting, other].map(({ isBegun }) => isBegun);
    await settled();
    expect(begun()).toEqual([true, false, false, true]);
    waiting[0]?.answer.grow(3 * BYTES);
    const first = complete(waiting[0]?.answer ?? all.open('a'), 3 * BYTES);
    await settled();
    expect(begun()).toEqual([true, false, false, true]);
    first.answer.close();
    await settled();
    expect(begun()).toEqual([true, true, false, true]);
  });

  it('begins as soon as the one before it is complete and leaves room', async () => {
    const { all } = openAnswers();
    const first = postpone(all.open('a'));
    const second = postpone(all.open('a'));
    await settled();
    expect([first.isBegun, second.isBegun]).toEqual([true, false]);
    complete(first.answer, BYTES);
    await settled();
    expect(second.isBegun).toBe(true);
  });

  it('makes room for the next one if its caller goes while it is rendered', async () => {
    const { all } = openAnswers();
    const first = postpone(all.open('a'));
    const second = postpone(all.open('a'));
    await settled();
    first.answer.grow(5 * BYTES);
    first.answer.close();
    await settled();
    expect(second.isBegun).toBe(true);
  });

  it('leaves the queue if its caller gives up', async () => {
    const { all } = openAnswers();
    const first = completed(all, 'a', 3 * BYTES);
    const leaving = new AbortController();
    const left = postpone(all.open('a'), leaving.signal);
    const waiting = postpone(all.open('a'));
    leaving.abort('gone');
    left.answer.close();
    await settled();
    expect(left.reason).toBe('gone');
    first.answer.take(BYTES);
    await settled();
    expect([left.isBegun, waiting.isBegun]).toEqual([false, true]);
  });

  it('does not begin to wait if its caller has given up', () => {
    const { all } = openAnswers();
    expect(() => all.open('a').turn(AbortSignal.abort('gone'))).toThrow('gone');
    expect(all.addresses).toBe(0);
  });

  it('begins when another address has made room for the process', async () => {
    const { all } = openAnswers();
    const others = ['a', 'b', 'c'].map((address) => completed(all, address, 2 * BYTES));
    const waiting = postpone(all.open('d'));
    await settled();
    expect(waiting.isBegun).toBe(false);
    others[1]?.answer.take(BYTES);
    await settled();
    expect(waiting.isBegun).toBe(true);
  });
});

describe('a reader that takes nothing', () => {
  it('is disconnected once it has taken nothing for too long, those that took least first', async () => {
    const { all, clock } = openAnswers();
    const some = completed(all, 'a', 2 * BYTES);
    const most = completed(all, 'a', 2 * BYTES);
    const least = completed(all, 'a', BYTES);
    some.answer.take(2);
    most.answer.take(3);
    least.answer.take(1);
    clock.ms = 10;
    await expect.poll(() => some.isDisconnected).toBe(true);
    // The last one has as many bytes as its address may have.
    expect([least.isDisconnected, most.isDisconnected]).toEqual([true, false]);
    expect(all.bytes).toBe(2 * BYTES - 3);
  });

  it('is disconnected after one that took less, whatever their addresses', async () => {
    const { all, clock } = openAnswers();
    const readers = ['a', 'b', 'c'].map((address) => completed(all, address, 2 * BYTES));
    for (const [i, { answer }] of readers.entries()) answer.take(3 - i);
    clock.ms = 10;
    await expect.poll(() => readers.some(({ isDisconnected }) => isDisconnected)).toBe(true);
    expect(readers.map(({ isDisconnected }) => isDisconnected)).toEqual([false, false, true]);
  });

  it('is not disconnected if it took something a moment ago', async () => {
    const { all, clock } = openAnswers();
    const stuck = completed(all, 'a', 3 * BYTES);
    const reading = completed(all, 'a', 3 * BYTES);
    clock.ms = 9;
    reading.answer.take(1);
    clock.ms = 18;
    await expect.poll(() => stuck.isDisconnected).toBe(true);
    expect(reading.isDisconnected).toBe(false);
    // There still are too many bytes.
    clock.ms = 19;
    await expect.poll(() => reading.isDisconnected).toBe(true);
  });

  it('makes room for those who wait', async () => {
    const { all, clock } = openAnswers();
    completed(all, 'a', 3 * BYTES);
    const waiting = postpone(all.open('a'));
    clock.ms = 10;
    await expect.poll(() => waiting.isBegun).toBe(true);
  });
});

describe('everything is forgotten', () => {
  const isForgotten = ({ bytes, addresses }: UnreadAnswers) => bytes + addresses === 0;

  it('when readers have taken all, or are gone', async () => {
    const { all } = openAnswers();
    const read = completed(all, 'a', 3 * BYTES);
    const gone = completed(all, 'b', BYTES);
    read.answer.take(3 * BYTES);
    expect(all.bytes).toBe(BYTES);
    read.answer.close();
    gone.answer.close();
    expect(isForgotten(all)).toBe(true);
  });

  it('when a caller goes before the answer is complete', () => {
    const { all } = openAnswers();
    const answer = all.open('a');
    expect(answer.grow(BYTES)).toBe(true);
    answer.close();
    expect(isForgotten(all)).toBe(true);
  });

  it('however late the work for a caller that has gone comes', () => {
    const { all } = openAnswers();
    const { answer } = completed(all, 'a', 3 * BYTES);
    answer.close();
    answer.take(BYTES);
    expect(answer.grow(9 * BYTES)).toBe(true);
    complete(answer, 9 * BYTES);
    expect(isForgotten(all)).toBe(true);
  });

  it('when a caller gives up while it waits', async () => {
    const { all } = openAnswers();
    const first = completed(all, 'a', 3 * BYTES);
    const leaving = new AbortController();
    const waiting = postpone(all.open('a'), leaving.signal);
    first.answer.close();
    // It has begun, and fails afterwards.
    await settled();
    expect(waiting.isBegun).toBe(true);
    const next = postpone(all.open('a'), leaving.signal);
    leaving.abort('gone');
    await settled();
    expect(next.reason).toBe('gone');
    waiting.answer.close();
    expect(isForgotten(all)).toBe(true);
  });

  it('when an answer is dropped, and not asked for again', () => {
    const { all } = openAnswers();
    expect(all.open('a').grow(3 * BYTES)).toBe(false);
    expect(isForgotten(all)).toBe(true);
  });
});
