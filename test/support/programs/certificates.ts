import { execFile } from 'node:child_process';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The files of an authority, and of a server's certificate for a host name. */
export type Certificates = {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
};

/** Makes an authority of its own, and a server's certificate from it, in `folder`. */
export async function makeCertificates(folder: string, name: string): Promise<Certificates> {
  const at = (file: string) => join(folder, file);
  const request = ['req', '-nodes', '-newkey', 'rsa:2048', '-batch'];
  const openssl = (...parameters: string[]) => run('openssl', parameters, { cwd: folder });
  const authority = ['-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.crt'];
  await openssl(...request, '-x509', '-days', '2', ...authority);
  await openssl(...request, '-subj', `/CN=${name}`, '-keyout', 'server.key', '-out', 'server.csr');
  const issued = ['-in', 'server.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'];
  await openssl('x509', '-req', '-days', '2', ...issued, '-out', 'server.crt');
  return { authority: at('ca.crt'), certificate: at('server.crt'), key: at('server.key') };
}

/** Gives a private key to the user that the server runs as, who alone may read it. */
export async function giveKeyTo(key: string, owner: { uid: number; gid: number }): Promise<void> {
  await chmod(key, 0o600);
  if (process.getuid?.() === 0) await chown(key, owner.uid, owner.gid);
}
