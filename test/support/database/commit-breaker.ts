import { openProxy } from './proxy.ts';

/** Whether the connection is cut before a COMMIT arrives, or after it has happened. */
type Break = 'before' | 'after';

/** A proxy to a database that can cut connections in the middle of a commit. */
export type CommitBreaker = {
  readonly url: string;
  /** Cuts off the next commit on a connection that has inserted into `feeds`. */
  breakNext(when: Break): void;
  /** The number of commits that were cut off. */
  broken(): number;
  close(): Promise<void>;
};

/** As pg sends it: a simple query. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');
const COMMITTED = Buffer.from('COMMIT\0', 'latin1');
const FEED_WRITTEN = Buffer.from('insert into feeds', 'latin1');

/**
 * Relays traffic to and from a database. A commit that is cut off `before` never arrives; one that
 * is cut off `after` has happened, but its answer is lost.
 */
export async function startCommitBreaker(databaseUrl: string): Promise<CommitBreaker> {
  let next: Break | null = null;
  let broken = 0;

  const proxy = await openProxy(databaseUrl, (client, upstream) => {
    let isFeed = false;
    const cut = () => {
      next = null;
      broken += 1;
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (data: Buffer) => {
      isFeed ||= data.includes(FEED_WRITTEN);
      if (next === 'before' && isFeed && data.includes(COMMIT)) cut();
      else upstream.write(data);
    });
    upstream.on('data', (data: Buffer) => {
      if (next === 'after' && isFeed && data.includes(COMMITTED)) cut();
      else client.write(data);
    });
  });
  return {
    url: proxy.url,
    breakNext: (when) => {
      next = when;
    },
    broken: () => broken,
    close: proxy.close,
  };
}
