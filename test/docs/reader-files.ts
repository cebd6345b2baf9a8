import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * The files that pages expect their readers to have. A page that needs another file makes it in a
 * block (`cat > FILE <<'END'`), or the file is added here.
 */
export async function writeReaderFiles(folder: string): Promise<void> {
  const files = { 'conn.log': connLog(), 'dns.log': dnsLog() };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
    await writeFile(join(folder, `${name}.gz`), gzipSync(content));
  }
}

/** 2024-07-15T10:00:00Z; pages query the newest hour with data. */
const START = 1_721_037_600;

const HOSTS = ['192.168.1.10', '192.168.1.11', '192.168.1.12'];
const SERVERS = ['198.51.100.7', '203.0.113.80', '2001:db8::53'];

/** An hour of a small office, as Zeek writes it. */
function connLog(): string {
  const fields = [
    'ts',
    'uid',
    'id.orig_h',
    'id.orig_p',
    'id.resp_h',
    'id.resp_p',
    'proto',
    'duration',
    'orig_bytes',
    'resp_bytes',
    'orig_pkts',
    'orig_ip_bytes',
    'resp_pkts',
    'resp_ip_bytes',
  ];
  const rows = Array.from({ length: 240 }, (_, i) => {
    const server = SERVERS[i % 3] ?? '';
    const [port, proto] = server.includes(':') ? [53, 'udp'] : [443, 'tcp'];
    const own = [START + i * 15, `C${i}`, HOSTS[i % 2], 40_000 + i, server, port, proto, '4.5'];
    return [...own, 600 + i, 9000 + 31 * i, 8, 1000 + i, 12, 9500 + 31 * i];
  });
  return zeekLog('conn', fields, rows);
}

function dnsLog(): string {
  const fields = ['ts', 'uid', 'id.orig_h', 'id.orig_p', 'id.resp_h', 'id.resp_p', 'proto'];
  const rows = [
    [START, 'D1', HOSTS[0], 5353, SERVERS[2], 53, 'udp', 'files.example.com', 'A', SERVERS[0]],
    [START, 'D2', HOSTS[1], 5353, SERVERS[2], 53, 'udp', 'video.example.net', 'A', SERVERS[1]],
  ];
  return zeekLog('dns', [...fields, 'query', 'qtype_name', 'answers'], rows);
}

function zeekLog(
  path: string,
  fields: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  const head = [
    '#separator \\x09',
    '#set_separator\t,',
    '#empty_field\t(empty)',
    '#unset_field\t-',
    `#path\t${path}`,
    `#fields\t${fields.join('\t')}`,
  ];
  return `${[...head, ...rows.map((row) => row.join('\t'))].join('\n')}\n`;
}
