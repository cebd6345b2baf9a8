import type pg from 'pg';
import { LIMITS } from '../domain/limits.ts';
import { endConnection } from './connection/end-connection.ts';
import { PatientClient } from './connection/patient-client.ts';
import { findPooling } from './connection/pooling.ts';

export type ListenerOptions = {
  readonly url: string;
  readonly channels: readonly string[];
  readonly onNotice: (channel: string, payload: string) => void;
  /** Called when notices begin to arrive; any may have been missed before. */
  readonly onListening: () => void;
  /**
   * Called when notices no longer arrive, until `onListening` is called again. Called once per
   * loss, however many retries follow.
   */
  readonly onLost: (error: unknown) => void;
};

/**
 * A connection that listens for what others send with NOTIFY, and is opened again when it is lost.
 * A pooler in transaction mode would listen on behalf of another client, so behind one it stops
 * listening.
 */
export class Listener {
  readonly #options: ListenerOptions;
  #client: pg.Client | null = null;
  #isListening = false;
  #isStopped = false;
  #isLost = false;
  #retryMs: number = LIMITS.listenRetryMs;
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> = Promise.resolve();

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#connect();
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#isListening = false;
    if (this.#timer) clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    const ended = client && endConnection(client).catch(() => undefined);
    await Promise.all([ended, this.#work]);
  }

  #connect(): void {
    this.#timer = null;
    this.#work = this.#open().catch((error) => this.#lose(error));
  }

  async #open(): Promise<void> {
    const { channels, onNotice, onListening } = this.#options;
    const client = this.#newClient();
    this.#client = client;
    client.on('error', (error) => this.#loseOf(client, error));
    client.on('end', () => this.#loseOf(client, new Error('the connection has ended')));
    client.on('notification', ({ channel, payload = '' }) => onNotice(channel, payload));
    await connected(client);
    const pooling = await findPooling(client, async () => {
      const another = this.#newClient();
      // Its statements fail with the same error; without a listener it would end the process.
      another.on('error', () => undefined);
      await connected(another);
      return another;
    });
    if (pooling === 'transaction') {
      this.#isStopped = true;
      this.#client = null;
      await endConnection(client);
      return;
    }
    await client.query(channels.map((channel) => `listen ${channel}`).join(';'));
    if (this.#client !== client) return;
    this.#isListening = true;
    this.#isLost = false;
    this.#retryMs = LIMITS.listenRetryMs;
    onListening();
  }

  #newClient(): pg.Client {
    return new PatientClient({
      url: this.#options.url,
      application_name: NAME,
      // It only listens, which takes no time, except behind a pooler.
      query_timeout: LIMITS.poolerWaitMs,
    });
  }

  #loseOf(client: pg.Client, error: unknown): void {
    if (this.#client === client) this.#lose(error);
  }

  #lose(error: unknown): void {
    if (this.#client) endConnection(this.#client).catch(() => undefined);
    this.#client = null;
    this.#isListening = false;
    if (this.#isStopped || this.#timer) return;
    if (!this.#isLost) this.#options.onLost(error);
    this.#isLost = true;
    this.#timer = setTimeout(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, LIMITS.listenLongestRetryMs);
  }
}

const NAME = 'countergraph listener';

/**
 * Waits until the client is connected. pg leaves the promise of `connect` pending forever if `end`
 * is called meanwhile.
 */
async function connected(client: pg.Client): Promise<void> {
  const ended = new Promise<never>((_, reject) => {
    client.once('end', () => reject(new Error('the connection has ended')));
  });
  await Promise.race([client.connect(), ended]);
}
