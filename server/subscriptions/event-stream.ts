import type { ServerResponse } from 'node:http';
import { LIMITS } from '../../domain/limits.ts';
import { bytesOf, joinPieces, type Piece } from '../../domain/text/long-text.ts';
import type { Claim } from '../../resolvers/loaders/request-reads.ts';
import type { Exchange } from '../http/http-exchange.ts';

/** One answer, encoded once for all of its readers. */
export type StreamEvent = { readonly bytes: Buffer };

/** Encodes JSON for GraphQL over SSE, distinct connections mode. JSON text has no line breaks. */
export const eventOf = (json: Piece): StreamEvent => ({
  bytes: bytesOf(joinPieces(['event: next\ndata: ', json, '\n\n'])),
});

/** With a data field: `EventSource` ignores events without one. */
const COMPLETE = 'event: complete\ndata:\n\n';

const HEARTBEAT = Buffer.from(':\n\n');

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store, no-transform',
  // Without it nginx, and proxies that follow its example, would buffer the stream.
  'x-accel-buffering': 'no',
};

type EventStreamOptions = {
  readonly response: ServerResponse;
  /** The shortest time between two events. */
  readonly everyMs: number;
  /** A reader is disconnected if the system takes nothing more for it for this long. */
  readonly slowReaderMs: number;
  readonly heartbeatMs?: number;
  /** Called when an answer was written. */
  readonly onSent?: () => void;
  /** Called when an answer was replaced by a newer one before it was written. */
  readonly onSkipped?: () => void;
};

/**
 * The response to one subscriber. It has no queue: while the reader is slow, or the last event was
 * sent only a moment ago, only the newest answer is kept.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  #newest: StreamEvent | null = null;
  #sent: StreamEvent | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;
  #isEnding = false;
  /** What was sent, but is not yet written. */
  #unwritten: Buffer[] = [];
  /** Since when the reader has read nothing; null: it keeps up. */
  #stuckSince: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    const { response, heartbeatMs = LIMITS.heartbeatMs } = options;
    response.writeHead(200, HEADERS);
    response.on('drain', () => {
      this.#stuckSince = null;
      this.#writeMore();
      this.#flush();
    });
    // Some clients do not report the stream as open before its first bytes have arrived.
    this.#write(HEARTBEAT);
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
    response.once('close', () => this.#stop());
  }

  /** Writes this answer as soon as possible, unless a newer one comes first. */
  offer(event: StreamEvent): void {
    if (this.#isEnding || event === this.#sent) return;
    if (this.#newest) this.#options.onSkipped?.();
    this.#newest = event;
    this.#flush();
  }

  /** Whether the reader has read all that was written. */
  get isReady(): boolean {
    const { response } = this.#options;
    return !this.#isEnding && !response.destroyed && !this.#isBehind;
  }

  /** Writes an answer that does not replace earlier ones. */
  send({ bytes }: StreamEvent): void {
    if (this.#isEnding) return;
    this.#write(bytes);
    this.#options.onSent?.();
  }

  /** Writes a comment, which clients ignore. */
  comment(text: string): void {
    if (!this.#isEnding) this.#write(Buffer.from(`: ${text}\n\n`));
  }

  /** Immediately writes what is still due, and then completes the stream. */
  end(last: StreamEvent | null = null): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (last) this.#newest = last;
    this.#flush();
  }

  get #isBehind(): boolean {
    return this.#unwritten.length > 0 || this.#options.response.writableNeedDrain;
  }

  #flush(): void {
    const { response, everyMs, slowReaderMs, onSent } = this.#options;
    if (response.destroyed || this.#isBehind) return;
    const waitMs = this.#isEnding ? 0 : this.#sentAt + everyMs - performance.now();
    if (this.#newest && waitMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#flush();
      }, waitMs);
      return;
    }
    if (this.#newest) {
      this.#sent = this.#newest;
      this.#newest = null;
      this.#sentAt = performance.now();
      this.#write(this.#sent.bytes);
      onSent?.();
    }
    if (!this.#isEnding || this.#unwritten.length > 0) return;
    this.#stop();
    // From here on no heartbeat would notice a reader who reads nothing.
    response.setTimeout(slowReaderMs);
    response.end(COMPLETE);
  }

  #write(bytes: Buffer): void {
    this.#unwritten.push(bytes);
    this.#writeMore();
  }

  /**
   * Writes as much as the connection takes now. Node only reports when a whole write has been
   * taken. So a large event is written in pieces, each of which shows that the reader still reads.
   */
  #writeMore(): void {
    const { response } = this.#options;
    while (!response.destroyed && !response.writableNeedDrain) {
      const bytes = this.#unwritten.shift();
      if (!bytes) return;
      const piece = bytes.subarray(0, LIMITS.eventPieceBytes);
      if (piece.length < bytes.length) this.#unwritten.unshift(bytes.subarray(piece.length));
      if (!response.write(piece)) this.#stuckSince = performance.now();
    }
  }

  #beat(): void {
    const { response, slowReaderMs } = this.#options;
    const isStuck =
      this.#stuckSince !== null && performance.now() - this.#stuckSince > slowReaderMs;
    if (isStuck) response.destroy();
    else if (!this.#isBehind) this.#write(HEARTBEAT);
  }

  #stop(): void {
    clearInterval(this.#heartbeat);
    if (this.#timer) clearTimeout(this.#timer);
  }
}

/** A subscriber who has logged in. */
export type Subscriber = {
  readonly username: string;
  readonly claim: Claim;
  /** The token of the subscriber, or of their session, as it is stored. */
  readonly tokenDigest: Buffer | null;
};

/** An open subscription of one caller. */
export type Stream = {
  readonly subscriber: Subscriber;
  /** For the log, and for computing answers on behalf of the subscriber. */
  readonly exchange: Exchange;
  readonly events: EventStream;
};
