import { setMaxListeners } from 'node:events';
import { Worker } from 'node:worker_threads';
import { serviceError } from '../../../domain/errors.ts';
import { JobQueue, type QueuedJob } from './job-queue.ts';
import type { KernelResult, KernelTask } from './kernel-task.ts';
import type { WorkerReply, WorkerRequest } from './thread-pool-worker.ts';

/**
 * Who waits for a task, and until when. The signal is aborted when the caller has gone or the time
 * limit has passed; its reason is the error for the caller.
 */
export type KernelCaller = {
  /** The name of the user; empty: the caller is not identified yet. */
  readonly user: string;
  readonly signal: AbortSignal;
};

export type WorkerThreadsOptions = {
  /** Number of threads besides the one that answers requests. */
  readonly workers: number;
  /** Maximum number of tasks that wait for a thread; further tasks are refused. */
  readonly queueLength: number;
  /** For tests: the length of a slice in milliseconds. */
  readonly sliceMs?: number;
};

/**
 * How long a thread works on a task before it may turn to another: a small question of one user
 * waits for a few slices of the work of others.
 */
const SLICE_MS = 50;

type Job = QueuedJob & {
  readonly id: number;
  readonly task: KernelTask;
  readonly resolve: (result: KernelResult) => void;
  readonly reject: (reason: unknown) => void;
  /** Whether the thread has got the task. */
  hasBegun: boolean;
  /** Whether nobody waits for the result any more. */
  isOver: boolean;
};

type Thread = {
  readonly worker: Worker;
  job: Job | null;
  /** Ends when the slice should have ended long ago. */
  timer: NodeJS.Timeout | undefined;
  isOverdue: boolean;
};

/**
 * Runs tasks in worker threads, in slices: after each, the thread continues with the job that is
 * next in the queue. A job that has begun stays in its thread. Few tasks cannot be interrupted for
 * longer (re2js compiles a pattern in one step): other users then get one more thread, until there
 * is no more work for it. If a thread dies, its jobs fail and a new thread replaces it. Errors: `busy` if the queue is full and nobody has more jobs in it than
 * this caller; the reason of the caller's signal; a closed pool refuses every task.
 */
export class WorkerThreads {
  readonly #options: WorkerThreadsOptions;
  readonly #threads: Thread[] = [];
  readonly #queue = new JobQueue<Job>();
  #lastId = 0;
  #closed = false;

  constructor(options: WorkerThreadsOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  get busy(): number {
    return this.#threads.filter(({ job }) => job !== null).length;
  }

  get threads(): number {
    return this.#threads.length;
  }

  /** Starts a thread if there is none, so that the first task need not wait until it is loaded. */
  startThread(): void {
    if (!this.#closed && this.#threads.length === 0) this.#idleThread();
  }

  /** Errors: the caller has gone, the time limit has passed, or the pool is closed. */
  requireOpen({ signal }: KernelCaller): void {
    signal.throwIfAborted();
    // A thread started now would outlive the server, because nothing would end it.
    if (this.#closed) throw closing();
  }

  async run(task: KernelTask, caller: KernelCaller): Promise<KernelResult> {
    this.requireOpen(caller);
    const { user, signal } = caller;
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const leave = () => this.#drop(job, signal.reason);
      const job: Job = {
        id,
        user,
        task,
        thread: null,
        hasBegun: false,
        isOver: false,
        resolve(result) {
          signal.removeEventListener('abort', leave);
          resolve(result);
        },
        reject(reason) {
          signal.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      // A request may have many tasks: by default, Node warns of a leak at 11 listeners.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.add(job);
      const idle = this.#idleThread() ?? this.#reliefThread();
      if (idle) this.#next(idle);
      else if (this.waiting > this.#options.queueLength) this.#refuseOne();
    });
  }

  /** Refuses the newest job of the user with the most: nobody can fill the queue for others. */
  #refuseOne(): void {
    const job = this.#queue.newestOfMost();
    if (job) this.#drop(job, serviceError('busy'));
  }

  /** Rejects a job at once. If a thread works on it, the thread drops it after its slice. */
  #drop(job: Job, reason: unknown): void {
    const thread = this.#threads.find((each) => each === job.thread);
    job.isOver = true;
    job.reject(reason);
    if (thread?.job !== job) this.#queue.remove(job);
    if (thread && job.hasBegun) send(thread, { job: job.id, isDropped: true });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.jobs()) this.#drop(job, closing());
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  /** Returns an idle thread, or a new one if the limit allows it; null: all threads are busy. */
  #idleThread(): Thread | null {
    const idle = this.#threads.find(({ job }) => job === null);
    if (idle || this.#threads.length >= this.#options.workers) return idle ?? null;
    return this.#addThread();
  }

  #addThread(): Thread {
    const worker = new Worker(WORKER_FILE);
    const thread: Thread = { worker, job: null, timer: undefined, isOverdue: false };
    thread.worker.unref();
    thread.worker.on('message', (reply: WorkerReply) => this.#finish(thread, reply));
    thread.worker.on('error', (error) => this.#lose(thread, error));
    thread.worker.on('exit', () => this.#lose(thread, new Error('a kernel thread ended')));
    this.#threads.push(thread);
    return thread;
  }

  /** Returns one more thread if others wait because a slice does not end; null: they do not. */
  #reliefThread(): Thread | null {
    const late = this.#lateUsers();
    if (late.size === 0 || this.#threads.length >= 2 * this.#options.workers) return null;
    const isWanted = this.#queue.jobs().some((job) => job.thread === null && !late.has(job.user));
    return isWanted ? this.#addThread() : null;
  }

  #lateUsers(): ReadonlySet<string> {
    const overdue = this.#threads.filter(({ isOverdue }) => isOverdue);
    return new Set(overdue.flatMap(({ job }) => job?.user ?? []));
  }

  #finish(thread: Thread, reply: WorkerReply): void {
    const { job } = thread;
    clearTimeout(thread.timer);
    thread.isOverdue = false;
    thread.job = null;
    if (job && reply.kind === 'paused' && !job.isOver) this.#queue.pause(job, reply.ms);
    else if (job) {
      this.#queue.remove(job, reply.ms);
      if (reply.kind === 'done') job.resolve(reply.result);
      if (reply.kind === 'failed') job.reject(reply.error);
    }
    for (const idle of this.#threads.filter((each) => each.job === null)) this.#next(idle);
  }

  /** Lets a thread work on the next job. If there is none, an additional thread ends. */
  #next(thread: Thread): void {
    const isAdditional = this.#threads.length > this.#options.workers;
    const job = this.#queue.take(thread, isAdditional ? this.#lateUsers() : new Set());
    if (!job) {
      if (isAdditional) this.#endThread(thread);
      return;
    }
    const sliceMs = this.#options.sliceMs ?? SLICE_MS;
    thread.timer = setTimeout(() => this.#relieve(thread), 2 * sliceMs).unref();
    const task = job.hasBegun ? null : job.task;
    job.hasBegun = true;
    thread.job = job;
    send(thread, { job: job.id, sliceMs, task });
  }

  #relieve(thread: Thread): void {
    thread.isOverdue = true;
    const relief = this.#reliefThread();
    if (relief) this.#next(relief);
  }

  /** Ends a thread, unless jobs that have begun in it wait. */
  #endThread(thread: Thread): void {
    if (this.#queue.jobs().some((job) => job.thread === thread)) return;
    this.#threads.splice(this.#threads.indexOf(thread), 1);
    void thread.worker.terminate();
  }

  #lose(thread: Thread, error: Error): void {
    const index = this.#threads.indexOf(thread);
    if (index === -1) return;
    clearTimeout(thread.timer);
    this.#threads.splice(index, 1);
    const paused = this.#queue.jobs().filter((job) => job.thread === thread);
    for (const job of thread.job ? [thread.job, ...paused] : paused) {
      this.#queue.remove(job);
      job.reject(error);
    }
    if (this.#closed || this.waiting === 0) return;
    const fresh = this.#idleThread();
    if (fresh) this.#next(fresh);
  }
}

const closing = () => new Error('the server is closing');

const send = ({ worker }: Thread, request: WorkerRequest): void => worker.postMessage(request);

/** Threads run the compiled file, even if these sources run uncompiled (in tests). */
const WORKER_FILE = import.meta.url.endsWith('.ts')
  ? new URL('../../../dist/bundle/thread-pool-worker.js', import.meta.url)
  : new URL('./thread-pool-worker.js', import.meta.url);
