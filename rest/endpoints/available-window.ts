import type { Interval } from '../../domain/time/interval.ts';
import type { Rendered } from '../../resolvers/request-scope.ts';
import type { JsonSchema } from '../json-schema.ts';

const NAME = 'x-available-window';

/** Decisions, section 11: an answer without keys tells its caller when there is data. */
export const withAvailableWindow = (rendered: Rendered, available: Interval | null): Rendered => {
  if (!available) return rendered;
  const { from, to } = available;
  return { ...rendered, headers: { ...rendered.headers, [NAME]: `${from}/${to}` } };
};

export const AVAILABLE_WINDOW_HEADER: Readonly<Record<string, JsonSchema>> = {
  [NAME]: {
    description:
      'Only if no key is listed: the time range in which the group, or the chosen probe, has data, ' +
      'as `FROM/TO` in seconds since 1970. Absent if there is no data.',
    required: false,
    schema: { type: 'string', pattern: '^\\d+/\\d+$' },
  },
};
