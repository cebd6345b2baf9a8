import {
  arePagesDistributed,
  type Connection,
  pageConnectionOf,
} from '../connection/connection.ts';
import type { Deadline, Statement } from './read-session.ts';
import { copyOut } from './send-statement.ts';

export type Copy = Pick<Statement, 'query' | 'text'>;

/** A copy of pages that Citus has distributed, and the segments to which they belong. */
export type PageCopy = Copy & { readonly segmentIds: readonly number[] };

/** A source of distributed pages. */
export type PageSource = {
  copy(copy: PageCopy, deadline?: Deadline | null): Promise<Buffer>;
};

/** A source of the output of `COPY (…) TO STDOUT (FORMAT binary)`, such as a ReadSession. */
export type CopySource = {
  copy(copy: Copy, deadline?: Deadline | null): Promise<Buffer>;
  /** The source of pages alone; set only if Citus has distributed the pages (page-placement.ts). */
  readonly distributedPages?: PageSource | null;
};

/**
 * Makes a source of a writer's connection. Its statements have no time limit, like the writer's
 * others.
 */
export const copiesOf = (connection: Connection): CopySource => ({
  copy: async ({ text }) => (await copyOut(connection, text)).bytes,
  get distributedPages() {
    if (!arePagesDistributed(connection)) return null;
    return {
      copy: async ({ text }: Copy) => {
        const pages = await pageConnectionOf(connection);
        return (await copyOut(pages, text)).bytes;
      },
    };
  },
});
