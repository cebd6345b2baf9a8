import { AggregatorRegistry, Counter, type Registry } from 'prom-client';
import { LIMITS } from '../../domain/limits.ts';
import { observedGauge } from '../telemetry/observed-metrics.ts';
import type { MetricValues, ToChild } from './messages.ts';

/** A process that reports its metrics on request. */
type Teller = { readonly send: (message: ToChild) => void };

/** A request for the metrics of one process. */
type PendingAnswer = { readonly done: Promise<void>; readonly answered: () => void };

/**
 * The metrics of all processes together. The counts of a process stay in the sum after it ends: a
 * sum that falls looks like a counter reset, after which Prometheus would compute a burst.
 */
export class GatheredMetrics {
  readonly #own: Registry;
  readonly #pending = new Map<Teller, PendingAnswer>();
  readonly #last = new Map<Teller, readonly MetricValues[]>();
  readonly #onLost: (error: unknown) => void;
  #gone: Promise<readonly MetricValues[]> = Promise.resolve([]);

  /**
   * own: the metrics of the parent itself. onLost: called when the counts of a process that has
   * ended cannot be added to the sum.
   */
  constructor(own: Registry, onLost: (error: unknown) => void) {
    this.#own = own;
    this.#onLost = onLost;
  }

  /** Returns all metrics as text. If a process does not answer in time, its last report is used. */
  async text(members: readonly Teller[]): Promise<string> {
    await Promise.all(members.map((member) => this.#ask(member)));
    const own = await valuesOf(this.#own);
    const gone = await this.#gone;
    // The parent's metrics come last, since it has only a few.
    return AggregatorRegistry.aggregate([...this.#last.values(), gone, own]).metrics();
  }

  /** Notes the metrics that a process reports on request, or before it ends. */
  noteReport(member: Teller, metrics: readonly MetricValues[]): void {
    this.#last.set(member, metrics);
    this.#pending.get(member)?.answered();
  }

  /** Notes that a process has ended. */
  forget(member: Teller): void {
    const last = this.#last.get(member) ?? [];
    this.#last.delete(member);
    this.#pending.get(member)?.answered();
    const counted = last.filter(({ type }) => type === 'counter' || type === 'histogram');
    if (counted.length === 0) return;
    this.#gone = this.#gone.then((gone) => this.#sum(gone, counted));
  }

  /** Returns the sum of both, or what was there before if that fails. */
  async #sum(
    before: readonly MetricValues[],
    more: readonly MetricValues[],
  ): Promise<readonly MetricValues[]> {
    try {
      return await valuesOf(AggregatorRegistry.aggregate([before, more]));
    } catch (error) {
      this.#onLost(error);
      return before;
    }
  }

  #ask(member: Teller): Promise<void> {
    const before = this.#pending.get(member);
    if (before) return before.done;
    let answered: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      const timer = setTimeout(() => answered(), LIMITS.processMetricsMs);
      answered = () => {
        clearTimeout(timer);
        this.#pending.delete(member);
        resolve();
      };
    });
    this.#pending.set(member, { done, answered });
    member.send({ kind: 'tellMetrics' });
    return done;
  }
}

/** Returns metrics in a form that can be sent to another process. */
export const valuesOf = (registry: Registry): Promise<MetricValues[]> =>
  registry.getMetricsAsJSON() as Promise<object[]> as Promise<MetricValues[]>;

type ObservedProcesses = {
  /** How many processes answer requests. */
  readonly serving: () => number;
  /** How many were replaced, because they died or were told to end. */
  readonly replaced: () => { readonly died: number; readonly ended: number };
};

/** Registers metrics of the number of processes; a server of only one process has them, too. */
export function registerProcesses(registry: Registry, observed: ObservedProcesses): void {
  observedGauge(
    registry,
    {
      name: 'countergraph_processes',
      help: 'Processes that answer requests; COUNTERGRAPH_PROCESSES is how many there should be',
    },
    () => observed.serving(),
  );
  new Counter({
    name: 'countergraph_replaced_processes_total',
    help: 'Processes that were replaced because they died, or because they were told to end',
    labelNames: ['why'],
    registers: [registry],
    collect() {
      const { died, ended } = observed.replaced();
      this.reset();
      this.inc({ why: 'died' }, died);
      this.inc({ why: 'ended' }, ended);
    },
  });
}
