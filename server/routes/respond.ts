import { ERRORS, ServiceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { refusalOf } from '../http/errors.ts';
import type { Answer, Exchange } from '../http/http-exchange.ts';
import { answerCors } from '../http/other-sites.ts';
import { send } from '../http/send-answer.ts';
import type { Service } from '../service/service.ts';

/** Answers a request by its route, even if the route fails, and releases its permit. */
export async function respond(service: Service, exchange: Exchange, route: Route): Promise<void> {
  const { throttle, signal, response } = exchange;
  try {
    if (!route.isMalformed && answerCors(exchange, service.settings.corsOrigins)) return;
    if (!route.always) {
      throttle.enter();
      await throttle.mayBegin();
      if (signal.aborted) return;
    }
    await route.answer(exchange);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof ServiceError) {
      service.metrics.error(error.kind);
      return send(exchange, refusalOf(exchange, error));
    }
    service.metrics.error('internal');
    exchange.log.error({ err: error }, 'a request failed');
    if (response.headersSent) response.destroy();
    else await send(exchange, refusalOf(exchange, INTERNAL));
  } finally {
    // Keep the permit briefly, or a client that connects and resets would never reach its limit.
    if (signal.aborted) setTimeout(() => throttle.leave(), LIMITS.goneCallerMs).unref();
    else throttle.leave();
  }
}

const INTERNAL = new ServiceError('internal', ERRORS.internal.message);

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
