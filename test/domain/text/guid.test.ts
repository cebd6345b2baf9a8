import { describe, expect, it } from 'vitest';
import { parseGuid, storedGuid } from '../../../domain/text/guid.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';

describe('a GUID', () => {
  it.each([
    [HOSTS, 'canonical'],
    [HOSTS.toLowerCase(), 'in lower case'],
    [HOSTS.slice(1, -1), 'without braces'],
    ['4cd742b1-c1ca-4708-be78-0fca2eb01a86', "as PostgreSQL's uuid text"],
    ['{4cD742b1-C1cA-4708-bE78-0fcA2eb01a86}', 'in mixed case'],
  ])('%s is read (%s)', (text) => {
    expect(parseGuid(text)).toBe(HOSTS);
  });

  it.each([
    ['', 'nothing'],
    ['{}', 'empty braces'],
    [HOSTS.slice(1), 'only a closing brace'],
    [HOSTS.slice(0, -1), 'only an opening brace'],
    [`{${HOSTS}}`, 'braces twice'],
    [HOSTS.replaceAll('-', ''), 'no hyphens'],
    [HOSTS.replace('4CD742B1', '4CD742B'), 'one digit too few'],
    [HOSTS.replace('4CD742B1', '4CD742B12'), 'one digit too many'],
    [HOSTS.replace('A86', 'A8G'), 'a letter that is not a hexadecimal digit'],
    [` ${HOSTS}`, 'a space before'],
    [`${HOSTS}\n`, 'a line break after'],
  ])('%j is rejected (%s)', (text) => {
    expect(parseGuid(text)).toBeNull();
  });

  it('of the database is read, or fails', () => {
    expect(storedGuid('4cd742b1-c1ca-4708-be78-0fca2eb01a86')).toBe(HOSTS);
    expect(() => storedGuid('none')).toThrow('the database holds none as a GUID');
  });
});
