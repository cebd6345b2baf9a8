import type { Connection } from '../../db/connection/connection.ts';
import type { ImportGroup } from '../import-group.ts';

export type LabelReport = {
  readonly source: string;
  /** Keys whose texts were set or cleared. */
  readonly labelled: number;
  /** Keys whose texts were the same before. */
  readonly unchanged: number;
  /** Keys that were created. */
  readonly created: number;
  /** Keys that kept a label given by a user. */
  readonly keptByUser: number;
  /** Keys or addresses of the file that the context does not have. */
  readonly unknown: number;
};

/** What the formats work on. The context's lock is held, and a transaction is open. */
export type LabelTarget = {
  readonly connection: Connection;
  readonly contextId: number;
  /** All groups of the context. */
  readonly groups: readonly ImportGroup[];
  readonly onlyGroup: ImportGroup | null;
  readonly signal?: AbortSignal | undefined;
};
