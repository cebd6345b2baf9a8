import { createGraphQLError, type Plugin } from 'graphql-yoga';

/** Where parameters stand side by side, `variables` and `extensions` are JSON within text. */
const standsInText = (request: Request): boolean =>
  request.method === 'GET' ||
  (request.headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded');

/** Yoga takes text that is no JSON there for a defect of the server: it is the caller's mistake. */
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
