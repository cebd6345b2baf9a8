import { invalidWindow } from '../domain/errors.ts';
import { parseHumanDate } from '../domain/human-date.ts';
import {
  durationRequest,
  intervalRequest,
  recentRequest,
  type WindowRequest,
} from '../domain/window.ts';
import type { Parameters } from './parameters.ts';

/**
 * The window rules of the specification in their order. A complete higher rule makes the lower
 * ones' parameters irrelevant: they are not even read. A start or an end without its partner is an
 * error, also beside `recentsecs` (decision 22).
 */
export function decodeWindow(parameters: Parameters, timeZone: string): WindowRequest {
  return (
    fixedStart(parameters) ?? // Spec, window rules 1 and 2.
    dateRange(parameters, timeZone) ?? // Spec, window rule 3.
    latest(parameters) ?? { kind: 'today' } // Spec, window rule 4. // Spec, window rule 5.
  );
}

function fixedStart(parameters: Parameters): WindowRequest | null {
  const from = parameters.integer('window_fromts');
  if (from === null) {
    if (parameters.integer('window_tots') === null) return null;
    throw invalidWindow('window_tots must come with window_fromts, which is missing');
  }
  const seconds = parameters.integer('window_seconds');
  if (seconds !== null) {
    return durationRequest(from, seconds, { from: 'window_fromts', seconds: 'window_seconds' });
  }
  const to = parameters.integer('window_tots');
  if (to !== null) return intervalRequest(from, to, { from: 'window_fromts', to: 'window_tots' });
  throw invalidWindow(
    'window_fromts must come with window_seconds or window_tots, which are both missing',
  );
}

function dateRange(parameters: Parameters, timeZone: string): WindowRequest | null {
  const from = dateOf(parameters, 'from_date', 'from_time', timeZone);
  const to = dateOf(parameters, 'to_date', 'to_time', timeZone);
  if (from && to) return intervalRequest(from.at, to.at, { from: from.name, to: to.name });
  if (from) throw invalidWindow(`${from.name} must come with to_date, which is missing`);
  if (to) throw invalidWindow(`${to.name} must come with from_date, which is missing`);
  return null;
}

/** Decision 21: the alias is read when the name itself is absent. */
function dateOf(
  parameters: Parameters,
  name: string,
  alias: string,
  timeZone: string,
): { name: string; at: number } | null {
  const given = [name, alias].find((candidate) => parameters.list(candidate).length > 0);
  const text = given && parameters.text(given);
  if (!given || !text) return null;
  const at = parseHumanDate(text, timeZone);
  if (at === null) throw notADate(given, text);
  return { name: given, at };
}

/** Decision 21, in its words. */
const notADate = (name: string, text: string) =>
  invalidWindow(`${name} must look like "Jul 15 2026 10:00:00 AM", got ${JSON.stringify(text)}`);

function latest(parameters: Parameters): WindowRequest | null {
  for (const name of ['recentsecs', 'window_seconds']) {
    const seconds = parameters.integer(name);
    if (seconds !== null) return recentRequest(seconds, name);
  }
  return null;
}
