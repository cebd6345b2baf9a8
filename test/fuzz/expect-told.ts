import { expect } from 'vitest';
import { ERRORS, type ErrorKind } from '../../domain/errors.ts';
import type { HttpAnswer } from '../support/http/http-call.ts';

/** A case that takes longer hangs. */
export const PATIENCE_MS = 20_000;

/**
 * What no answer may contain: SQL, locations in the code or on disk, addresses, secrets. Messages
 * may repeat parts of requests, so the tests send none of these.
 */
const LEAKS = [
  /\b(select|insert|update|delete|declare|copy)\b[^"]*\b(from|into|set|cursor|to stdout)\b/i,
  /\b(relation|column|operator|function|constraint) \\?"?\w+\\?"? (does not exist|is violated)/i,
  /syntax error at or near|SQLSTATE|pg_catalog|topper_blocks|search_path/i,
  /\bat \S+ \(|\.(ts|js|mjs|cjs):\d+|node_modules|node:internal|dist\/|file:\/\//,
  /(^|[\s"'(])\/(tmp|home|root|usr|var|etc|proc|opt|work)\//,
  /127\.0\.0\.1|localhost|::1\b|postgres(ql)?:\/\/|ECONN|EPIPE/,
  /ada-token|password|secret/i,
  /RangeError|TypeError|ReferenceError|SyntaxError|originalError|Maximum call stack|is not a function|undefined/,
];

export function expectNoLeak(answer: string): void {
  // Callers may see where a pool is mounted.
  const text = answer.replaceAll(/"mounted":"[^"]*"/g, '');
  const leaks = LEAKS.filter((pattern) => pattern.test(text));
  expect(leaks, text.slice(0, 2000)).toEqual([]);
}

/** Defects, and errors that cannot occur while the database works. */
const NEVER: readonly ErrorKind[] = ['internal', 'unreachable', 'conflict'];

const ROWS = Object.entries(ERRORS)
  .filter(([kind]) => !NEVER.includes(kind as ErrorKind))
  .map(([, { status, code, message }]) => ({ status, code, message: shapeOf(message) }));

/** Turns a message of the table into a pattern that allows anything in its placeholders. */
function shapeOf(message: string): RegExp {
  const parts = message
    .split(/<[^>]+>/)
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`);
}

const CSV = 'text/csv; charset=utf-8; header=present';

/** A REST answer is a 200 in JSON or CSV, or an error of the table in the specified format. */
export function expectTold({ status, headers, text }: HttpAnswer): void {
  expectNoLeak(text);
  if (status === 200 && headers['content-type'] === CSV) {
    expect(text).toMatch(/^(rank,key,[\s\S]*\r\nothers,[^\r]*|at,key,(label,)?value[\s\S]*)\r\n$/);
    return;
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const body = JSON.parse(text) as { status?: unknown; message?: unknown };
  if (status === 200) return;
  expect(Object.keys(body)).toEqual(['status', 'message']);
  const { message } = body;
  const isOfTable = ROWS.some((row) => row.status === status && row.message.test(String(message)));
  expect({ isOfTable, status, message }).toEqual({ isOfTable: true, status, message });
}
