import { randomUUID } from 'node:crypto';
import { openConnection } from '../../../db/connection/connection.ts';
import { type ExporterRow, upsertExporters } from '../../../db/sql/exporters.ts';
import { NO_LOSSES, upsertFeed } from '../../../db/sql/feeds.ts';
import { T0 } from './lab.ts';

/** An exporter of whom nothing is remarkable. */
export const exporter = (address: string, more: Partial<ExporterRow> = {}): ExporterRow => ({
  address,
  protocols: ['netflow9'],
  firstSeen: new Date(T0 * 1000),
  lastSeen: new Date((T0 + 60) * 1000),
  flows: 1,
  lostFlows: 0,
  lostPackets: 0,
  lostDatagrams: 0,
  refused: {},
  waitingForTemplate: 0,
  samplingRates: [1],
  clockAheadSeconds: null,
  doubts: [],
  ...more,
});

type Heard = { readonly context: string; readonly exporters: readonly ExporterRow[] };

/** Stores a run of a collector that goes on, and the exporters that it has heard. */
export async function hearExporters(
  databaseUrl: string,
  { context, exporters }: Heard,
): Promise<void> {
  const connection = await openConnection(databaseUrl, 'test');
  try {
    const { rows } = await connection.query<{ id: number }>(
      'select context_id as id from contexts where name = $1',
      [context],
    );
    const [{ id: contextId } = { id: 0 }] = rows;
    const feedId = randomUUID();
    await upsertFeed(connection, {
      feedId,
      contextId,
      format: 'collect',
      startedAt: new Date(T0 * 1000),
      commits: 1,
      flows: exporters.reduce((sum, { flows }) => sum + flows, 0),
      newestUs: T0 * 1e6,
      losses: NO_LOSSES,
      probe: null,
      state: { waitingFlows: 0, readUs: 0, isLast: false },
    });
    await upsertExporters(connection, feedId, exporters);
  } finally {
    await connection.end();
  }
}
