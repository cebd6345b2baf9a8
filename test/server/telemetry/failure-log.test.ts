import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serviceError } from '../../../domain/errors.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { createLog, FailureLog } from '../../../server/telemetry/log.ts';

let lines: { level: number; count: number; reason: string }[];
let failures: FailureLog;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  const output = new Writable({
    write(line, _, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  failures = new FailureLog(createLog('info', output, null));
});

afterEach(() => {
  failures.close();
  vi.useRealTimers();
});

const unreachable = (reason: string) =>
  serviceError('unreachable', {}, { cause: new Error(reason), node: 'primary' });

it('a reason is news once a minute, and its repetitions are one line', () => {
  const isNews = [1, 2, 3].map(() => failures.isNews('failed', unreachable('refused')));
  expect(isNews).toEqual([true, false, false]);
  vi.advanceTimersByTime(LIMITS.repeatedFailureMs);
  expect(lines).toMatchObject([{ level: 40, kind: 'unreachable', reason: 'refused', count: 2 }]);
  expect(failures.isNews('failed', unreachable('refused'))).toBe(true);
});

it('another reason is news', () => {
  expect(failures.isNews('failed', unreachable('refused'))).toBe(true);
  expect(failures.isNews('failed', unreachable('reset'))).toBe(true);
  vi.advanceTimersByTime(LIMITS.repeatedFailureMs);
  expect(lines).toEqual([]);
});

it('a defect is news each time', () => {
  const defect = new Error('of ours');
  expect([1, 2].map(() => failures.isNews('failed', defect))).toEqual([true, true]);
});

it('what is not told yet is told at the end', () => {
  failures.isNews('failed', unreachable('refused'));
  failures.isNews('failed', unreachable('refused'));
  failures.close();
  expect(lines).toMatchObject([{ count: 1 }]);
});
