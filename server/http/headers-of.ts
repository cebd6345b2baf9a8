import type { IncomingMessage } from 'node:http';
import type { HeaderSource } from '../../schema/documents/credentials.ts';

/** A header by its lower-case name, as a `Headers` gives it. */
export const headersOf = ({ headers }: IncomingMessage): HeaderSource => ({
  get(name: string): string | null {
    const value = headers[name];
    return (Array.isArray(value) ? value.join(', ') : value) ?? null;
  },
});
