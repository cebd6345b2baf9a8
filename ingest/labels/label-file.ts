import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { lockContext } from '../../db/connection/lock-context.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import { existingContext } from '../../db/sql/contexts.ts';
import type { Guid } from '../../domain/text/guid.ts';
import { type ImportSource, untilAborted } from '../files/import-source.ts';
import { withRepeatable } from '../files/spool-source.ts';
import { IngestError } from '../ingest-error.ts';
import { loadGroups } from '../load-groups.ts';
import { labelCsv } from './label-csv.ts';
import type { LabelReport, LabelTarget } from './label-target.ts';
import { labelZeekDns } from './label-zeek-dns.ts';

export const LABEL_FORMATS = ['csv', 'zeek-dns'] as const;

export type LabelFormat = (typeof LABEL_FORMATS)[number];

export type LabelFileOptions = {
  readonly databaseUrl: string;
  readonly context: string;
  readonly format: LabelFormat;
  readonly source: ImportSource;
  /** The only group to label; if omitted, all groups that can have such keys. */
  readonly group?: Guid | undefined;
  readonly onWaiting?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Sets labels from one file: all of it or nothing. */
export async function labelFile(options: LabelFileOptions): Promise<LabelReport> {
  const { format, signal } = options;
  const run = (source: ImportSource) =>
    withConnection(options, 'labels', (connection) =>
      inTransaction(connection, async () => {
        const target = await lockedTarget(connection, options);
        const label = format === 'csv' ? labelCsv : labelZeekDns;
        const report = await label(target, source);
        await auditLabels(connection, options, report);
        return report;
      }),
    );
  // Only all of a CSV shows how its keys are written.
  if (format === 'csv') return withRepeatable(options.source, { signal }, run);
  return run(untilAborted(options.source, signal));
}

/** Records how many keys were labelled; a file that changes nothing leaves no trace. */
async function auditLabels(
  connection: Connection,
  { context, format, group }: LabelFileOptions,
  { source, labelled, created }: LabelReport,
): Promise<void> {
  if (labelled + created === 0) return;
  const detail = { source, format, ...(group && { group }), labelled, created };
  await insertAudit(connection, [{ action: 'labels imported', object: context, detail }]);
}

async function lockedTarget(
  connection: Connection,
  { context, group, onWaiting = () => {}, signal }: LabelFileOptions,
): Promise<LabelTarget> {
  const { contextId } = await existingContext(connection, context);
  await lockContext(connection, contextId, onWaiting);
  const groups = await loadGroups(connection, contextId);
  const onlyGroup = group === undefined ? null : (groups.get(group) ?? null);
  if (group !== undefined && onlyGroup === null) {
    const known = [...groups.keys()].join(', ') || 'none';
    throw new IngestError(
      `Context ${context} has no counter group ${group}; its groups are ${known}`,
    );
  }
  return { connection, contextId, groups: [...groups.values()], onlyGroup, signal };
}
