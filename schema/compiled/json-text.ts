/** A leaf's serialized value as JSON, the same text that `JSON.stringify` makes of it. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return JSON.stringify(value) ?? 'null';
}

/** Nothing that JSON escapes: quotes, backslashes, control characters and lone surrogates. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

export const quoted = (text: string): string =>
  PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
