import fc from 'fast-check';
import type { LeafValues } from '../random/random-values.ts';

/** What a test service can be asked about. */
export type LabFacts = {
  readonly contexts: readonly string[];
  readonly groups: readonly string[];
  readonly crosskeyGroups: readonly string[];
  readonly keys: readonly string[];
  readonly meters: readonly number[];
  readonly probes: readonly string[];
  readonly nodes: readonly string[];
  /** Global ids. */
  readonly ids: readonly string[];
  /** Roughly the time span of the readings. */
  readonly from: number;
  readonly to: number;
};

/** Values that mostly find something, for `randomDocuments` over the service's schema. */
export function labValues(facts: LabFacts): LeafValues {
  const time = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: facts.from - 600, max: facts.to + 600 }) },
    { weight: 1, arbitrary: fc.constantFrom(-1, 0, 253_402_300_799, 253_402_300_800) },
  );
  const seconds = fc.constantFrom(-60, 0, 1, 60, 300, 900, 3600, 86_400);
  const key = mostly(facts.keys, 'no such key', '');
  const cidr = mostly(['192.168.0.0/16', '10.0.0.1', '::/0'], '300.1.1.1/8');
  const pattern = mostly(['^[a-k]', '.', '1$', '(?i)A'], '(', '^$');
  const guid = mostly(facts.groups, '{00000000-0000-4000-8000-000000000000}');
  const date = mostly(
    [dateText(facts.from), dateText(facts.to), isoText(facts.from), isoText(facts.to)],
    'yesterday',
    '2024-02-30',
  );
  return {
    'Query.context.name': mostly(facts.contexts, 'nowhere'),
    'Query.node.id': mostly(facts.ids, '', 'bm9uZQ=='),
    'Query.nodes.ids': mostly(facts.ids, '', 'bm9uZQ=='),
    destinationNode: mostly(['primary', ...facts.nodes], 'nowhere'),
    guid,
    guids: guid,
    crosskey: mostly(facts.crosskeyGroups, ...facts.groups.slice(0, 1)),
    Guid: guid,
    EpochSeconds: time,
    'DateRangeInput.from': date,
    'DateRangeInput.to': date,
    'WindowDurationInput.seconds': seconds,
    recentSeconds: seconds,
    step: seconds,
    ago: seconds,
    timeoutSeconds: fc.constantFrom(0, 30, 60),
    timeZone: mostly(['UTC', 'Europe/Berlin', 'Asia/Kolkata'], 'Nowhere/Else'),
    probe: mostly(facts.probes, 'no such probe'),
    meter: mostly(facts.meters, 99),
    index: mostly(facts.meters, 99),
    maxItems: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
      { weight: 1, arbitrary: fc.constantFrom(-1, 0, 10_000, 10_001) },
    ),
    first: fc.constantFrom(-1, 0, 1, 2, 50, 1000, 1001),
    ranks: fc.constantFrom(0, 12.5, 50, 95, 99.9, 100, -1, 101),
    key,
    after: key,
    'Context.alertEvents.after': fc.constantFrom('', FIRST_EVENT),
    'Context.alertEvents.alert': mostly(['big'], 'no such alert', ''),
    'KeyFilterInput.keys': key,
    'KeyFilterInput.excludeKeys': key,
    cidr,
    excludeCidr: cidr,
    match: pattern,
    exclude: pattern,
    search: fc.constantFrom('', 'a', 'K1', 'é', 'nothing like it'),
    // For introspection.
    'Query.__type.name': fc.constantFrom('Query', 'WindowInput', 'KeyKind', 'Nothing'),
  };
}

/** The cursor of an event that need not exist. */
const FIRST_EVENT = Buffer.from('event:1:00000000-0000-0000-0000-000000000000').toString(
  'base64url',
);

/** Draws a good value nine times in ten, if there are any. */
function mostly<T>(good: readonly T[], ...bad: readonly T[]): fc.Arbitrary<T> {
  const others = { weight: 1, arbitrary: fc.constantFrom(...bad) };
  if (good.length === 0) return others.arbitrary;
  return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...good) }, others);
}

const isoText = (at: number): string => new Date(at * 1000).toISOString();

/** `Jul 15 2026 10:00:00 AM`, in UTC. */
function dateText(at: number): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
    hour12: true,
  }).formatToParts(at * 1000);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  const time = `${of('hour')}:${of('minute')}:${of('second')} ${of('dayPeriod')}`;
  return `${of('month')} ${of('day')} ${of('year')} ${time}`;
}
