import type { Writable } from 'node:stream';
import { Registry } from 'prom-client';
import { MEBIBYTE } from '../../domain/byte-units.ts';
import { LIMITS } from '../../domain/limits.ts';
import { FailedSignIns } from '../admission/failed-sign-ins.ts';
import { TokenUses } from '../admission/token-uses.ts';
import type { ExplorerOptions } from '../pages/explorer.ts';
import type { TrustedDocuments } from '../service/service.ts';
import type { Settings } from '../settings/settings.ts';
import { type BackgroundOptions, startBackground } from '../start-background.ts';
import { collectNodeMetrics } from '../telemetry/metrics.ts';
import type { Member } from './member.ts';
import { type FromChild, SharedKnowledge, shareOf, type ToChild } from './messages.ts';
import { GatheredMetrics, registerProcesses } from './process-metrics.ts';
import { Supervisor } from './supervisor.ts';

export type ParentOptions = BackgroundOptions & {
  readonly settings: Settings;
  /** Where the lines that the processes log are written. */
  readonly logOutput: Writable;
  readonly explorer: ExplorerOptions;
  readonly documents: TrustedDocuments;
  /** Aborts the start. */
  readonly signal: AbortSignal;
};

export type RunningProcesses = {
  readonly url: string;
  /** Rejects when the service cannot continue: no process serves and none can be started. */
  readonly failed: Promise<never>;
  /** Ends all processes once they have finished their requests in progress. */
  close(): Promise<void>;
  /** Kills all processes. */
  kill(): void;
};

/**
 * Starts as many processes as the settings say, all answering at one address, and keeps their
 * number constant. Errors: a process cannot serve.
 */
export async function startProcesses(options: ParentOptions): Promise<RunningProcesses> {
  options.log.info(sharesText(options.settings), 'the settings are divided among processes');
  const { supervisor, registry, failedSignIns, tokenUses } = new Parent(options);
  const url = await supervisor.complete(options.signal);
  const background = startBackground(registry, { ...options, failedSignIns, tokenUses });
  const { shutdownSeconds } = options.settings;
  const lateMs = shutdownSeconds * 1000 + LIMITS.traceFlushMs + LIMITS.processEndMs;
  return {
    url,
    failed: supervisor.failed,
    async close() {
      await Promise.all([background.stop(), supervisor.end(lateMs)]);
    },
    kill: () => supervisor.kill(),
  };
}

/** Passes messages between the serving processes. It answers no requests itself. */
class Parent {
  readonly supervisor: Supervisor;
  readonly registry = new Registry();
  readonly failedSignIns = new FailedSignIns();
  readonly tokenUses = new TokenUses();
  readonly #options: ParentOptions;
  readonly #metrics = new GatheredMetrics(this.registry, (err) =>
    this.#options.log.error({ err }, 'the metrics of a process that has ended were lost'),
  );
  readonly #knowledge: SharedKnowledge;

  constructor(options: ParentOptions) {
    this.#options = options;
    this.#knowledge = new SharedKnowledge(options.settings);
    this.supervisor = new Supervisor({
      size: options.settings.processes,
      port: options.settings.port,
      log: options.log,
      logOutput: options.logOutput,
      checkMs: LIMITS.processCheckMs,
      assign: (member) => this.#assign(member),
      onMessage: (member, message) => this.#receive(member, message),
      onGone: (member) => this.#metrics.forget(member),
      onServingChanged: () =>
        this.#tellOthers({ kind: 'servingCount', serving: this.supervisor.serving }),
    });
    collectNodeMetrics(this.registry);
    registerProcesses(this.registry, {
      serving: () => this.supervisor.serving,
      replaced: () => this.supervisor.replaced,
    });
  }

  #assign(member: Member): void {
    const { number } = member;
    const { settings, poolConnections } = shareOf(number, this.#options.settings);
    const { databaseUrl, explorer, documents } = this.#options;
    member.send({
      kind: 'start',
      assignment: {
        number,
        settings: { ...settings, port: this.supervisor.portToAsk() },
        poolConnections,
        databaseUrl,
        explorer,
        documents: [...documents],
        knowledge: this.#knowledge.all(),
      },
    });
  }

  #receive(member: Member, message: FromChild): void {
    if (message.kind === 'failedSignIns') this.failedSignIns.add(message.failed);
    else if (message.kind === 'tokenUses') this.tokenUses.add(message.uses);
    else if (message.kind === 'metrics') this.#metrics.noteReport(member, message.metrics);
    else if (message.kind === 'gatherMetrics') void this.#tellMetrics(member, message.id);
    else if (message.kind === 'news') {
      this.#knowledge.hear(message.news);
      this.#tellOthers(message, member);
    }
  }

  /** Skips processes without a number: they get all knowledge when they are assigned one. */
  #tellOthers(message: ToChild, except: Member | null = null): void {
    for (const member of this.supervisor.numbered) if (member !== except) member.send(message);
  }

  async #tellMetrics(member: Member, id: number): Promise<void> {
    try {
      const text = await this.#metrics.text(this.supervisor.active);
      member.send({ kind: 'allMetrics', id, text });
    } catch (err) {
      this.#options.log.error({ err }, 'the metrics of all processes could not be gathered');
    }
  }
}

/** Describes the share of the first process: no other process has more. */
function sharesText(all: Settings) {
  const { settings, poolConnections } = shareOf(1, all);
  const megabytes = (bytes: number): number => Math.round(bytes / MEBIBYTE);
  return {
    processes: all.processes,
    each: {
      workers: settings.workers,
      workerQueue: settings.workerQueue,
      blockCacheMb: megabytes(settings.blockCacheBytes),
      answerCacheMb: megabytes(settings.answerCacheBytes),
      responseCacheMb: megabytes(settings.responseCacheBytes),
      maxConcurrent: settings.maxConcurrent,
      maxConnections: settings.maxConnections,
      maxConnectionsPerAddress: settings.maxConnectionsPerAddress,
      maxStreams: settings.maxStreams,
      maxStreamsPerUser: settings.maxStreamsPerUser,
      databaseConnections: poolConnections,
    },
  };
}
