import { to as copyTo } from 'pg-copy-streams';
import type { Statement, TimeBound } from './read-session.ts';
import type { Connection } from './write/connection.ts';

/** Gives what `COPY (…) TO STDOUT (FORMAT binary)` gives; a ReadSession is one. */
export type CopySource = {
  copy(copy: Pick<Statement, 'query' | 'text'>, bound?: TimeBound | null): Promise<Buffer>;
};

/** A writer's connection as a source. Statements are without bound, as its others are. */
export const copiesOf = (connection: Connection): CopySource => ({
  async copy({ text }) {
    const chunks: Buffer[] = [];
    for await (const chunk of connection.query(copyTo(text))) chunks.push(chunk);
    return Buffer.concat(chunks);
  },
});
