import type { Connection } from '../../db/connection/connection.ts';
import type { ImportGroup } from '../import-group.ts';

export type LabelReport = {
  readonly source: string;
  /** Keys that got what the file says, or lost it. */
  readonly labelled: number;
  /** Keys whose label was the same before. */
  readonly unchanged: number;
  /** Keys that were made. */
  readonly created: number;
  /** Keys that kept the label that a user had given. */
  readonly keptByUser: number;
  /** Keys or addresses of the file that are not in the context. */
  readonly unknown: number;
};

/** What the formats work on: the context's lock is held, and a transaction is open. */
export type LabelTarget = {
  readonly connection: Connection;
  readonly contextId: number;
  /** All groups of the context. */
  readonly groups: readonly ImportGroup[];
  readonly onlyGroup: ImportGroup | null;
  readonly signal?: AbortSignal | undefined;
};
