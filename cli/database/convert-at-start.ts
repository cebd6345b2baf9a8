import { openWaitingRoom } from '../../server/http/waiting-room.ts';
import type { Settings } from '../../server/settings/settings.ts';
import type { Logger } from '../../server/telemetry/log.ts';
import {
  type ConversionProgress,
  convertDatabase,
  hasFormat1,
} from '../../store/from-1.7/convert-database.ts';

export type StartOptions = {
  readonly databaseUrl: string;
  readonly settings: Settings;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/** Milliseconds between two progress lines in the log. */
const LOG_MS = 10_000;

/**
 * Converts what version 1.7 stored, before anything is served. This takes a while, so a waiting
 * room listens on the server's port meanwhile. Returns the port that the server must use.
 */
export async function convertAtStart(options: StartOptions): Promise<number> {
  const { databaseUrl, settings, log, signal } = options;
  if (!(await hasFormat1({ databaseUrl }))) {
    await convertDatabase({ databaseUrl }, { signal });
    return settings.port;
  }
  let problem = `${WHAT}: another process may be doing it`;
  const room = await openWaitingRoom(settings, () => problem);
  const tell = everySoOften(LOG_MS, (text: string) => log.info(text));
  try {
    log.info({ port: room.port }, `${WHAT}, and nothing else is answered meanwhile`);
    const converted = await convertDatabase(
      { databaseUrl },
      {
        signal,
        onProgress(progress) {
          problem = `${WHAT}: ${progressText(progress)}`;
          tell(problem);
        },
        onWaiting(context) {
          problem = `${WHAT}: waiting for other work on context ${context} to end`;
          log.info(problem);
        },
      },
    );
    log.info({ ...converted }, 'what version 1.7 stored was converted');
    return room.port;
  } finally {
    await room.close();
  }
}

const WHAT = 'what version 1.7 stored is being converted';

function progressText({ slices, bytes }: ConversionProgress): string {
  const percent = bytes.of === 0 ? 100 : Math.floor((100 * bytes.done) / bytes.of);
  return `${slices.done} of ${slices.of} slices, ${percent} %`;
}

function everySoOften<T>(ms: number, work: (value: T) => void): (value: T) => void {
  let next = performance.now() + ms;
  return (value) => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    work(value);
  };
}
