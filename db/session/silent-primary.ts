import type pg from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { TIMED_OUT } from '../connection/chosen-connection.ts';
import { destroySocket } from '../connection/end-connection.ts';
import { PatientClient } from '../connection/patient-client.ts';
import { withinRunning } from '../connection/running-time.ts';

type SilentPrimaryOptions = {
  readonly url: string;
  /** The connections for reading: one that is open may answer where opening one takes too long. */
  readonly reads: () => Pick<pg.Pool, 'idleCount' | 'query'>;
};

/**
 * Remembers that the primary neither answers nor refuses connections, so that not every request
 * waits for it before another node answers. A request that waited in vain starts the checks, each
 * with a connection of its own: requests may also have waited because all of ours are busy. The
 * primary counts as silent once such a check has waited as long as any request would. Checks begin
 * every second until one ends, so this is over within a second of the primary's return.
 */
export class SilentPrimary {
  readonly #options: SilentPrimaryOptions;
  #isSilent = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: SilentPrimaryOptions) {
    this.#options = options;
  }

  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Notes that a request has waited for the primary in vain. */
  markSuspect(): void {
    if (this.#timer) return;
    const timer = setInterval(() => void this.#check(timer), LIMITS.primaryCheckMs).unref();
    this.#timer = timer;
    void this.#check(timer);
  }

  /** Notes that the primary has answered, or has refused at once: nobody needs to wait for that. */
  markReachable(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#isSilent = false;
  }

  /** `series` is the timer of the checks that this one belongs to. */
  async #check(series: NodeJS.Timeout): Promise<void> {
    const isHeard = await this.#isHeard();
    // A later check was answered, which ended the series.
    if (this.#timer !== series) return;
    if (isHeard) this.markReachable();
    else this.#isSilent = true;
  }

  async #isHeard(): Promise<boolean> {
    const { idleCount } = this.#options.reads();
    const ways = [answersNewConnection(this.#options.url)];
    if (idleCount > 0) ways.push(this.#answersOpenConnection());
    return Promise.any(ways).then(
      () => true,
      () => false,
    );
  }

  async #answersOpenConnection(): Promise<void> {
    const check = { text: NOTHING, query_timeout: LIMITS.connectTimeoutMs };
    await this.#options.reads().query(check);
  }
}

/** The text of a statement that takes no time. */
const NOTHING = 'select';

/** Resolves if a new connection is answered or refused in time. */
async function answersNewConnection(url: string): Promise<void> {
  const client = new PatientClient({ url, application_name: 'countergraph check' });
  client.on('error', () => undefined);
  const late = new Error('the primary does not answer');
  // Behind a pooler, only a statement gets as far as the primary.
  const answer = client.connect().then(() => client.query(NOTHING));
  try {
    await withinRunning(answer, LIMITS.connectTimeoutMs, late);
    client.end().catch(() => undefined);
  } catch (error) {
    destroySocket(client);
    if (error === late || reasonOf(error).includes(TIMED_OUT)) throw error;
  }
}
