import { headersOf } from '../http/headers-of.ts';
import type { Exchange } from '../http/http-exchange.ts';
import type { Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import { openGraphQLScope } from './graphql-scope.ts';

/**
 * Whether a request brings credentials, as GraphQL takes them. Errors: `invalidToken` where they are
 * wrong, `tooManyFailures`, and those of the database.
 */
export const signedInTest =
  (service: Service) =>
  (exchange: Exchange): Promise<boolean> =>
    withScope(service, exchange, service.settings.queryTimeoutSeconds, async (anonymous) => {
      const { identity } = await openGraphQLScope(headersOf(exchange.request), anonymous);
      return identity !== null;
    });
