import cluster from 'node:cluster';
import { LIMITS } from '../../domain/limits.ts';
import type { Assignment, FromChild, News, ToChild } from './messages.ts';

/** Why a serving process ends: the service ends, it alone was told to, or the parent died. */
export type EndReason = 'service' | 'signal' | 'orphaned';

/** A serving process's connection to its parent. */
export class ParentLink {
  /** What this process is told to serve. */
  readonly assignment: Promise<Assignment>;
  /** The first reason to end that occurs. */
  readonly ending: Promise<EndReason>;
  /** Called when the parent asks for the metrics of this process. */
  onTellMetrics: () => void = () => undefined;
  /** Called when the whole service ends, perhaps while this process was ending anyway. */
  onServiceEnds: () => void = () => undefined;
  #serving = Number.POSITIVE_INFINITY;
  #hear: ((news: News) => void) | null = null;
  /** News that arrived before `hearNews`. */
  readonly #unheard: News[] = [];
  readonly #gathering = new Map<number, (text: string) => void>();
  #lastId = 0;

  constructor(channel: Pick<NodeJS.Process, 'on'> = process) {
    let assign: (assignment: Assignment) => void = () => undefined;
    let end: (reason: EndReason) => void = () => undefined;
    this.assignment = new Promise((resolve) => {
      assign = resolve;
    });
    this.ending = new Promise((resolve) => {
      end = resolve;
    });
    channel.on('message', (message: ToChild) => {
      if (message.kind === 'start') assign(message.assignment);
      else if (message.kind === 'end') {
        end('service');
        this.onServiceEnds();
      } else this.#receive(message);
    });
    channel.on('SIGTERM', () => end('signal'));
    cluster.worker?.once('disconnect', () => {
      // Otherwise node:cluster ends the process immediately, with all of its requests in progress.
      if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
      end('orphaned');
      this.onServiceEnds();
    });
    void this.tell({ kind: 'hello' });
  }

  /** Passes on what other processes have found out since the assignment, and from now on. */
  hearNews(hear: (news: News) => void): void {
    this.#hear = hear;
    for (const news of this.#unheard.splice(0)) hear(news);
  }

  /** How many processes serve, according to the parent's last message. */
  get serving(): number {
    return this.#serving;
  }

  /** Resolves when the message was sent, or cannot be sent because the parent has ended. */
  tell(message: FromChild): Promise<void> {
    return new Promise((resolve) => {
      if (!process.connected || !process.send) resolve();
      else process.send(message, undefined, undefined, () => resolve());
    });
  }

  /** Returns the metrics of all processes as text. Errors: the parent does not answer in time. */
  gatherMetrics(): Promise<string> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#gathering.delete(id);
        reject(new Error('the parent process does not answer'));
      }, 2 * LIMITS.processMetricsMs);
      this.#gathering.set(id, (text) => {
        clearTimeout(timer);
        this.#gathering.delete(id);
        resolve(text);
      });
      void this.tell({ kind: 'gatherMetrics', id });
    });
  }

  #receive(message: Exclude<ToChild, { kind: 'start' | 'end' }>): void {
    switch (message.kind) {
      case 'news':
        if (this.#hear) this.#hear(message.news);
        else this.#unheard.push(message.news);
        break;
      case 'servingCount':
        this.#serving = message.serving;
        break;
      case 'ping':
        void this.tell({ kind: 'pong' });
        break;
      case 'tellMetrics':
        this.onTellMetrics();
        break;
      case 'allMetrics':
        this.#gathering.get(message.id)?.(message.text);
        break;
      default:
        message satisfies never;
    }
  }
}
