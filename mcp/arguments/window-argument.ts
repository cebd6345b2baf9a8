import { LIMITS } from '../../domain/limits.ts';
import { MAX_EPOCH_SECONDS } from '../../domain/time/interval.ts';
import { fields, integer, oneOf, text } from './forms.ts';

/** The range of times allowed in windows (decision 22); the last day is 9999-12-31. */
const epoch = () => integer(0, MAX_EPOCH_SECONDS);

const seconds = () => integer(1, LIMITS.seriesStepSeconds);

const date = () => text('a date such as 2026-07-15T10:00:00Z');

const PRESETS = ['LATEST_TOPPER_BUCKET', 'ALL_AVAILABLE', 'TODAY', 'YESTERDAY'] as const;

/** GraphQL's `WindowInput`; `zone` is that of dates without an offset. */
const windowFields = (zone: string) =>
  fields({
    dates: fields({ from: date(), to: date() })
      .optional()
      .describe(`ISO 8601, with \`Z\` or an offset, or in ${zone}; \`to\` is not included.`),
    interval: fields({ from: epoch(), to: epoch() })
      .optional()
      .describe('Seconds since 1970-01-01T00:00:00Z; `to` is not included.'),
    preset: oneOf(PRESETS)
      .optional()
      .describe('LATEST_TOPPER_BUCKET is the newest complete one; ALL_AVAILABLE all data.'),
    recentSeconds: seconds()
      .optional()
      .describe('The most recent seconds of available data, whenever that was.'),
    startingAt: fields({ from: epoch(), seconds: seconds() })
      .optional()
      .describe('A start in seconds since 1970 and a length.'),
  })
    .refine((given) => Object.values(given).filter((each) => each !== undefined).length === 1, {
      error: 'must have exactly one of dates, interval, preset, recentSeconds, startingAt',
    })
    .optional();

export const windowArgument = () =>
  windowFields('`timeZone`').describe(
    'The time window, exactly one of its fields; left out: the current day until now. ' +
      '`{"recentSeconds": 3600}` is the newest hour that has data.',
  );

/** The window in which a key must have a reading. */
export const readingsWindow = () =>
  windowFields('the time zone of the server').describe(
    'Only keys with a reading of any meter in this window, even a zero; exactly one of its fields. ' +
      'Left out: all keys.',
  );

export const timeZone = () =>
  text('an IANA time zone')
    .optional()
    .describe('IANA name, for dates without an offset, presets and the default window.');
