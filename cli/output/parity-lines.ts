import { printable } from '../../domain/text/printable.ts';
import type { Difference } from '../../parity/compare-answers.ts';
import { LEGACY_ENDPOINTS } from '../../parity/legacy-endpoint.ts';
import type { ReplayedRequest } from '../../parity/read-requests.ts';
import type { NumberedRequest, ParityReport } from '../../parity/run-parity.ts';
import { count, counted } from './counted.ts';

const SHOWN_CHARACTERS = 200;

/** Returns the path and query of a request, without the caller's credentials. */
function shownRequest({ endpoint, query }: ReplayedRequest): string {
  const shown = new URLSearchParams(query);
  shown.delete('api_token');
  shown.delete('username');
  return `${LEGACY_ENDPOINTS[endpoint].path}?${shown}`;
}

/** Formats a difference, as in `line 3, /api/…: keys.metric of C0.A8.01.0A: legacy 5, ours 6`. */
export function differenceLine({ line, request }: NumberedRequest, found: Difference): string {
  const { field, at, legacy, ours } = found;
  const place = at === '' ? field : `${field} of ${at}`;
  return printable(
    `line ${line}, ${shownRequest(request)}: ${place}: legacy ${shown(legacy)}, ours ${shown(ours)}`,
  );
}

const shown = (json: string | null): string => {
  if (json === null) return 'absent';
  return json.length > SHOWN_CHARACTERS ? `${json.slice(0, SHOWN_CHARACTERS)}…` : json;
};

/** Returns a difference as a line of JSON. */
export function differenceJson({ line, request }: NumberedRequest, found: Difference): string {
  const { field, at, legacy, ours } = found;
  return JSON.stringify({ line, request: shownRequest(request), field, at, legacy, ours });
}

/** Summarizes what was compared, with what should be known about it. */
export function paritySentence(report: ParityReport): string {
  const { requests, differing, refused, withoutKeys } = report;
  const notes: string[] = [];
  if (refused > 0) notes.push(`${count(refused)} refused by both services`);
  if (withoutKeys > 0) notes.push(`${count(withoutKeys)} toppers without keys in both`);
  const among = notes.length > 0 ? `, of them ${notes.join(' and ')}` : '';
  return `replayed ${counted(requests, 'request')}: ${count(requests - differing)} answered the same${among}`;
}

/** Says why the command fails. */
export const parityVerdict = ({ requests, differing, differences }: ParityReport): string =>
  `answers to ${count(differing)} of ${counted(requests, 'request')} differ, in ` +
  counted(differences, 'field');
