import { ERRORS, ServiceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { answerCors } from '../http/cors.ts';
import { type Exchange, send } from '../http/http-exchange.ts';
import { refusalOf } from '../http/refusal.ts';
import type { Service } from '../service/service.ts';
import type { Route } from './route.ts';

/** Answers a request by its route, even if the route fails, and releases its permit. */
export async function respond(service: Service, exchange: Exchange, route: Route): Promise<void> {
  const { gate, signal, response } = exchange;
  try {
    if (!route.isMalformed && answerCors(exchange, service.settings.corsOrigins)) return;
    if (!route.always) {
      gate.enter();
      await gate.mayBegin();
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
    if (signal.aborted) setTimeout(() => gate.leave(), LIMITS.goneCallerMs).unref();
    else gate.leave();
  }
}

const INTERNAL = new ServiceError('internal', ERRORS.internal.message);
