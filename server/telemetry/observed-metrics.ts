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

/** The label of names beyond the limit, and of names that are not of a plain form. */
export const OTHER = 'other';

/**
 * Turns names that callers choose into labels of metrics. Each label is a time series that is kept
 * forever, so only the first `most` names of a plain form get their own; all others are `other`.
 */
export class BoundedNames {
  readonly #most: number;
  readonly #names = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  labelOf(name: string): string {
    if (this.#names.has(name)) return name;
    if (this.#names.size >= this.#most || !PLAIN.test(name)) return OTHER;
    this.#names.add(name);
    return name;
  }
}

// An IPv6 address may begin with a colon.
const PLAIN = /^[\p{L}\p{N}_:][\p{L}\p{N}_ .:-]{0,63}$/u;
