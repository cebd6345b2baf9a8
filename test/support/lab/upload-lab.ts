import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setAdmin } from '../../../access/accounts.ts';
import { addUser } from '../../../access/users.ts';
import type { HttpAnswer, HttpCall } from '../http/http-call.ts';
import {
  basic,
  CONTEXT,
  type Credentials,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from './service.ts';

export const EDITOR: Credentials = { username: 'edda', token: 'edda-token' };
export const READER: Credentials = { username: 'rita', token: 'rita-token' };
export const STRANGER: Credentials = { username: 'sam', token: 'sam-token' };
export const ADMIN: Credentials = { username: 'root', token: 'root-token' };

/** A service with an empty context, an editor, a reader, a stranger and an administrator. */
export async function startUploadLab(options: TestServiceOptions = {}): Promise<TestService> {
  const lab = await startTestService(options);
  if (options.databaseUrl) return lab;
  await lab.apply({ context: CONTEXT, groups: [] });
  await lab.write(async (connection) => {
    const add = ({ username: name, token }: Credentials, contexts: readonly string[]) =>
      addUser(connection, { name, token, contexts, role: name === 'edda' ? 'editor' : 'reader' });
    await add(EDITOR, [CONTEXT]);
    await add(READER, [CONTEXT]);
    await add(STRANGER, []);
    await add(ADMIN, []);
    await setAdmin(connection, { name: ADMIN.username, isGroup: false, isAdmin: true });
  });
  return lab;
}

type Parameters = Readonly<Record<string, string | readonly string[]>>;

/** The address of an upload, by default of a Zeek log into the lab's context. */
export function uploadPath(parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, given] of Object.entries({ context: CONTEXT, format: 'zeek', ...parameters })) {
    for (const value of [given].flat()) query.append(name, value);
  }
  return `/upload?${query}`;
}

type Sent = HttpCall & { readonly as?: Credentials };

/** Sends a file, by default as the editor. */
export const upload = (
  { call }: Pick<TestService, 'call'>,
  body: string | Buffer,
  parameters: Parameters = {},
  { as = EDITOR, ...how }: Sent = {},
): Promise<HttpAnswer> =>
  call(uploadPath(parameters), {
    method: 'POST',
    body,
    ...how,
    headers: { ...basic(as), ...how.headers },
  });

/** The status of an answer, and its report or the message of its error. */
export function told({ status, text }: HttpAnswer): [number, unknown] {
  const body = JSON.parse(text);
  return [status, body.status === 'ERROR' ? body.message : body];
}

/** 2024-07-15T10:00:30Z, when all flows of the tests begin. */
export const AT = 1_721_037_630;

/** A conn.log of as many connections from different addresses, a second each. */
export const connLog = (count: number, first = 1): string =>
  [
    '#fields\tts\tid.orig_h\tid.resp_h\tid.resp_p\tproto\tduration\torig_ip_bytes\tresp_ip_bytes',
    ...Array.from({ length: count }, (_, i) => conn(first + i)),
    '',
  ].join('\n');

const conn = (n: number): string =>
  [AT, `10.0.${n >> 8}.${n & 255}`, '198.51.100.7', 443, 'tcp', '1', 100, 1000].join('\t');

/** An upload whose body a test sends bit by bit. */
export function openUpload(
  { url }: Pick<TestService, 'url'>,
  as: Credentials = EDITOR,
  headers: Readonly<Record<string, string>> = {},
) {
  const sent = request(url + uploadPath(), {
    method: 'POST',
    agent: false,
    // The server asks for the body once the caller may send one.
    headers: { ...basic(as), expect: '100-continue', ...headers },
  });
  const asked = once(sent, 'continue');
  asked.catch(() => undefined);
  const answer = new Promise<HttpAnswer>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      const { statusCode: status = 0, headers: received } = response;
      text(response).then((body) => resolve({ status, headers: received, text: body }), reject);
    });
  });
  answer.catch(() => undefined);
  sent.flushHeaders();
  return {
    sent,
    /** Resolves when the server has asked for the body. */
    asked,
    answer,
    write: (bytes: string | Buffer) => sent.write(bytes),
    end: () => sent.end(),
    goAway: () => sent.destroy(),
  };
}
