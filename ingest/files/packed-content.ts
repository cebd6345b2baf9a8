import { shellWord } from '../../domain/text/shell-word.ts';
import { IngestError } from '../ingest-error.ts';
import { type ImportSource, stdinSource } from './import-source.ts';

/** A way of compressing, how its files begin (in latin1), and the command that unpacks them. */
type Packing = {
  readonly name: string;
  readonly magic: readonly string[];
  readonly command: string;
};

const GZIP: Packing = { name: 'gzip', magic: ['\x1f\x8b'], command: 'gzip -dc' };

const OTHERS: readonly Packing[] = [
  { name: 'xz', magic: ['\xfd7zXZ\0'], command: 'xz -dc' },
  {
    name: 'bzip2',
    magic: Array.from('123456789', (level) => `BZh${level}1AY&SY`),
    command: 'bzip2 -dc',
  },
  { name: 'zstd', magic: ['\x28\xb5\x2f\xfd'], command: 'zstd -dc' },
  { name: 'lz4', magic: ['\x04\x22\x4d\x18'], command: 'lz4 -dc' },
  { name: 'zip', magic: ['PK\x03\x04', 'PK\x05\x06'], command: 'unzip -p' },
];

/** How many bytes a beginning has at most. */
export const PACKED_HEAD_BYTES = 10;

const isOf = (head: Buffer, { magic }: Packing): boolean => {
  const text = head.toString('latin1', 0, PACKED_HEAD_BYTES);
  return magic.some((each) => text.startsWith(each));
};

export const isGzip = (head: Buffer): boolean => isOf(head, GZIP);

/** Throws if content that begins so is compressed in a way that is not read. */
export function refusePacked({ name }: ImportSource, head: Buffer): void {
  const packing = OTHERS.find((each) => isOf(head, each));
  if (!packing) return;
  throw new IngestError(
    `${name}: it is compressed with ${packing.name}, and only gzip is unpacked: ` +
      `${pipeRemedy(name, packing.command)}`,
  );
}

/** Throws if what was unpacked from gzip begins so, and has to be unpacked once more. */
export function refusePackedTwice({ name }: ImportSource, head: Buffer): void {
  const packing = [GZIP, ...OTHERS].find((each) => isOf(head, each));
  if (!packing) return;
  const twice = packing === GZIP ? 'gzip twice' : `${packing.name}, and then with gzip`;
  const command = packing === GZIP ? GZIP.command : `${GZIP.command} | ${packing.command}`;
  throw new IngestError(`${name}: it is compressed with ${twice}: ${pipeRemedy(name, command)}`);
}

function pipeRemedy(name: string, command: string): string {
  const [first = '', ...others] = command.split(' | ');
  const file = name === stdinSource().name ? 'FILE' : shellWord(name);
  const unpacked = [`${first} ${file}`, ...others].join(' | ');
  return `pipe the output of \`${unpacked}\` into this command, with - instead of the file`;
}
