import { headersOf } from '../http/headers-of.ts';
import type { Exchange } from '../http/http-exchange.ts';
import type { Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import { openGraphQLScope } from './graphql-scope.ts';

/**
 * Returns a function that checks whether a request has credentials, in the form that GraphQL takes.
 * Errors: `invalidToken` if they are wrong, `tooManyFailures`, and those of the database.
 */
export const signedInTest =
  (service: Service) =>
  (exchange: Exchange): Promise<boolean> =>
    withScope(service, exchange, service.settings.queryTimeoutSeconds, async (anonymous) => {
      const { identity } = await openGraphQLScope(headersOf(exchange.request), anonymous);
      return identity !== null;
    });
