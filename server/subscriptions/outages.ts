import type { Logger } from '../telemetry/log.ts';

/** A node that fails; for one that is not the primary, with the context that declares it. */
export type Outage = { readonly node: string; readonly context?: string };

/**
 * Warns once when a node begins to fail the subscriptions that it answers. Each query asks it
 * again and again, and there may be hundreds.
 */
export class Outages {
  readonly #log: Pick<Logger, 'warn' | 'info' | 'debug'>;
  readonly #away = new Set<string>();

  constructor(log: Pick<Logger, 'warn' | 'info' | 'debug'>) {
    this.#log = log;
  }

  failed(outage: Outage, err: unknown): void {
    const name = nameOf(outage);
    const level = this.#away.has(name) ? 'debug' : 'warn';
    this.#away.add(name);
    this.#log[level]({ ...outage, err }, 'a node cannot be reached: its subscriptions wait for it');
  }

  answered(outage: Outage): void {
    if (!this.#away.delete(nameOf(outage))) return;
    this.#log.info(outage, 'a node answers its subscriptions again');
  }
}

const nameOf = ({ node, context = '' }: Outage): string => JSON.stringify([context, node]);
