/** Returns a leaf's serialized value as JSON, the same text as `JSON.stringify` returns. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return JSON.stringify(value) ?? 'null';
}

/** Text without what JSON escapes: quotes, backslashes, control characters, lone surrogates. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

export const quoted = (text: string): string =>
  PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
