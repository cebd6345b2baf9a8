import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { LIMITS } from '../domain/limits.ts';
import { readRequestLine } from './read-requests.ts';
import type { NumberedRequest } from './run-parity.ts';

export type LoadedRequests = {
  /** Distinct requests. */
  readonly requests: readonly NumberedRequest[];
  /** Number of requests that repeat one from an earlier line. */
  readonly repeated: number;
  /**
   * Lines that are not a GET of a legacy endpoint: the count and the first line, by reason.
   */
  readonly leftOut: ReadonlyMap<string, { readonly count: number; readonly firstLine: number }>;
};

/** Reads requests, one per line. Errors: more than `LIMITS.parityRequests` different requests. */
export async function loadRequests(input: Readable): Promise<LoadedRequests> {
  const requests = new Map<string, NumberedRequest>();
  const leftOut = new Map<string, { count: number; firstLine: number }>();
  let line = 0;
  let repeated = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    const read = readRequestLine(text);
    if (read.kind === 'left out') {
      const { count, firstLine } = leftOut.get(read.reason) ?? { count: 0, firstLine: line };
      leftOut.set(read.reason, { count: count + 1, firstLine });
    }
    if (read.kind !== 'requests') continue;
    for (const request of read.requests) {
      const name = `${request.endpoint} ${request.query}`;
      if (requests.has(name)) repeated += 1;
      else requests.set(name, { line, request });
    }
    if (requests.size > LIMITS.parityRequests) {
      throw new Error(
        `there must be at most ${LIMITS.parityRequests.toLocaleString('en')} different requests, ` +
          `and line ${line} has one more: give a part of the log`,
      );
    }
  }
  return { requests: [...requests.values()], repeated, leftOut };
}
