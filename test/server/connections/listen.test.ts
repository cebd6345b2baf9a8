import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../server/connections/listen.ts';

/** A server that the system does not let listen, for a reason with this code. */
function refused(code: string) {
  const server = createServer();
  server.listen = () => {
    process.nextTick(() => server.emit('error', Object.assign(new Error(code), { code })));
    return server;
  };
  return server;
}

describe('an address to listen on', () => {
  it('must be one of this machine', async () => {
    // Reserved for documentation (RFC 5737), so no machine has it.
    await expect(listen(createServer(), '192.0.2.1', 0)).rejects.toThrow(
      'HOST must be an address or a name of this machine, got "192.0.2.1": set it to 127.0.0.1',
    );
  });

  it.each([
    ['ENOTFOUND', 'HOST must be an address or a name of this machine, got "nowhere": set it to'],
    ['EADDRNOTAVAIL', 'HOST must be an address or a name of this machine, got "nowhere": set it'],
    ['EACCES', 'the system does not permit listening on port 80: set PORT to one from 1024 on'],
    ['EADDRINUSE', 'nowhere:80 is in use by another program: set PORT to a free one, or to 0'],
    ['EMFILE', 'EMFILE'],
  ])('that is refused with %s says what to do', async (code, message) => {
    await expect(listen(refused(code), 'nowhere', 80)).rejects.toThrow(message);
  });
});
