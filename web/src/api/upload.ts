import type { UploadReport } from '../data/add/upload-report.ts';
import { faultOfResponse, NoAnswer, UNREACHABLE } from './fault.ts';
import type { Session } from './session.ts';

export type Upload = {
  readonly file: File;
  readonly context: string;
  readonly format: string;
  /** Home networks in CIDR form. */
  readonly home: readonly string[];
  readonly skipsBadLines: boolean;
  /** What to do with a file, or a beginning of it, that was imported before. */
  readonly known: 'refuse' | 'grown' | 'again';
};

type UploadOptions = {
  readonly session: Session;
  readonly signal: AbortSignal;
  /** Called with the share of the file that was sent, 0 to 1. */
  readonly onSent: (share: number) => void;
};

/** Uploads a file, and waits until it is imported. Errors: `NoAnswer`; an `AbortError` on abort. */
export function upload(
  { file, context, format, home, skipsBadLines, known }: Upload,
  { session, signal, onSent }: UploadOptions,
): Promise<UploadReport> {
  const address = new URL('upload', document.baseURI);
  const parameters = { context, format, name: file.name };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  for (const network of home) address.searchParams.append('home', network);
  if (skipsBadLines) address.searchParams.set('skip_bad_lines', 'true');
  if (known !== 'refuse') address.searchParams.set(known, 'true');
  // `fetch` does not tell how much it has sent.
  const request = new XMLHttpRequest();
  request.open('POST', address);
  request.setRequestHeader('content-type', 'application/octet-stream');
  if (session.token !== null) {
    request.setRequestHeader('authorization', `Bearer ${session.token}`);
    request.setRequestHeader('x-username', session.username);
  }
  request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.onabort = () => reject(signal.reason);
    request.onerror = () => reject(new NoAnswer(UNREACHABLE));
    request.onload = () => {
      const body = parsed(request.responseText);
      if (request.status === 200 && body !== null) resolve(body as UploadReport);
      else reject(new NoAnswer(faultOfUpload(request, body)));
    };
    request.send(file);
  });
}

function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    // An error page of a proxy.
    return null;
  }
}

/** Returns why a file was not imported, in the server's words. */
function faultOfUpload(request: XMLHttpRequest, body: object | null) {
  const { message } = (body ?? {}) as { message?: string };
  const response = {
    status: request.status,
    headers: new Headers({ 'retry-after': request.getResponseHeader('retry-after') ?? '' }),
  };
  const fault = faultOfResponse(response, message === undefined ? null : { message });
  return { ...fault, requestId: request.getResponseHeader('x-request-id') };
}
