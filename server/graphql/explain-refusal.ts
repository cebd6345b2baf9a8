import { ERRORS, serviceError } from '../../domain/errors.ts';
import type { Answer } from '../http/http-exchange.ts';

/** Adds a body to the bare status that Yoga sends to a caller who accepts none of its types. */
export function explainRefusal(answer: Answer): Answer {
  if (answer.body.length > 0 || answer.status !== ERRORS.notAcceptable.status) return answer;
  const { message, code } = serviceError('notAcceptable');
  return {
    status: answer.status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ errors: [{ message, extensions: { code } }] }),
  };
}
