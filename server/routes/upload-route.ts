import { type ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type PermittedUpload, requireUploader } from '../../resolvers/changes/require-uploader.ts';
import type { AnonymousScope } from '../../resolvers/request-scope.ts';
import { decodeUpload, inParameters, type Upload } from '../../rest/endpoints/upload.ts';
import { jsonAnswer, type TextAnswer } from '../../rest/json-answer.ts';
import { readCredentials } from '../../schema/documents/credentials.ts';
import { askForBody } from '../connections/expectation.ts';
import { openGraphQLScope } from '../graphql/graphql-scope.ts';
import { type Exchange, headersOf } from '../http/http-exchange.ts';
import { requireOwnCredentials } from '../http/other-sites.ts';
import { isGzipped } from '../http/receive-body.ts';
import { send } from '../http/send-answer.ts';
import type { Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import { auditChange } from '../telemetry/audit.ts';
import { Importer } from '../uploads/importer.ts';
import type { FromImporter, ImportOrder } from '../uploads/importer-messages.ts';
import { fileTooLarge, UploadBody } from '../uploads/upload-body.ts';

/**
 * Creates the route of uploads: a POST is one file, which a process of its own imports as `import`
 * does, and whose report it answers. The body is passed on as it arrives.
 */
export function uploadRoute(service: Service): (exchange: Exchange) => Promise<void> {
  const { uploadBytes } = service.settings;
  let inProgress = 0;
  return async (exchange) => {
    const { method, query, signal } = exchange;
    if (method !== 'POST') throw serviceError('methodNotAllowed', { method, methods: 'POST' });
    if (uploadBytes === 0) throw serviceError('uploadsOff');
    const permitted = async () =>
      withScope(service, fromNow(exchange), service.settings.queryTimeoutSeconds, (anonymous) =>
        permit(exchange, anonymous, () => decodeUpload(query)),
      );
    const { upload, by } = await permitted();
    requireFile(exchange, uploadBytes);
    if (inProgress >= LIMITS.uploadsAtOnce) throw IN_PROGRESS;
    inProgress += 1;
    try {
      const order = {
        databaseUrl: service.pools.primaryUrl,
        timeZone: service.settings.timeZone,
        upload,
        by: { user: by.username, from: exchange.current.from, mayCreate: by.mayCreate },
      };
      // Whoever may no longer upload when all of the file has arrived has uploaded nothing.
      const outcome = await importBody(service, exchange, { order, again: permitted });
      if (!signal.aborted) await send(exchange, answerOf(service, exchange, { order, outcome }));
    } finally {
      inProgress -= 1;
    }
  };
}

const IN_PROGRESS = serviceError(
  'uploadInProgress',
  {},
  { retryAfterSeconds: LIMITS.uploadRetrySeconds },
);

/** The limits of time of a request are those of one with a short body. */
const fromNow = ({ signal, throttle, current, log, session, unread }: Exchange) => ({
  signal,
  throttle,
  current,
  log,
  session,
  unread,
  arrivedAt: performance.now(),
});

type Permitted = { readonly upload: Upload; readonly by: PermittedUpload };

/** Errors: those of credentials and sessions come first, then those of parameters and rights. */
async function permit(
  exchange: Exchange,
  anonymous: AnonymousScope,
  decode: () => Upload,
): Promise<Permitted> {
  const headers = headersOf(exchange.request);
  if (readCredentials(headers)) requireOwnCredentials(exchange);
  const scope = await openGraphQLScope(headers, anonymous);
  if (scope.identity === null) throw serviceError('invalidToken');
  const upload = decode();
  return { upload, by: await requireUploader(scope, upload.context) };
}

/** Refuses a body by its headers. */
function requireFile({ request: { headers } }: Exchange, limitBytes: number): void {
  const type = headers['content-type'] ?? '';
  if (/^multipart\/form-data\b/i.test(type)) throw serviceError('fileAsForm');
  // An import recognizes gzip by its first bytes, whatever the headers say.
  isGzipped(headers);
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw fileTooLarge(limitBytes);
}

type ImportOfBody = { readonly order: ImportOrder; readonly again: () => Promise<unknown> };

/** again: called once all of the body has arrived; if it fails, nothing is imported. */
async function importBody(
  { settings }: Service,
  { request, signal }: Exchange,
  { order, again }: ImportOfBody,
): Promise<FromImporter> {
  const importer = new Importer(order);
  askForBody(request);
  const body = new UploadBody(request, importer.input, {
    limitBytes: settings.uploadBytes,
    paceSeconds: settings.slowCallerSeconds,
  });
  const end = () => void importer.end();
  signal.addEventListener('abort', end, { once: true });
  try {
    const early = await Promise.race([body.arrived, importer.outcome]);
    if (early) return early;
    await again();
    importer.complete();
    return await importer.outcome;
  } catch (error) {
    await importer.end();
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
    body.drop();
  }
}

type Ended = { readonly order: ImportOrder; readonly outcome: FromImporter };

/** Errors: why the file was not imported. */
function answerOf(
  { metrics }: Pick<Service, 'metrics'>,
  { log }: Exchange,
  { order: { upload, by }, outcome }: Ended,
): TextAnswer {
  if (outcome.kind !== 'imported') throw failureOf(log, outcome);
  const { context, format, name: file } = upload;
  const { user, from } = by;
  if (outcome.isTaken) {
    auditChange(log, metrics, { mutation: 'upload', user, from, context, file, format });
  }
  return jsonAnswer(200, outcome.report);
}

function failureOf(
  log: Exchange['log'],
  outcome: Exclude<FromImporter, { kind: 'imported' }>,
): ServiceError {
  if (outcome.kind === 'refused') {
    return serviceError(outcome.why, { 'what the import says': inParameters(outcome.message) });
  }
  log.error({ reason: outcome.reason }, 'an uploaded file could not be imported');
  return serviceError('importFailed', { 'what became of the file': outcome.outcome });
}
