import type { Exchange } from '../http/http-exchange.ts';
import type { Follower } from './ask-once.ts';
import type { EventStream } from './event-stream.ts';

/** An open subscription of one caller. */
export type Stream = {
  readonly follower: Follower;
  /** For the log, and for the permits of what is computed on their behalf. */
  readonly exchange: Exchange;
  readonly events: EventStream;
};
