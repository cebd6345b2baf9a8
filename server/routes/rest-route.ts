import type { Credentials } from '../../resolvers/callers/identify.ts';
import { handleRest } from '../../rest/handle-request.ts';
import { readCredentials } from '../../schema/documents/credentials.ts';
import { type Exchange, headersOf } from '../http/http-exchange.ts';
import { requireOwnCredentials } from '../http/other-sites.ts';
import { receiveBody } from '../http/receive-body.ts';
import { send, withEntityTag } from '../http/send-answer.ts';
import type { Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';

const REFUSED = 'a request was refused by the backend';

/** Creates the route of the three legacy endpoints and the topper metrics for Prometheus. */
export function restRoute(service: Service): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const { request, path, method, query } = exchange;
    const answer = await handleRest(
      {
        path,
        method,
        query,
        contentType: request.headers['content-type'] ?? null,
        headerCredentials: () => headerCredentials(exchange),
        body: (mayAsk) => receiveBody(request, service.settings.restBodyBytes, mayAsk),
      },
      (timeoutSeconds, work) =>
        withScope(service, exchange, timeoutSeconds(service.settings), work),
      (error) => {
        service.metrics.error(error.kind);
        // The cause is for the operator alone: the caller must not see it.
        if (error.cause === undefined || error.status < 500) return;
        if (!service.failures.isNews(REFUSED, error)) return;
        exchange.log.warn({ err: error }, REFUSED);
      },
    );
    await send(exchange, withEntityTag(exchange, answer));
  };
}

/** Reads the `Authorization` header as GraphQL does. Error: `otherSite`. */
function headerCredentials(exchange: Exchange): Credentials | null {
  const credentials = readCredentials(headersOf(exchange.request));
  if (credentials) requireOwnCredentials(exchange);
  return credentials;
}
