import { to as copyTo } from 'pg-copy-streams';
import {
  arePagesDistributed,
  type Connection,
  pageConnectionOf,
} from '../connection/connection.ts';
import type { Statement, TimeBound } from './read-session.ts';

export type Copy = Pick<Statement, 'query' | 'text'>;

/** Gives what `COPY (…) TO STDOUT (FORMAT binary)` gives; a ReadSession is one. */
export type CopySource = {
  copy(copy: Copy, bound?: TimeBound | null): Promise<Buffer>;
  /** Only where Citus has distributed the pages (page-placement.ts): the source of pages alone. */
  readonly distributedPages?: Pick<CopySource, 'copy'> | null;
};

/** A writer's connection as a source. Statements are without bound, as its others are. */
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
