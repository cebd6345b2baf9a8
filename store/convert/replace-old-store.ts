import type { Connection } from '../../db/connection/connection.ts';
import { lockConversion } from '../../db/write/convert/lock-conversion.ts';
import { selectHasOldTables } from '../../db/write/convert/old-tables.ts';
import { selectOldContexts } from '../../db/write/convert/select-old-slices.ts';
import { requireSession } from '../../db/write/require-session.ts';
import { selectIsPrimary } from '../../db/write/select-is-primary.ts';
import { withConnection } from '../../db/write/with-connection.ts';
import {
  CANNOT_CONVERT,
  type ConversionOptions,
  type ConversionTarget,
  type ConvertedDatabase,
  convertAll,
  dropConverted,
} from './convert-database.ts';

/** Returns whether version 0.7 left anything in the database that is still to be converted. */
export const hasOldStore = ({ databaseUrl }: ConversionTarget): Promise<boolean> =>
  withConnection({ databaseUrl }, 'conversion', async (connection) => {
    if (!(await selectHasOldTables(connection))) return false;
    return (await selectOldContexts(connection)).length > 0;
  });

/**
 * Converts what version 0.7 stored and then drops its tables, which the migrations of a fresh
 * database also create. Waits if another process is doing the same. If this is killed at any
 * moment, the next run continues. Returns null if there were no old tables, as after the first
 * time.
 */
export const replaceOldStore = (
  { databaseUrl }: ConversionTarget,
  options: ConversionOptions = {},
): Promise<ConvertedDatabase | null> =>
  withConnection({ databaseUrl, signal: options.signal }, 'conversion', async (connection) => {
    if (!(await selectHasOldTables(connection))) return null;
    await requireFit(connection);
    await lockConversion(connection);
    if (!(await selectHasOldTables(connection))) return null;
    const converted = await convertAll(connection, options);
    await dropConverted(connection);
    return converted;
  });

async function requireFit(connection: Connection): Promise<void> {
  if (!(await selectIsPrimary(connection))) {
    throw new Error('The database is a standby and not converted: migrate its primary');
  }
  requireSession(connection, CANNOT_CONVERT);
}
