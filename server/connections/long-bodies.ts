import type { IncomingMessage } from 'node:http';

/** Requests whose body somebody bounds who knows how large it may be. */
const long = new WeakSet<IncomingMessage>();

/**
 * Lifts what bounds the body of other requests: that all of it arrives within a time, and that an
 * answer sent before its end closes the connection. The caller of this reads all of the body, and
 * closes the connection of a client that sends too much or too slowly.
 */
export function allowLongBody(request: IncomingMessage): void {
  long.add(request);
}

export const hasLongBody = (request: IncomingMessage): boolean => long.has(request);
