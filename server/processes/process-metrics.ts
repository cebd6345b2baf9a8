import { Counter, type Registry } from 'prom-client';
import { observedGauge } from '../telemetry/observed-metrics.ts';

export type ObservedProcesses = {
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
