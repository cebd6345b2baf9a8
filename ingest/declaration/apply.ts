import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { lockContext, lockContextCreation } from '../../db/connection/lock-context.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import {
  type ContextRow,
  insertContext,
  selectContext,
  selectContextNames,
  updateContext,
} from '../../db/sql/contexts.ts';
import { selectHasSlices } from '../../db/sql/declaration.ts';
import type { AuditEntry } from '../../domain/audit/audit-entry.ts';
import { IngestError } from '../ingest-error.ts';
import { type AppliedItem, type ItemOutcome, settle } from './applied-item.ts';
import { applyAlerts } from './apply-alerts.ts';
import { applyGroups } from './apply-groups.ts';
import { applyNodes, applyPools, applyProbes } from './apply-parts.ts';
import { applySinks } from './apply-sinks.ts';
import { type Declaration, parseDeclaration } from './declaration.ts';
import { DEFAULT_SLICE_SECONDS } from './slice-seconds.ts';

export type ApplyReport = {
  readonly context: string;
  /** Number of items with each outcome; `removed` is present only if something was removed. */
  readonly counts: Counts;
  /** The context and everything declared for it. */
  readonly items: readonly AppliedItem[];
};

type Counts = Readonly<Record<Exclude<ItemOutcome, 'removed'>, number>> & {
  readonly removed?: number;
};

/**
 * Makes a context match `input` in one transaction: what differs is changed, what is omitted stays.
 * Throws a `DeclarationError` if the declaration has mistakes, and an `IngestError` if existing
 * data forbid a change.
 */
export async function applyDeclaration(
  connection: Connection,
  input: unknown,
  onWaiting: () => void = () => {},
): Promise<ApplyReport> {
  const declaration = parseDeclaration(input);
  return inTransaction(connection, () => declareContext(connection, declaration, onWaiting));
}

/**
 * Does the same within a transaction that the caller has opened. The context stays locked in it.
 */
export async function declareContext(
  connection: Connection,
  declaration: Declaration,
  onWaiting: () => void,
): Promise<ApplyReport> {
  const { contextId, sliceSeconds, item } = await applyContext(connection, declaration, onWaiting);
  const items = [
    item,
    ...(await applyNodes(connection, contextId, declaration.nodes ?? [])),
    ...(await applyPools(connection, contextId, declaration.pools ?? [])),
    ...(await applyProbes(connection, contextId, declaration.probes ?? [])),
    ...(await applyGroups(connection, {
      contextId,
      sliceSeconds,
      groups: declaration.groups ?? [],
    })),
    ...(await applySinks(connection, contextId, declaration.notify ?? [])),
    ...(await applyAlerts(connection, contextId, declaration)),
  ];
  const { context } = declaration;
  await insertAudit(connection, entriesOf(context, items));
  return { context, counts: countOutcomes(items), items };
}

const entriesOf = (context: string, items: readonly AppliedItem[]): AuditEntry[] =>
  items.flatMap(({ what, name, outcome, fields }) =>
    outcome === 'unchanged'
      ? []
      : [
          {
            action: `${what} ${outcome}`,
            object: name,
            detail: { ...(what !== 'context' && { context }), ...(fields && { fields }) },
          },
        ],
  );

function countOutcomes(items: readonly AppliedItem[]): Counts {
  const counts = { created: 0, changed: 0, unchanged: 0, removed: 0 };
  for (const { outcome } of items) counts[outcome] += 1;
  const { removed, ...others } = counts;
  return removed > 0 ? counts : others;
}

async function applyContext(
  connection: Connection,
  declaration: Declaration,
  onWaiting: () => void,
): Promise<ContextRow & { item: AppliedItem }> {
  const { context: name } = declaration;
  const existing = await lockedContext(connection, name, onWaiting);
  const wanted = {
    sliceSeconds: declaration.slice_seconds ?? existing?.sliceSeconds ?? DEFAULT_SLICE_SECONDS,
    retentionDays:
      declaration.retention_days === undefined
        ? (existing?.retentionDays ?? null)
        : declaration.retention_days,
  };
  if (!existing) {
    if (isOnlyAlerting(declaration)) throw await unknownContext(connection, name);
    const contextId = await insertContext(connection, { name, ...wanted });
    return { contextId, ...wanted, item: { what: 'context', name, outcome: 'created' } };
  }
  const { contextId } = existing;
  if (wanted.sliceSeconds !== existing.sliceSeconds) await refuseWithSlices(connection, existing);
  const settled = await settle(existing, { contextId, ...wanted }, (context) =>
    updateContext(connection, context),
  );
  return { contextId, ...wanted, item: { what: 'context', name, ...settled } };
}

/** Whether it declares only alerts and sinks: those of a context that is there. */
const isOnlyAlerting = ({ context: _, mistakes: __, alerts, notify, ...others }: Declaration) =>
  (alerts !== undefined || notify !== undefined) &&
  Object.values(others).every((part) => part === undefined);

async function unknownContext(connection: Connection, name: string): Promise<IngestError> {
  const names = await selectContextNames(connection);
  const known = names.length > 0 ? `the contexts are ${names.join(', ')}` : 'there is none yet';
  return new IngestError(
    `There is no context ${name} (${known}): correct the name, or declare its groups before its ` +
      'alerts and sinks, or with them',
  );
}

async function lockedContext(
  connection: Connection,
  name: string,
  onWaiting: () => void,
): Promise<ContextRow | null> {
  const found = await selectContext(connection, name);
  if (!found) {
    // Another process may be creating it, which becomes visible only when that process is done.
    await lockContextCreation(connection, name, onWaiting);
  }
  const existing = await selectContext(connection, name);
  if (!existing) return null;
  await lockContext(connection, existing.contextId, onWaiting);
  // Read again: the process that held the lock may have changed it.
  return selectContext(connection, name);
}

async function refuseWithSlices(connection: Connection, context: ContextRow): Promise<void> {
  if (!(await selectHasSlices(connection, context.contextId))) return;
  throw new IngestError(
    `slice_seconds cannot change once there is data: it is ${context.sliceSeconds}; ` +
      'keep this value, or declare another context',
  );
}
