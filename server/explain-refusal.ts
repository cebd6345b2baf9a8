import { ERRORS, type ServiceError, serviceError } from '../domain/errors.ts';
import type { Answer } from './http-exchange.ts';

/** Yoga says nothing more than their status to some requests that it does not take. */
export function explainRefusal(answer: Answer): Answer {
  if (answer.body.length > 0) return answer;
  switch (answer.status) {
    case ERRORS.notAcceptable.status:
      return explained(answer.status, serviceError('notAcceptable'));
    case ERRORS.unsupportedMediaType.status:
      return explained(answer.status, {
        message: 'The content type is not supported, use application/json',
        code: ERRORS.unsupportedMediaType.code,
      });
    default:
      return answer;
  }
}

function explained(
  status: number,
  { message, code }: Pick<ServiceError, 'message' | 'code'>,
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ errors: [{ message, extensions: { code } }] }),
  };
}
