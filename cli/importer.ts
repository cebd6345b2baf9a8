import { Transform } from 'node:stream';
import { AccessError } from '../access/access-error.ts';
import { outcomeOf } from '../db/connection/transaction-outcome.ts';
import { hasCode } from '../domain/has-code.ts';
import { reasonOf } from '../domain/text/reason-of.ts';
import { AlreadyImported } from '../ingest/files/already-imported.ts';
import { importFile } from '../ingest/files/import-file.ts';
import type { ImportSource } from '../ingest/files/import-source.ts';
import { IngestError } from '../ingest/ingest-error.ts';
import type { FromImporter, ImportOrder, ToImporter } from '../server/uploads/importer-messages.ts';
import { passedOver, timedReport } from './commands/import.ts';
import { type ImportOptions, refuseMismatch } from './commands/import-options.ts';
import { UsageError } from './usage-error.ts';

// The program of a process that a server starts for an upload: it imports its standard input as one
// file, as `import -` does, for the user who has sent it.

process.title = 'countergraph: importer';
// A terminal sends these to all processes at once. The server decides what this one does.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);

/** The server has told this process to end, or has died. */
const stop = new AbortController();
const ended = new Error('the server has ended the import');
process.once('SIGTERM', () => stop.abort(ended));
process.once('disconnect', () => stop.abort(ended));

const begun = new Promise<ImportOrder>((resolve) => {
  process.on('message', (message: ToImporter) => {
    if (message.kind === 'begin') resolve(message.order);
  });
});
const completed = new Promise<void>((resolve, reject) => {
  process.on('message', (message: ToImporter) => {
    if (message.kind === 'complete') resolve();
  });
  stop.signal.addEventListener('abort', () => reject(ended));
});
// Nobody waits for it before the end of the input.
completed.catch(() => undefined);

function tell(message: FromImporter): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}

async function importUpload({
  databaseUrl,
  timeZone,
  upload,
  by,
}: ImportOrder): Promise<FromImporter> {
  const options = optionsOf(upload);
  refuseMismatch(options);
  const startedAt = performance.now();
  const notes: string[] = [];
  try {
    const report = await importFile({
      timeZone,
      ...options,
      databaseUrl,
      source: sourceOf(upload),
      uploader: by,
      signal: stop.signal,
      now: () => Math.floor(Date.now() / 1000),
      onNote: (note) => notes.push(note),
    });
    return { kind: 'imported', report: timedReport(report, { startedAt, notes }), isTaken: true };
  } catch (error) {
    const skipped = passedOver(error, options);
    if (skipped === null) throw error;
    return { kind: 'imported', report: skipped, isTaken: false };
  }
}

const optionsOf = ({ home, probe, timeZone, servicePort, ...upload }: ImportOrder['upload']) =>
  ({
    context: upload.context,
    format: upload.format,
    ...(home.length > 0 && { home: [...home] }),
    ...(probe !== null && { probe }),
    ...(timeZone !== null && { timeZone }),
    ...(servicePort !== null && { servicePort }),
    ...(upload.again && { again: true }),
    ...(upload.ifNew && { ifNew: true }),
    ...(upload.grown && { grown: true }),
    ...(upload.allowEmpty && { allowEmpty: true }),
    ...(upload.skipBadLines && { skipBadLines: true }),
  }) satisfies ImportOptions;

const sourceOf = ({ name }: ImportOrder['upload']): ImportSource => ({
  name,
  sizeBytes: null,
  isRepeatable: false,
  open: () => process.stdin.pipe(untilComplete()),
});

/** Passes on standard input, and ends only once the server says that its end is the file's end. */
const untilComplete = (): Transform =>
  new Transform({
    transform(block, _, done) {
      done(null, block);
    },
    flush(done) {
      completed.then(() => done(), done);
    },
  });

function failureOf({ upload: { name } }: ImportOrder, error: unknown): FromImporter {
  const refused = (why: 'notImported' | 'alreadyImported', message: string) =>
    ({ kind: 'refused', why, message }) as const;
  if (error instanceof AlreadyImported) return refused('alreadyImported', error.message);
  if (error instanceof AccessError) return refused('notImported', error.reason);
  const isMistake = error instanceof UsageError || error instanceof IngestError;
  // A copy of the file found no room, which is not the fault of whoever sends it.
  if (isMistake && !hasCode(error.cause, 'ENOSPC', 'EACCES', 'EROFS')) {
    return refused('notImported', error.message);
  }
  const outcome =
    outcomeOf(error) === 'unknown'
      ? `it is not known whether ${name} was imported: send it again, it is refused if it was`
      : `nothing of ${name} was imported: send it again later`;
  return { kind: 'failed', outcome, reason: reasonOf(error) };
}

const order = await begun;
await tell(await importUpload(order).catch((error: unknown) => failureOf(order, error)));
process.exit();
