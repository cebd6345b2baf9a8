import { type ChildProcess, fork } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../../domain/limits.ts';
import { endedWithin } from '../ended-within.ts';
import { requireOwnFiles } from '../telemetry/program-version.ts';
import type { FromImporter, ImportOrder, ToImporter } from './importer-messages.ts';

/** Importers run the compiled program, even if these sources run uncompiled (in tests). */
const IMPORTER_FILE = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../dist/bundle/importer.js', import.meta.url)
    : new URL('./importer.js', import.meta.url),
);

/**
 * A process that imports one file, so that requests are answered meanwhile and its memory is freed
 * afterwards.
 */
export class Importer {
  /** Where the file is written to, as it is. */
  readonly input: Writable;
  /** What became of the file, once the process has ended. Never rejects. */
  readonly outcome: Promise<FromImporter>;
  readonly #child: ChildProcess;
  #isComplete = false;

  /** Errors: no process can be started, because an upgrade has replaced the program's files. */
  constructor(order: ImportOrder) {
    requireOwnFiles(IMPORTER_FILE);
    const child = fork(IMPORTER_FILE, [], {
      // A file is no program of ours to debug or profile.
      execArgv: [],
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    const { stdin } = child;
    if (!stdin) throw new Error('a process with a pipe as its standard input has none');
    this.input = stdin;
    // It ended before it had read everything: its outcome says why.
    stdin.on('error', () => undefined);
    this.outcome = outcomeOf(child, (reason) => this.#failed(reason, order.upload.name));
    this.#send({ kind: 'begin', order });
  }

  /** Tells the process that all of the file was written, without which it imports nothing. */
  complete(): void {
    this.#isComplete = true;
    // Not before the pipe has all of it: this process might be killed in between.
    this.input.end(() => this.#send({ kind: 'complete' }));
  }

  /** Ends the process. Resolves when it has ended; what it has not committed is undone. */
  async end(): Promise<void> {
    this.#child.kill('SIGTERM');
    if (!(await endedWithin(this.outcome, LIMITS.processEndMs))) this.#child.kill('SIGKILL');
    await this.outcome;
  }

  /** Returns what became of the file if the process has not said so. */
  #failed(reason: string, file: string): FromImporter {
    const outcome = this.#isComplete
      ? `it is not known whether ${file} was imported: send it again, it is refused if it was`
      : `nothing of ${file} was imported: send it again later`;
    return { kind: 'failed', outcome, reason };
  }

  #send(message: ToImporter): void {
    // Without a callback, a process that has just ended would be an error.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}

function outcomeOf(
  child: ChildProcess,
  failed: (reason: string) => FromImporter,
): Promise<FromImporter> {
  let told: FromImporter | null = null;
  let lastWords = '';
  child.on('message', (message: FromImporter) => {
    told = message;
  });
  child.stderr?.on('data', (text: Buffer) => {
    lastWords = (lastWords + text.toString()).slice(-LIMITS.uploadLastWords);
  });
  return new Promise((resolve) => {
    // There is no process, or a signal could not be sent to it.
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(failed(error.message));
    });
    // By then all that it has sent has arrived.
    child.once('close', (code, signal) => {
      const end = signal ? `ended by ${signal}` : `ended with status ${code}`;
      resolve(told ?? failed(`the process that imports was ${end}: ${lastWords.trim()}`));
    });
  });
}
