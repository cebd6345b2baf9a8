import { Counter, Gauge, type Registry } from 'prom-client';

export type Named = { readonly name: string; readonly help: string };

/** Registers a counter whose value is read when it is scraped. */
export function observedCounter(registry: Registry, named: Named, value: () => number): void {
  new Counter({
    ...named,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

/** Registers a gauge whose value is read when it is scraped. */
export function observedGauge(registry: Registry, named: Named, value: () => number): void {
  new Gauge({
    ...named,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}
