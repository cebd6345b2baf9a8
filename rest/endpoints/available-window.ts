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
      'Only where no key is listed: from when to when the group has data, of the probe if one was ' +
      'chosen, as `FROM/TO` in seconds since 1970. It is absent where there are none.',
    required: false,
    schema: { type: 'string', pattern: '^\\d+/\\d+$' },
  },
};
