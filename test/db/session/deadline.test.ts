import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { onEndOf } from '../../../db/session/deadline.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const deadlineIn = (ms: number) => ({ seconds: ms / 1000, until: performance.now() + ms });

it('never ends early, though timers count only whole milliseconds', () => {
  const end = vi.fn();
  onEndOf(deadlineIn(10.6), end);
  vi.advanceTimersByTime(10);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledTimes(1);
});

it('waits longer than a timer can', () => {
  const end = vi.fn();
  const days = 30 * 86_400_000;
  onEndOf(deadlineIn(days), end);
  vi.advanceTimersByTime(days - 1);
  expect(end).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledTimes(1);
});

it('does not end once it is prevented, or without a limit', () => {
  const end = vi.fn();
  onEndOf(deadlineIn(10), end)();
  onEndOf(null, end)();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(20);
  expect(end).not.toHaveBeenCalled();
});
