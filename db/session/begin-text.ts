import { BACKEND_PID } from '../connection/backend-pid.ts';
import type { Pooler } from '../connection/pooler.ts';
import type { Statement } from '../connection/statement.ts';
import { setSessionName } from './session-name.ts';

/** PostgreSQL's JIT made every topper slower (measured; design). */
const BEGIN = 'begin isolation level repeatable read read only; set local jit = off';

export type Begin = {
  readonly pooler: Pooler;
  readonly requestId: string | null;
  /** A statement that says something of the snapshot, in the same round trip. */
  readonly check: string | null;
};

/** What begins a transaction that reads one snapshot, and what came of it. */
export function beginText({ pooler, requestId, check }: Begin): {
  readonly statement: Statement;
  readonly read: (result: unknown) => Begun;
} {
  const askPid = pooler.isPresent ? BACKEND_PID : null;
  const parts = [BEGIN, setSessionName(requestId), askPid, check];
  return {
    statement: { query: 'begin', text: parts.filter((part) => part !== null).join('; ') },
    read(result) {
      // Of several statements in one text there are as many results.
      const results = [result].flat() as readonly { rows: readonly unknown[] }[];
      const told = askPid && (results.at(check ? -2 : -1)?.rows[0] as { pid?: number } | undefined);
      return { pid: told?.pid ?? null, rows: results.at(-1)?.rows ?? [] };
    },
  };
}

export type Begun = {
  /** The server process of the transaction, behind a pooler. */
  readonly pid: number | null;
  /** Of the check. */
  readonly rows: readonly unknown[];
};
