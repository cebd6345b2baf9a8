import { cancelOnAbort } from '../db/write/cancel-on-abort.ts';
import { type Connection, inTransaction, openConnection } from '../db/write/connection.ts';
import { lockContext } from '../db/write/lock-context.ts';
import { selectContext } from '../db/write/select-context.ts';
import type { Guid } from '../domain/guid.ts';
import type { ImportSource } from './import-source.ts';
import { IngestError } from './ingest-error.ts';
import { labelCsv } from './label-csv.ts';
import type { LabelReport, LabelTarget } from './label-target.ts';
import { labelZeekDns } from './label-zeek-dns.ts';
import { loadGroups } from './load-groups.ts';

export const LABEL_FORMATS = ['csv', 'zeek-dns'] as const;

export type LabelFormat = (typeof LABEL_FORMATS)[number];

export type LabelFileOptions = {
  readonly databaseUrl: string;
  readonly context: string;
  readonly format: LabelFormat;
  readonly source: ImportSource;
  /** The only group to label; left out, all that can have such keys. */
  readonly group?: Guid | undefined;
  readonly onWaiting?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Fills labels from one file: from all of it, or from nothing. */
export async function labelFile(options: LabelFileOptions): Promise<LabelReport> {
  const { databaseUrl, format, source, signal } = options;
  const connection = await openConnection(databaseUrl, 'labels');
  try {
    const stopCancelling = await cancelOnAbort(databaseUrl, connection, signal);
    try {
      const label = format === 'csv' ? labelCsv : labelZeekDns;
      return await inTransaction(connection, async () =>
        label(await lockedTarget(connection, options), source),
      );
    } finally {
      await stopCancelling();
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    await connection.end();
  }
}

async function lockedTarget(
  connection: Connection,
  { context, group, onWaiting = () => {}, signal }: LabelFileOptions,
): Promise<LabelTarget> {
  const found = await selectContext(connection, context);
  if (!found) throw new IngestError(`There is no context ${context}`);
  const { contextId } = found;
  await lockContext(connection, contextId, onWaiting);
  const groups = await loadGroups(connection, contextId);
  const onlyGroup = group === undefined ? null : (groups.get(group) ?? null);
  if (group !== undefined && onlyGroup === null) {
    throw new IngestError(`Context ${context} has no counter group ${group}`);
  }
  return { connection, contextId, groups: [...groups.values()], onlyGroup, signal };
}
