import { invalidWindow } from '../../domain/errors.ts';
import {
  durationRequest,
  intervalRequest,
  recentRequest,
  type WindowRequest,
} from '../../domain/time/window.ts';
import { windowDate } from '../../domain/time/window-date.ts';
import { integerParameter, type Parameter, textParameter } from './parameter.ts';
import type { Parameters } from './parameters.ts';

const FROM_TS = integerParameter({
  name: 'window_fromts',
  meaning: 'start of the window, in seconds since 1970',
  example: 1_784_109_600,
});

const TO_TS = integerParameter({
  name: 'window_tots',
  meaning: 'its end, exclusive; with `window_fromts`',
  example: 1_784_113_200,
});

const SECONDS = integerParameter({
  name: 'window_seconds',
  meaning: 'its length with `window_fromts`; otherwise the same as `recentsecs`',
  example: 3600,
});

const RECENT = integerParameter({
  name: 'recentsecs',
  meaning: 'the latest seconds of available data',
  example: 3600,
});

const dateParameter = (name: string, meaning: string, example: string) =>
  textParameter({ name, meaning, example, form: 'date' });

const FROM_DATES = [
  dateParameter(
    'from_date',
    'start of the window: `2026-07-15`, `2026-07-15T10:00` or `2026-07-15T10:00:00`, each with ' +
      '`Z`, with an offset such as `+02:00` or in `time_zone`, and with a fraction of a second, ' +
      'which is dropped; or `Jul 15 2026 10:00:00 AM`',
    '2026-07-15T10:00:00Z',
  ),
  dateParameter(
    'from_time',
    'the same, read where `from_date` is not given',
    'Jul 15 2026 10:00:00 AM',
  ),
] as const;

const TO_DATES = [
  dateParameter(
    'to_date',
    'its end, exclusive, in the same forms; with `from_date`',
    '2026-07-15T11:00:00Z',
  ),
  dateParameter(
    'to_time',
    'the same, read where `to_date` is not given',
    'Jul 15 2026 11:00:00 AM',
  ),
] as const;

/** In the order of the rules that they belong to. */
export const WINDOW_PARAMETERS: readonly Parameter<unknown>[] = [
  FROM_TS,
  SECONDS,
  TO_TS,
  ...FROM_DATES,
  ...TO_DATES,
  RECENT,
];

/**
 * Applies the window rules of the specification in their order. Once a rule is complete, the
 * parameters of lower rules are not even read. A start without an end, or an end without a start,
 * is an error, also together with `recentsecs` (decision 22).
 */
export function decodeWindow(parameters: Parameters, timeZone: string): WindowRequest {
  return (
    fixedStart(parameters) ?? // Spec, window rules 1 and 2.
    dateRange(parameters, timeZone) ?? // Spec, window rule 3.
    latest(parameters) ?? { kind: 'today' } // Spec, window rules 4 and 5.
  );
}

function fixedStart(parameters: Parameters): WindowRequest | null {
  const from = FROM_TS.read(parameters);
  if (from === null) {
    if (TO_TS.read(parameters) === null) return null;
    throw invalidWindow('window_tots must come with window_fromts, which is missing');
  }
  const seconds = SECONDS.read(parameters);
  if (seconds !== null) {
    return durationRequest(from, seconds, { from: FROM_TS.name, seconds: SECONDS.name });
  }
  const to = TO_TS.read(parameters);
  if (to !== null) return intervalRequest(from, to, { from: FROM_TS.name, to: TO_TS.name });
  throw invalidWindow(
    'window_fromts must come with window_seconds or window_tots, which are both missing',
  );
}

function dateRange(parameters: Parameters, timeZone: string): WindowRequest | null {
  const from = dateOf(parameters, FROM_DATES, timeZone);
  const to = dateOf(parameters, TO_DATES, timeZone);
  if (from && to) return intervalRequest(from.at, to.at, { from: from.name, to: to.name });
  if (from) throw invalidWindow(`${from.name} must come with to_date, which is missing`);
  if (to) throw invalidWindow(`${to.name} must come with from_date, which is missing`);
  return null;
}

/** Decision 21: the alias is read when the name itself is absent. */
function dateOf(
  parameters: Parameters,
  names: readonly Parameter<string | null>[],
  timeZone: string,
): { name: string; at: number } | null {
  for (const parameter of names) {
    const text = parameter.read(parameters);
    if (text === null) continue;
    const at = windowDate(withPlus(text), parameter.name, timeZone);
    return { name: parameter.name, at };
  }
  return null;
}

/** In a URL, a `+` not written as `%2B` is a space. No date has a space there. */
const withPlus = (text: string): string =>
  text.replace(/^(\S{10}T\d{2}:\d{2}(?::\d{2})?) (\d{2}(?::?\d{2})?)$/, '$1+$2');

function latest(parameters: Parameters): WindowRequest | null {
  for (const parameter of [RECENT, SECONDS]) {
    const seconds = parameter.read(parameters);
    if (seconds !== null) return recentRequest(seconds, parameter.name);
  }
  return null;
}
