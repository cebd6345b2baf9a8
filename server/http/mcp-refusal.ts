import type { ErrorKind, ServiceError } from '../../domain/errors.ts';
import { renderError } from '../../rest/handle-request.ts';
import type { Answer } from './http-exchange.ts';

/** Codes that JSON-RPC has for some errors; the others have the first of those left to servers. */
const CODES: Partial<Record<ErrorKind, number>> = {
  unreadableBody: -32_700,
  mcpBatch: -32_600,
  internal: -32_603,
};
const OTHER_CODE = -32_000;

/** An error of a whole request, as a message of JSON-RPC. */
export function mcpRefusal(error: ServiceError): Answer {
  const { status, headers } = renderError(error, ['POST']);
  const { message, kind, code } = error;
  const told = { code: CODES[kind] ?? OTHER_CODE, message, data: { code } };
  return { status, headers, body: JSON.stringify({ jsonrpc: '2.0', error: told, id: null }) };
}
