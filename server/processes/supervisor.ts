import cluster from 'node:cluster';
import type { Writable } from 'node:stream';
import { LIMITS } from '../../domain/limits.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import type { Logger } from '../telemetry/log.ts';
import { Member } from './member.ts';
import type { FromChild } from './messages.ts';

export type SupervisorOptions = {
  /** How many processes should serve. */
  readonly size: number;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Logger;
  /** Where the lines that members log are written. */
  readonly logOutput: Writable;
  /** How often each process is pinged. */
  readonly checkMs: number;
  /** Called when a member was assigned a number and should start serving. */
  readonly assign: (member: Member) => void;
  /** Called with the messages of members that the supervisor does not handle itself. */
  readonly onMessage: (member: Member, message: FromChild) => void;
  readonly onGone: (member: Member) => void;
  /** Called when the number of serving processes has changed. */
  readonly onServingChanged: () => void;
};

/**
 * Keeps the number of serving processes constant. A spare process, which has already loaded the
 * program, replaces a dead one immediately: loading takes a second of processor time, and longer
 * while the others are busy.
 */
export class Supervisor {
  readonly replaced = { died: 0, ended: 0 };
  /** Rejects when no process serves any longer and none can be started. */
  readonly failed: Promise<never>;
  readonly #options: SupervisorOptions;
  readonly #complete: Promise<string>;
  readonly #members = new Set<Member>();
  /** Numbers that no process has. */
  readonly #free: number[];
  #url: string | null = null;
  #port: number;
  #isEnding = false;
  /** Starts that failed since the last success, and whether the next start is delayed. */
  #failedStarts = 0;
  #isPausing = false;
  readonly #checking: NodeJS.Timeout;
  #completed: (url: string) => void = () => undefined;
  #incomplete: (error: Error) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#free = Array.from({ length: options.size }, (_, i) => i + 1);
    this.#complete = new Promise((resolve, reject) => {
      this.#completed = resolve;
      this.#incomplete = reject;
    });
    this.#complete.catch(() => undefined);
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined);
    // Members accept connections themselves: this costs the parent nothing, and a process that dies
    // breaks only the connections that it has accepted (ADR 14).
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    this.#checking = setInterval(() => this.#check(), options.checkMs);
    this.#fill();
  }

  /**
   * Returns the address once all processes serve. Errors: one could not start, or the signal was
   * aborted; all processes have ended by then.
   */
  async complete(signal: AbortSignal): Promise<string> {
    const giveUp = () => this.#incomplete(signal.reason);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
    try {
      return await this.#complete;
    } catch (error) {
      await this.end(0);
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Members that answer requests, including those that are ending. */
  get active(): Member[] {
    return this.#in('serving', 'leaving');
  }

  /** Members that were told to serve. */
  get numbered(): Member[] {
    return this.#in('starting', 'serving', 'leaving');
  }

  get serving(): number {
    return this.#in('serving').length;
  }

  /**
   * The port that a member is told to listen on. While at least one member listens, node:cluster
   * identifies the shared socket by the port that was requested, which may be 0. Once no member
   * listens any longer, the port that was assigned must be requested by its number.
   */
  portToAsk(): number {
    if (this.#url !== null && this.serving === 0) this.#port = Number(new URL(this.#url).port);
    return this.#port;
  }

  /** Ends all members, and kills those still running after `lateMs`. No member is replaced. */
  async end(lateMs: number): Promise<void> {
    this.#isEnding = true;
    for (const member of this.#members) {
      if (member.number > 0) member.send({ kind: 'end' });
      else member.kill();
    }
    const late = setTimeout(() => this.kill(), lateMs);
    await Promise.all([...this.#members].map(({ exited }) => exited));
    clearTimeout(late);
    clearInterval(this.#checking);
  }

  /** Kills all members. No member is replaced. */
  kill(): void {
    this.#isEnding = true;
    for (const member of this.#members) member.kill();
  }

  #in(...states: readonly Member['state'][]): Member[] {
    return [...this.#members].filter(({ state }) => states.includes(state));
  }

  /** Loads a process for each free number and, once all serve, a spare one. */
  #fill(): void {
    if (this.#isEnding || this.#isPausing) return;
    const wanted = this.#free.length + (this.#url === null ? 0 : 1);
    while (!this.#isPausing && this.#in('loading', 'spare').length < wanted) this.#load();
  }

  #load(): void {
    try {
      const member = new Member({
        onMessage: (from, message) => this.#receive(from, message),
        onExit: (gone, reason) => this.#noteExit(gone, reason),
        logOutput: this.#options.logOutput,
      });
      this.#members.add(member);
    } catch (error) {
      // For example, there is no memory for another process.
      this.#noteFailedStart({}, reasonOf(error));
    }
  }

  /** Gives a free number to the spare process. */
  #assign(): void {
    const [member] = this.#in('spare');
    const [number] = this.#free;
    if (this.#isEnding || !member || number === undefined) return;
    this.#free.shift();
    member.number = number;
    member.state = 'starting';
    this.#options.assign(member);
    this.#fill();
  }

  #receive(member: Member, message: FromChild): void {
    if (message.kind === 'hello') {
      member.state = 'spare';
      this.#assign();
    } else if (message.kind === 'serving') this.#noteServing(member, message.url);
    else if (message.kind === 'leaving') this.#noteLeaving(member);
    else if (message.kind === 'pong') member.silentChecks = 0;
    else this.#options.onMessage(member, message);
  }

  /**
   * Kills processes that hang. Health checks would not notice: the other processes answer them;
   * and a spare process that hangs would be given a number and never serve.
   */
  #check(): void {
    for (const member of this.#in('spare', 'starting', 'serving', 'leaving')) {
      if (member.silentChecks >= LIMITS.processSilentChecks) {
        this.#options.log.error(nameOf(member), 'a process does not answer, and is killed');
        member.kill();
      }
      member.silentChecks += 1;
      member.send({ kind: 'ping' });
    }
  }

  #noteServing(member: Member, url: string): void {
    // The other members died while this one started, so it was assigned another port: replace it
    // with a process that listens on the service's port.
    if (this.#url !== null && url !== this.#url) {
      member.state = 'leaving';
      member.kill();
      this.#replace(member);
      return;
    }
    member.state = 'serving';
    this.#failedStarts = 0;
    this.#options.log.info(nameOf(member), 'a process serves');
    if (this.#url === null && this.serving === this.#options.size) {
      this.#url = url;
      this.#completed(url);
      this.#fill();
    }
    this.#options.onServingChanged();
  }

  /** This member alone was told to end, not the service. */
  #noteLeaving(member: Member): void {
    member.state = 'leaving';
    if (this.#isEnding) return;
    this.#options.log.info(nameOf(member), 'a process was told to end, and is replaced');
    this.replaced.ended += 1;
    this.#replace(member);
  }

  #noteExit(gone: Member, reason: string): void {
    this.#members.delete(gone);
    this.#options.onGone(gone);
    if (this.#isEnding || gone.state === 'leaving') return;
    if (gone.state !== 'serving') {
      if (gone.number > 0) this.#free.push(gone.number);
      this.#noteFailedStart(nameOf(gone), reason);
      return;
    }
    const { log } = this.#options;
    log.error({ ...nameOf(gone), reason }, 'a process died, and is replaced');
    this.replaced.died += 1;
    this.#replace(gone);
  }

  #replace({ number }: Member): void {
    this.#free.push(number);
    this.#assign();
    this.#fill();
    this.#options.onServingChanged();
  }

  /** A start that failed will probably fail again: the next one is delayed, with backoff. */
  #noteFailedStart(name: object, reason: string): void {
    if (this.#url === null) {
      this.#incomplete(new Error(reason));
      return;
    }
    this.#failedStarts += 1;
    this.#options.log.error({ ...name, reason }, 'a process could not start');
    if (this.#failedStarts >= LIMITS.processStarts && this.serving === 0) {
      this.#fail(new Error(`No process serves, and none can be started: ${reason}`));
      return;
    }
    const doubledMs = LIMITS.processPauseMs * 2 ** (this.#failedStarts - 1);
    this.#isPausing = true;
    setTimeout(
      () => {
        this.#isPausing = false;
        this.#fill();
      },
      Math.min(doubledMs, LIMITS.processLongestPauseMs),
    ).unref();
  }
}

/** Named `childPid`, because `pid` in the parent's log lines is the parent's own. */
const nameOf = ({ number, pid }: Member) => ({
  ...(number > 0 && { child: String(number) }),
  childPid: pid,
});
