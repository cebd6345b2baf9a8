import type { ServiceError } from '../../domain/errors.ts';
import type { Answer, Exchange } from '../http/http-exchange.ts';

/** A route's name in metrics and logs, and how it answers. */
export type Route = {
  readonly name: string;
  readonly answer: (exchange: Exchange) => Promise<void>;
  /** The route needs no permit: it answers however busy the server is. */
  readonly always?: true;
  /** The request is not valid HTTP, so that nothing else in it counts. */
  readonly isMalformed?: true;
};

/** Returns the route of a request that is not valid HTTP. */
export const malformed = (name: string, fault: ServiceError): Route => ({
  name,
  always: true,
  isMalformed: true,
  async answer() {
    throw fault;
  },
});

/** Returns a response with status 200. */
export const plainAnswer = (contentType: string, body: string): Answer => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
});
