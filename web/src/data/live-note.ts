import type { Fault } from '../api/fault.ts';
import type { StreamState } from '../api/use-stream.ts';
import { longDuration } from '../format/moment.ts';

export type LiveCourse = {
  readonly stream: StreamState;
  /** Why the newest answer is not shown; null if it is. */
  readonly fault: Fault | null;
  /** When data last arrived, by the browser's clock; null: unknown. */
  readonly newestAtMs: number | null;
  /** How long no data may arrive before the page says so. */
  readonly patienceMs: number;
};

/** Why a live view is out of date: a short text that seldom changes, and the details. */
export type LiveNote = { readonly short: string; readonly detail: string };

const CANNOT_BE_SHOWN = 'The newest data cannot be shown.';

/** Returns the note; null if the view is up to date. */
export function liveNote(course: LiveCourse, nowMs: number): LiveNote | null {
  const { stream, fault, newestAtMs, patienceMs } = course;
  if (stream.kind === 'lost') {
    const { kind, message } = stream.fault;
    if (kind === 'page') return { short: CANNOT_BE_SHOWN, detail: `Retrying. ${message}.` };
    const why = kind === 'unreachable' ? '' : ` ${message}.`;
    return { short: 'Connection lost.', detail: `Reconnecting.${why}` };
  }
  if (fault) return { short: CANNOT_BE_SHOWN, detail: `${fault.message}.` };
  const idleMs = newestAtMs === null ? 0 : nowMs - newestAtMs;
  if (stream.kind !== 'open' || idleMs < patienceMs) return null;
  const minutes = Math.floor(idleMs / 60_000);
  return { short: 'No new data', detail: `for ${longDuration(minutes * 60)}.` };
}
