import type { ImportFormat } from '../../domain/import-formats.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { NFDUMP_COLUMNS } from '../formats/nfdump/nfdump-rows.ts';
import { IngestError } from '../ingest-error.ts';
import { type ImportSource, stdinSource } from './import-source.ts';
import { otherJsonFormat } from './json-line-formats.ts';

/** Longer than the first line of anything that is recognized. */
const MAX_HEAD_BYTES = 64 * 1024;

/** The source, and the format it is imported as. */
type RefusingOptions = { readonly source: ImportSource; readonly format: ImportFormat };

/**
 * Passes on the content of a source. Throws an `IngestError` with advice if it begins like a file
 * that people mistake for one that can be imported.
 *
 * Nothing is delayed: what is held back is less than a meaningful line.
 */
export async function* refuseForeign(
  { source: { name }, format }: RefusingOptions,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  let isKnown = false;
  for await (const block of content) {
    if (isKnown) {
      yield block;
      continue;
    }
    head = Buffer.concat([head, block]);
    isKnown = head.length > MAX_HEAD_BYTES || hasLine(head);
    if (isKnown) yield checked({ name, format }, head);
  }
  if (!isKnown && head.length > 0) yield checked({ name, format }, head);
}

/**
 * Returns whether a line of more than brackets is complete: nfdump's JSON begins with two of them.
 */
function hasLine(head: Buffer): boolean {
  const text = head.toString('latin1');
  // A single pattern would scan a long line again from each of its characters.
  const start = text.search(/[^\s[{]/);
  return start >= 0 && text.includes('\n', start);
}

type Named = { readonly name: string; readonly format: ImportFormat };

function checked(named: Named, head: Buffer): Buffer {
  const remedy = foreignRemedy(named, head);
  const { name } = named;
  if (remedy !== null) throw new IngestError(`${name}: ${remedy}`);
  return head;
}

/** nfcapd's files begin with this number, in the byte order of the machine. */
const NFCAPD_MAGIC = [Buffer.from([0x0c, 0xa5]), Buffer.from([0xa5, 0x0c])];

/** Without a bracket before it, `No matching flows` is CSV without flows. */
const NFDUMP_JSON = /^(\[\s*)?\{\s*"type"\s*:\s*"(FLOW|EVENT)"|^\[\s*No match(ing|ed) flows/;

function foreignRemedy({ name, format }: Named, head: Buffer): string | null {
  if (NFCAPD_MAGIC.some((magic) => head.subarray(0, magic.length).equals(magic))) {
    return `it is a binary file of nfcapd: ${nfdumpRemedy(name)}`;
  }
  const text = head.toString('utf8').trimStart();
  if (NFDUMP_JSON.test(text)) {
    return `it is JSON of nfdump (-o json): ${nfdumpRemedy(stdinSource().name)}`;
  }
  const [line = ''] = text.split('\n', 1);
  const other = otherJsonFormat(line.trimEnd(), format);
  return other && `these are ${other.name}: import them with --format ${other.format}`;
}

function nfdumpRemedy(name: string): string {
  const file = name === stdinSource().name ? 'FILE' : shellWord(name);
  return (
    `import the output of \`TZ=UTC nfdump -r ${file} -o ${NFDUMP_COLUMNS}\` (before nfdump 1.7.5 ` +
    '`-o csv`), with --format nfdump --time-zone UTC'
  );
}
