import { ERRORS } from '../domain/errors.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Documents the errors of domain/errors.ts, in their order there. */
export const errorsPart = (): string =>
  markdownTable(
    ['status', 'code', 'message', 'when'],
    Object.values(ERRORS).map(({ status, code: name, message, when }) => [
      String(status),
      code(name),
      code(message),
      when,
    ]),
  );
