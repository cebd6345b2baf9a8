import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MEBIBYTE } from '../../../domain/byte-units.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { holdTables } from '../../support/database/held-tables.ts';
import { RawConnection, statusOf } from '../../support/http/raw-connection.ts';
import { basic, startTestService, type TestService } from '../../support/lab/service.ts';
import {
  connLog,
  EDITOR,
  openUpload,
  READER,
  startUploadLab,
  told,
  upload,
  uploadPath,
} from '../../support/lab/upload-lab.ts';

const LIMIT = 2 * MEBIBYTE;
const SECONDS = 2;

let lab: TestService;

beforeAll(async () => {
  lab = await startUploadLab({ settings: { uploadBytes: LIMIT, slowCallerSeconds: SECONDS } });
});

afterAll(() => lab.close());

let before = 0;

const imports = async (): Promise<number> =>
  (await lab.sql<{ n: number }>('select count(*)::int as n from imports'))[0]?.n ?? 0;

beforeEach(async () => {
  before = await imports();
});

/** The processes that import for this one. */
const importers = (): string[] =>
  execFileSync('ps', ['-ww', '-A', '-o', 'ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => Number(line.trim().split(' ')[0]) === process.pid && /importer/.test(line));

/** The number of imports whose statement waits for a lock. */
async function importsWaiting(): Promise<number | undefined> {
  const [row] = await lab.sql<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database()
       and application_name like 'countergraph import%' and wait_event_type = 'Lock'`,
  );
  return row?.n;
}

/** Nothing of an upload is left: no process, no import, and others may upload. */
async function expectNothingLeft(): Promise<void> {
  await expect.poll(importers).toEqual([]);
  expect(await imports()).toBe(before);
  await expect
    .poll(async () => (await upload(lab, connLog(1), { again: 'true' })).status)
    .toBe(200);
}

/** A log of exactly as many bytes, most of them in comments. */
function logOf(bytes: number, first: number): string {
  const log = connLog(1, first);
  const comment = `#${'x'.repeat(1022)}\n`;
  const left = bytes - log.length;
  return log + comment.repeat(Math.floor(left / 1024)) + '\n'.repeat(left % 1024);
}

describe('the size of a file', () => {
  it('may be the limit, as it is sent', async () => {
    expect(told(await upload(lab, logOf(LIMIT, 1)))).toMatchObject([200, { records: 1 }]);
  });

  const TOO_LARGE =
    'The file must be at most 2 MB as it is sent, compress or split it, or raise COUNTERGRAPH_UPLOAD_MB';

  it('is refused by its header before the body is read', async () => {
    expect(told(await upload(lab, logOf(LIMIT + 1, 2)))).toEqual([413, TOO_LARGE]);
    await expectNothingLeft();
  });

  it('is counted while a body without a length arrives', async () => {
    const { asked, answer, write, end } = openUpload(lab);
    await asked;
    write(logOf(LIMIT, 3));
    write('\n');
    expect(told(await answer)).toEqual([413, TOO_LARGE]);
    end();
    await expectNothingLeft();
  });
});

describe('a client that waits to be asked for the body', () => {
  it.each([
    ['a reader', READER, {}, 403],
    ['a form', EDITOR, { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['another encoding', EDITOR, { 'content-encoding': 'br' }, 415],
    ['too large a file', EDITOR, { 'content-length': String(LIMIT + 1) }, 413],
  ])('is not asked: %s', async (_, as, headers, status) => {
    const { asked, answer } = openUpload(lab, as, headers);
    const first = await Promise.race([asked.then(() => 'asked'), answer]);
    expect(first).toMatchObject({ status });
  });
});

it('a form is refused with what to do instead', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  expect(told(await upload(lab, '--x', {}, { headers }))).toEqual([
    415,
    'The body must be the file itself, not a form that contains it (multipart/form-data): send it as `curl --data-binary @FILE` does',
  ]);
});

describe('of two uploads at once', () => {
  it('the second is told to come back, and may once the first is over', async () => {
    const first = openUpload(lab);
    await first.asked;
    const second = await upload(lab, connLog(1, 50));
    expect(told(second)).toEqual([
      503,
      'Another file is being uploaded, try again when it is imported',
    ]);
    expect(second.headers['retry-after']).toBe(String(LIMITS.uploadRetrySeconds));
    first.write(connLog(1, 51));
    first.end();
    expect(told(await first.answer)).toMatchObject([200, { records: 1 }]);
    expect(told(await upload(lab, connLog(1, 50)))).toMatchObject([200, { records: 1 }]);
  });
});

describe('a client that goes away', () => {
  it('in the middle of the file has uploaded nothing', async () => {
    const { asked, write, goAway } = openUpload(lab);
    await asked;
    write(connLog(2, 60));
    goAway();
    await expectNothingLeft();
  });

  it('while its file is imported has uploaded nothing', async () => {
    const held = await holdTables(lab.databaseUrl, ['imports']);
    const { asked, write, end, goAway } = openUpload(lab);
    await asked;
    write(connLog(2, 61));
    end();
    await expect.poll(importsWaiting).toBe(1);
    goAway();
    await expect.poll(importers).toEqual([]);
    await held.release();
    await expectNothingLeft();
  });
});

describe('a file that arrives slowly', () => {
  const TOO_SLOW = `At least 16384 bytes of the file must arrive in each ${SECONDS} seconds`;

  it('is refused when nothing arrives any more', async () => {
    const { asked, answer, write, end } = openUpload(lab);
    await asked;
    write(connLog(2, 70));
    expect(told(await answer)).toEqual([408, TOO_SLOW]);
    end();
    await expectNothingLeft();
  });

  it('is refused if a byte arrives now and then, and cut off if it goes on', async () => {
    const connection = await RawConnection.open(lab.url);
    const { authorization } = basic(EDITOR);
    const head = `host: x\r\nauthorization: ${authorization}\r\ncontent-length: 9999`;
    connection.write(`POST ${uploadPath()} HTTP/1.1\r\n${head}\r\n\r\n`);
    while (!connection.isClosed) {
      connection.write('#');
      await delay(50);
    }
    expect(statusOf(connection.received)).toBe(408);
    expect(connection.received).toContain(TOO_SLOW);
    await expectNothingLeft();
  });

  it('is imported however long it takes, as long as it goes on', async () => {
    const { asked, answer, write, end } = openUpload(lab);
    await asked;
    const log = logOf(40 * LIMITS.uploadLeastBytes, 71);
    // Longer than all of another request may take.
    for (let at = 0; at < log.length; at += 2 * LIMITS.uploadLeastBytes) {
      write(log.slice(at, at + 2 * LIMITS.uploadLeastBytes));
      await delay((SECONDS * 1000) / 5);
    }
    end();
    expect(told(await answer)).toMatchObject([200, { records: 1 }]);
  });

  it('may wait for its import, however long that does not read on', async () => {
    const held = await holdTables(lab.databaseUrl, ['imports']);
    const { asked, answer, write, end } = openUpload(lab);
    await asked;
    // More than the pipe and the buffers in between take.
    write(logOf(LIMIT, 80));
    end();
    await expect.poll(importsWaiting).toBe(1);
    await delay(2.5 * SECONDS * 1000);
    await held.release();
    expect(told(await answer)).toMatchObject([200, { records: 1 }]);
  });
});

describe('a file that is refused before all of it has arrived', () => {
  const WRONG = `${connLog(1)}nonsense\n`;
  const MESSAGE = 'Nothing was imported - uploaded file, line 3: it must have 8 fields, got 1';

  it('is answered at once, and what follows is read, so that browsers see the answer', async () => {
    const connection = await RawConnection.open(lab.url);
    const { authorization } = basic(EDITOR);
    const body = WRONG + '#\n'.repeat(LIMIT / 8);
    const head = `host: x\r\nauthorization: ${authorization}\r\ncontent-length: ${body.length}`;
    connection.write(`POST ${uploadPath()} HTTP/1.1\r\n${head}\r\n\r\n${body.slice(0, 100_000)}`);
    expect(await connection.until(MESSAGE)).toContain('HTTP/1.1 400');
    connection.write(body.slice(100_000));
    connection.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await connection.until('alive')).toContain('alive');
    connection.destroy();
    await expectNothingLeft();
  });

  it('is cut off if far more follows than was announced', async () => {
    const { asked, answer, sent } = openUpload(lab);
    await asked;
    sent.write(WRONG);
    expect(told(await answer)).toEqual([400, MESSAGE]);
    const more = Buffer.alloc(MEBIBYTE, '\n');
    while (!sent.destroyed) {
      sent.write(more);
      await delay(1);
    }
    await expectNothingLeft();
  });
});

it('a server that closes ends an upload after its time, and nothing is imported', async () => {
  const { databaseUrl } = lab;
  const closing = await startTestService({ databaseUrl, settings: { shutdownSeconds: 1 } });
  const { asked, write, answer } = openUpload(closing);
  await asked;
  write(connLog(1, 90));
  const ended = expect(answer).rejects.toThrow();
  await closing.close();
  await ended;
  await expectNothingLeft();
});
