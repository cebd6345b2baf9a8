import type { Pool } from 'pg';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isUnreachable } from '../database-error.ts';

type Control = Pick<Pool, 'query'>;

/** A worker of Citus. */
type Worker = { readonly groupId: number; readonly host: string; readonly port: number };

/**
 * The workers of one coordinator that do not answer. A worker that hangs refuses no connection, and
 * Citus waits for it without a time limit. So a read of pages that takes long has the workers
 * checked, and fails if one that has its pages is silent; a statement that is merely slow
 * continues. Later reads from that worker fail before they take a connection, which others need.
 */
export class SilentWorkers {
  readonly #control: Control;
  /** By Citus's number of the worker. */
  #silent: ReadonlySet<number> = new Set();
  /** Why nothing can be read at all: the coordinator does not answer either. */
  #unreachable: Error | null = null;
  #check: Promise<void> | null = null;
  #next: NodeJS.Timeout | null = null;
  #isClosed = false;
  readonly #onFailure: (error: unknown) => void;
  #isFailing = false;

  /**
   * onFailure: called when the workers cannot be checked although the coordinator answers, once
   * until a check succeeds.
   */
  constructor(control: Control, onFailure: (error: unknown) => void) {
    this.#control = control;
    this.#onFailure = onFailure;
  }

  /**
   * Throws if pages of these segments are on a worker that is known to be silent, or if this cannot
   * be found out.
   */
  async refuse(segmentIds: readonly number[]): Promise<void> {
    const failure = await this.#failureOf(segmentIds);
    if (failure) throw failure;
  }

  /** Ends the checks. */
  close(): void {
    this.#isClosed = true;
    if (this.#next) clearTimeout(this.#next);
  }

  /**
   * Has the workers checked every second while pages of these segments are read. Calls `onSilence`
   * once if a worker that has some of them does not answer. Returns a function that ends this.
   */
  watch(segmentIds: readonly number[], onSilence: (error: Error) => void): () => void {
    let isOver = false;
    let timer: NodeJS.Timeout;
    const check = async (): Promise<void> => {
      await this.#checkOnce();
      const error = this.#unreachable ?? (await this.#failureOf(segmentIds));
      if (isOver) return;
      if (error) onSilence(error);
      else lookLater();
    };
    const lookLater = (): void => {
      timer = setTimeout(() => void check(), LIMITS.workerCheckMs);
    };
    lookLater();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** Returns why pages of these segments cannot be read; null: nothing is known against it. */
  async #failureOf(segmentIds: readonly number[]): Promise<Error | null> {
    try {
      return (await this.#isOnSilent(segmentIds)) ? silence() : null;
    } catch (cause) {
      return silence(cause);
    }
  }

  /** One check at a time, for all reads. Silent workers are checked again until they answer. */
  #checkOnce(): Promise<void> {
    this.#check ??= this.#checkWorkers().finally(() => {
      this.#check = null;
      if (this.#next) clearTimeout(this.#next);
      if (this.#silent.size === 0 || this.#isClosed) return;
      this.#next = setTimeout(() => void this.#checkOnce(), LIMITS.workerCheckMs).unref();
    });
    return this.#check;
  }

  async #checkWorkers(): Promise<void> {
    try {
      const silent = new Set<number>();
      const { rows } = await this.#control.query<Worker>(WORKERS);
      // In turn: a check of a silent worker holds a connection until its time is up.
      for (const worker of rows) if (!(await this.#answers(worker))) silent.add(worker.groupId);
      this.#silent = silent;
      this.#unreachable = null;
      this.#isFailing = false;
    } catch (cause) {
      this.#unreachable = isUnreachable(cause) ? silence(cause) : null;
      // A check that is in progress when the pools are closed fails, too.
      if (!this.#unreachable && !this.#isClosed) this.#fail(cause);
    }
  }

  #fail(error: unknown): void {
    if (!this.#isFailing) this.#onFailure(error);
    this.#isFailing = true;
  }

  async #answers({ host, port }: Worker): Promise<boolean> {
    const check = {
      text: 'select citus_check_connection_to_node($1, $2) as answers',
      values: [host, port],
      query_timeout: LIMITS.workerAnswerMs,
    };
    try {
      const { rows } = await this.#control.query<{ answers: boolean }>(check);
      return rows[0]?.answers !== false;
    } catch (error) {
      if (isUnreachable(error)) return false;
      throw error;
    }
  }

  async #isOnSilent(segmentIds: readonly number[]): Promise<boolean> {
    if (this.#silent.size === 0) return false;
    const values = [segmentIds, [...this.#silent]];
    const { rows } = await this.#control.query<{ answer: boolean }>(ARE_THERE, values);
    return rows[0]?.answer === true;
  }
}

const silence = (cause: unknown = new Error('a worker of Citus does not answer')): Error =>
  serviceError('unreachable', {}, { cause });

/** Those that have shards: one that is drained keeps its shards until they have moved. */
const WORKERS = `
select groupid as "groupId", nodename as host, nodeport as port from pg_catalog.pg_dist_node
where isactive and noderole = 'primary'
  and groupid in (select groupid from pg_catalog.pg_dist_placement)`;

/** Whether any of the segments ($1) has its pages on one of the workers ($2). */
const ARE_THERE = `
select exists (
  select from unnest($1::bigint[]) as segment(id)
  join pg_catalog.pg_dist_placement p
    on p.shardid = get_shard_id_for_distribution_column('sealed_segment_pages', segment.id)
  where p.groupid = any($2::int[])
) as answer`;
