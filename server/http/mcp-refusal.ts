import type { ErrorKind, ServiceError } from '../../domain/errors.ts';
import { renderError } from '../../rest/handle-request.ts';
import type { TextAnswer } from '../../rest/json-answer.ts';

/** JSON-RPC's own codes for some errors; all others have the first code reserved for servers. */
const CODES: Partial<Record<ErrorKind, number>> = {
  unreadableBody: -32_700,
  mcpBatch: -32_600,
  internal: -32_603,
};
const OTHER_CODE = -32_000;

/** Renders an error of a whole request as a JSON-RPC message. */
export function mcpRefusal(error: ServiceError): TextAnswer {
  const { status, headers } = renderError(error, ['POST']);
  const { message, kind, code } = error;
  const told = { code: CODES[kind] ?? OTHER_CODE, message, data: { code } };
  return { status, headers, body: JSON.stringify({ jsonrpc: '2.0', error: told, id: null }) };
}
