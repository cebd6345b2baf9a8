import { type Connection, readOn } from '../../../db/connection/connection.ts';
import type { NotifiedEvent } from '../../../db/sql/alert-deliveries.ts';
import type { KeyKind, SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { describeKeys } from '../../../engine/keys/describe-keys.ts';
import { labelOf, readableOf } from '../../../resolvers/keys.ts';

/** An event with the current names of its key; null: the event is about the whole group. */
export type Notification = {
  readonly event: NotifiedEvent;
  readonly readable: string | null;
  readonly label: string | null;
};

/** Looks up the names of all keys in one statement. */
export async function describeEvents(
  connection: Connection,
  events: readonly NotifiedEvent[],
): Promise<Notification[]> {
  const keyed = events.flatMap((event) => (event.key === null ? [] : [{ event, key: event.key }]));
  const named = keyed.map(({ event, key }) => ({ group: describedGroup(event), key }));
  const rows = await describeKeys({ read: readOn(connection) }, named, null);
  const rowOf = new Map(keyed.map(({ event }, i) => [event, rows[i]]));
  return events.map((event) => {
    const row = rowOf.get(event);
    if (!row) return { event, readable: null, label: null };
    const key = { group: namedGroup(event), row };
    return { event, readable: readableOf(key), label: labelOf(key) };
  });
}

const describedGroup = ({ keysGroupId, keyKind, parts }: NotifiedEvent) => ({
  keysGroupId,
  isCrossKey: keyKind === 'crosskey',
  partGroupIds: parts.map((part) => part?.groupId ?? null),
});

const namedGroup = ({ keyKind, parts }: NotifiedEvent) =>
  keyKind === 'crosskey'
    ? { crosskey: {}, kinds: parts.map((part) => simpleKind(part?.keyKind)) }
    : { crosskey: null, kinds: [keyKind] };

/** A part is never itself a cross-key (decision 31). If its group is gone, it is plain text. */
const simpleKind = (kind: KeyKind | undefined): SimpleKeyKind =>
  kind === undefined || kind === 'crosskey' ? 'text' : kind;
