import { to as copyTo } from 'pg-copy-streams';
import {
  arePagesDistributed,
  type Connection,
  pageConnectionOf,
} from '../connection/connection.ts';
import type { Statement, TimeBound } from './read-session.ts';

export type Copy = Pick<Statement, 'query' | 'text'>;

/** A copy of pages that Citus has distributed, and the segments to which they belong. */
export type PageCopy = Copy & { readonly segmentIds: readonly number[] };

/** A source of distributed pages. */
export type PageSource = {
  copy(copy: PageCopy, bound?: TimeBound | null): Promise<Buffer>;
};

/** A source of the output of `COPY (…) TO STDOUT (FORMAT binary)`, such as a ReadSession. */
export type CopySource = {
  copy(copy: Copy, bound?: TimeBound | null): Promise<Buffer>;
  /** The source of pages alone; set only if Citus has distributed the pages (page-placement.ts). */
  readonly distributedPages?: PageSource | null;
};

/**
 * Makes a source of a writer's connection. Its statements have no time limit, like the writer's
 * others.
 */
export const copiesOf = (connection: Connection): CopySource => ({
  copy: ({ text }) => collectCopy(connection, text),
  get distributedPages() {
    if (!arePagesDistributed(connection)) return null;
    return {
      copy: async ({ text }: Copy) => collectCopy(await pageConnectionOf(connection), text),
    };
  },
});

async function collectCopy(client: Connection, text: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of client.query(copyTo(text))) chunks.push(chunk);
  return Buffer.concat(chunks);
}
