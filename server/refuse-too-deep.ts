import { createGraphQLError, type Plugin } from 'graphql-yoga';
import { serviceError } from '../domain/errors.ts';

/**
 * The functions that read and check a document call themselves for each of its levels, fragments
 * included, so one that is some thousand levels deep comes to the end of the stack. That is no
 * defect of ours but a limit, and one that no real document comes near.
 */
export const refuseTooDeep = (): Plugin => ({
  onParse({ parseFn, setParseFn }) {
    setParseFn((...given: Parameters<typeof parseFn>) => {
      try {
        return parseFn(...given);
      } catch (error) {
        throw isTooDeep(error) ? tooDeep() : error;
      }
    });
  },
  onValidate({ validateFn, setValidationFn }) {
    setValidationFn((...given: Parameters<typeof validateFn>) => {
      try {
        return validateFn(...given);
      } catch (error) {
        if (isTooDeep(error)) return [tooDeep()];
        throw error;
      }
    });
  },
});

/** What V8 throws at the end of its stack. */
const isTooDeep = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('call stack');

function tooDeep() {
  const { message, code, status } = serviceError('limit', {
    what: 'The depth of a document, fragments included,',
    limit: 'a thousand levels',
    'what was given': 'more',
  });
  return createGraphQLError(message, { extensions: { code, http: { status } } });
}
