import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listen } from '../../server/connections/listen.ts';

describe('an address to listen on', () => {
  it('must be one of this machine', async () => {
    // Reserved for documentation (RFC 5737), so no machine has it.
    await expect(listen(createServer(), '192.0.2.1', 0)).rejects.toThrow(
      'HOST must be an address or a name of this machine, got "192.0.2.1": set it to 127.0.0.1',
    );
  });
});
