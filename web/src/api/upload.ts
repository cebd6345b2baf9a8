import { type KnownFile, knownFile, type UploadReport } from '../data/add/upload-report.ts';
import { faultOfResponse, NoAnswer, UNREACHABLE } from './fault.ts';
import { pageMeta } from './page-meta.ts';
import type { Session } from './session.ts';

export type Upload = {
  readonly file: File;
  readonly context: string;
  readonly format: string;
  /** Home networks in CIDR form. */
  readonly home: readonly string[];
  /** The zone of local times; empty: that of the server. */
  readonly timeZone: string;
  readonly skipsBadLines: boolean;
  /** What happens to a file that was imported before: all of it, or its new lines, are taken. */
  readonly ifKnown: 'refuse' | 'again' | 'grown';
};

type UploadOptions = {
  readonly session: Session;
  readonly signal: AbortSignal;
  /** Called with the share of the file that was sent, 0 to 1. */
  readonly onSent: (share: number) => void;
};

/** Returns how many megabytes a file may have; 0: uploads are switched off; null: unknown. */
export function uploadLimit(): number | null {
  const megabytes = pageMeta('upload-mb');
  return megabytes === '' ? null : Number(megabytes);
}

export type UploadOutcome =
  | { readonly kind: 'imported'; readonly report: UploadReport }
  | { readonly kind: 'known'; readonly known: KnownFile };

/** Uploads a file, and waits until it is imported. Errors: `NoAnswer`; the reason of an abort. */
export function upload(
  sent: Upload,
  { session, signal, onSent }: UploadOptions,
): Promise<UploadOutcome> {
  // `fetch` does not tell how much it has sent.
  const request = new XMLHttpRequest();
  request.open('POST', addressOf(sent));
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
      if (request.status === 200 && body !== null) resolve(outcomeOf(sent, body as Answer));
      else if (request.status === 409) resolve({ kind: 'known', known: knownFile(told(body)) });
      else reject(new NoAnswer(faultOfUpload(request, body)));
    };
    request.send(sent.file);
  });
}

function addressOf(sent: Upload): URL {
  const { file, context, format, home, timeZone, ifKnown } = sent;
  const address = new URL('upload', document.baseURI);
  const { searchParams: parameters } = address;
  for (const [name, value] of Object.entries({ context, format, name: file.name })) {
    parameters.set(name, value);
  }
  for (const network of home) parameters.append('home', network);
  if (timeZone !== '') parameters.set('time_zone', timeZone);
  if (sent.skipsBadLines) parameters.set('skip_bad_lines', 'true');
  if (ifKnown !== 'refuse') parameters.set(ifKnown, 'true');
  return address;
}

type Answer = UploadReport & { readonly nothingNew?: true };

function outcomeOf({ file }: Upload, answer: Answer): UploadOutcome {
  if (!answer.nothingNew) return { kind: 'imported', report: answer };
  return { kind: 'known', known: { message: `${file.name} has no new lines`, hasGrown: false } };
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

const told = (body: object | null): string => (body as { message?: string } | null)?.message ?? '';

/** Returns why a file was not imported, in the server's words. */
function faultOfUpload(request: XMLHttpRequest, body: object | null) {
  const message = told(body);
  const response = {
    status: request.status,
    headers: new Headers({ 'retry-after': request.getResponseHeader('retry-after') ?? '' }),
  };
  const fault = faultOfResponse(response, message === '' ? null : { message });
  return { ...fault, requestId: request.getResponseHeader('x-request-id') };
}
