import type { IncomingMessage } from 'node:http';
import type { HeaderSource } from '../../schema/documents/credentials.ts';

/** Wraps headers so that `get` finds them by lower-case name and returns text, as in `Headers`. */
export const headersOf = ({ headers }: IncomingMessage): HeaderSource => ({
  get(name: string): string | null {
    const value = headers[name];
    return (Array.isArray(value) ? value.join(', ') : value) ?? null;
  },
});
