/** Whether a caller accepts server-sent events. Without an `accept` header anything is accepted. */
export function acceptsStream(accept = '*/*'): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return STREAM_RANGES.has(type) && !isRefused;
  });
}

const STREAM_RANGES: ReadonlySet<string> = new Set(['text/event-stream', 'text/*', '*/*']);
