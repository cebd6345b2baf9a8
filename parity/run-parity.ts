import { LIMITS } from '../domain/limits.ts';
import type { Interval } from '../domain/time/interval.ts';
import { type AnswerKind, HOST_FIELDS, isAmong } from './answer-fields.ts';
import { askService, type ReplayTarget, type Reply } from './ask-service.ts';
import { compareAnswers, type Difference } from './compare-answers.ts';
import { namesWindow } from './legacy-endpoint.ts';
import type { ReplayedRequest } from './read-requests.ts';

/** A request and the number of the line where it first appeared. */
export type NumberedRequest = { readonly line: number; readonly request: ReplayedRequest };

export type ParityOptions = {
  readonly legacy: ReplayTarget;
  readonly ours: ReplayTarget;
  readonly requests: readonly NumberedRequest[];
  /**
   * Provides the window for toppers that name none, so that both services are asked for the same
   * one.
   */
  readonly windowOf: (request: ReplayedRequest) => Interval;
  /** Also compares fields that depend on the host and not on the data. */
  readonly strict: boolean;
  /** Fields to ignore, as dotted paths without indexes. */
  readonly ignored: readonly string[];
  readonly signal: AbortSignal;
  readonly onCompared: (asked: NumberedRequest, differences: readonly Difference[]) => void;
};

/** Number of requests by outcome. */
export type ParityReport = {
  readonly requests: number;
  readonly differing: number;
  readonly differences: number;
  /**
   * Among requests without differences: rejected by both services, or toppers without keys in both.
   */
  readonly refused: number;
  readonly withoutKeys: number;
  /** Among the refused: whose credentials neither service accepts. */
  readonly unauthenticated: number;
};

/**
 * Replays requests against both services, several at a time, and compares the answers. Differences
 * are reported in the order of the requests. Errors: `Unreachable`.
 */
export async function runParity(options: ParityOptions): Promise<ParityReport> {
  const { requests } = options;
  const report = {
    requests: 0,
    differing: 0,
    differences: 0,
    refused: 0,
    withoutKeys: 0,
    unauthenticated: 0,
  };
  for (let start = 0; start < requests.length; start += LIMITS.parityAtOnce) {
    const batch = requests.slice(start, start + LIMITS.parityAtOnce);
    const compared = await Promise.all(batch.map((each) => replay(options, each)));
    for (const [index, { differences, refusal, isWithoutKeys }] of compared.entries()) {
      report.requests += 1;
      report.differences += differences.length;
      if (differences.length > 0) report.differing += 1;
      else if (refusal !== null) report.refused += 1;
      else if (isWithoutKeys) report.withoutKeys += 1;
      if (differences.length === 0 && refusal === 401) report.unauthenticated += 1;
      options.onCompared(batch[index] as NumberedRequest, differences);
    }
  }
  return report;
}

type Compared = {
  readonly differences: readonly Difference[];
  /** The status with which our service refused the request; null if it did not. */
  readonly refusal: number | null;
  readonly isWithoutKeys: boolean;
};

async function replay(options: ParityOptions, { request }: NumberedRequest): Promise<Compared> {
  const asked = withWindow(request, options.windowOf);
  const [legacy, ours] = await Promise.all([
    askService(options.legacy, asked, options.signal),
    askService(options.ours, asked, options.signal),
  ]);
  const left = options.strict ? options.ignored : [...options.ignored, ...HOST_FIELDS];
  const differences = compareReplies(request, legacy, ours).filter(
    ({ field }) => !isAmong(field, left),
  );
  return {
    differences,
    refusal: ours.kind === 'answer' && ours.status >= 400 ? ours.status : null,
    isWithoutKeys: request.endpoint === 'topper' && !hasKeys(ours),
  };
}

const hasKeys = (reply: Reply): boolean => {
  const body = reply.kind === 'answer' ? reply.body : null;
  if (typeof body !== 'object' || body === null || !('keys' in body)) return false;
  return Array.isArray(body.keys) && body.keys.length > 0;
};

function withWindow(
  request: ReplayedRequest,
  windowOf: ParityOptions['windowOf'],
): ReplayedRequest {
  const { endpoint, query } = request;
  if (endpoint !== 'topper' || namesWindow(query)) return request;
  const { from, to } = windowOf(request);
  const explicit = new URLSearchParams(query);
  explicit.set('window_fromts', String(from));
  explicit.set('window_tots', String(to));
  return { endpoint, query: explicit };
}

function compareReplies(request: ReplayedRequest, legacy: Reply, ours: Reply): Difference[] {
  if (legacy.kind === 'answer' && ours.kind === 'answer' && legacy.status === ours.status) {
    const kind: AnswerKind = legacy.status < 400 ? request.endpoint : 'error';
    return compareAnswers(kind, { legacy: legacy.body, ours: ours.body });
  }
  // Also if both have the same fault: without two answers, nothing was compared.
  return [{ field: 'http_status', at: '', legacy: statusText(legacy), ours: statusText(ours) }];
}

function statusText(reply: Reply): string {
  if (reply.kind === 'fault') return reply.fault;
  const { status, body } = reply;
  if (status < 400 || typeof body !== 'object' || body === null) return String(status);
  return 'message' in body ? `${status} (${String(body.message)})` : String(status);
}
