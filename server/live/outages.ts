import type { Logger } from '../telemetry/log.ts';

/**
 * Warns once when a node begins to fail the subscriptions that it answers. Each question asks it
 * again and again, and there may be hundreds.
 */
export class Outages {
  readonly #log: Pick<Logger, 'warn' | 'info' | 'debug'>;
  readonly #away = new Set<string>();

  constructor(log: Pick<Logger, 'warn' | 'info' | 'debug'>) {
    this.#log = log;
  }

  failed(node: string, err: unknown): void {
    const level = this.#away.has(node) ? 'debug' : 'warn';
    this.#away.add(node);
    this.#log[level]({ node, err }, 'a node cannot be reached: its subscriptions wait for it');
  }

  answered(node: string): void {
    if (!this.#away.delete(node)) return;
    this.#log.info({ node }, 'a node answers its subscriptions again');
  }
}
