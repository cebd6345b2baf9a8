import { createGraphQLError, type Plugin } from 'graphql-yoga';

/** Whether `variables` and `extensions` are JSON within text: in URLs and in form bodies. */
const standsInText = (request: Request): boolean =>
  request.method === 'GET' ||
  (request.headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded');

/** Reports invalid JSON there as the caller's mistake. Yoga would report a defect of the server. */
export const parseUrlValues = (): Plugin => ({
  onRequestParse({ request, requestParser, setRequestParser }) {
    if (!requestParser || !standsInText(request)) return;
    setRequestParser(async (given) => {
      try {
        return await requestParser(given);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw createGraphQLError('variables and extensions must be JSON objects', {
          extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
        });
      }
    });
  },
});
