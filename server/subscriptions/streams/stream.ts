import type { Exchange } from '../../http/http-exchange.ts';
import type { EventStream } from './event-stream.ts';

/** A subscriber who has logged in. */
export type Follower = { readonly username: string; readonly digest: Buffer };

/** An open subscription of one caller. */
export type Stream = {
  readonly follower: Follower;
  /** For the log, and for computing answers on behalf of the subscriber. */
  readonly exchange: Exchange;
  readonly events: EventStream;
};
