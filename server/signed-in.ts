import { openGraphQLScope } from './graphql-scope.ts';
import { headersOf } from './headers-of.ts';
import type { Exchange } from './http-exchange.ts';
import type { Service } from './service.ts';
import { withScope } from './with-scope.ts';

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
