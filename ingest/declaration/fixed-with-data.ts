import { IngestError } from '../ingest-error.ts';

/** Throws if a property that data depend on would change. `what` names the item. */
export function refuseChange(what: string, property: string, is: unknown, wanted: unknown): void {
  if (is === wanted) return;
  throw new IngestError(
    `${property} of ${what} cannot change once there is data: it is ${is}, got ${wanted}; ` +
      'keep this value, or declare another group',
  );
}
