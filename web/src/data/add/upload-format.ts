export const UPLOAD_FORMATS = ['zeek', 'nfdump', 'goflow2', 'pmacct', 'samples'] as const;

export type UploadFormat = (typeof UPLOAD_FORMATS)[number];

/** The formats in which times have no zone. */
export const LOCAL_TIME_FORMATS: ReadonlySet<UploadFormat> = new Set(['nfdump', 'pmacct']);

/** How much of a file is looked at to guess its format. */
const BEGINNING_BYTES = 4096;

/** What the fields of a line of JSON tell, in order: several formats have `event_type`, say. */
const FIELDS: readonly (readonly [RegExp, UploadFormat])[] = [
  [/"id[._:]orig_h"\s*:/, 'zeek'],
  [/"(src_addr|SrcAddr|sampler_address|SamplerAddress)"\s*:/, 'goflow2'],
  [/"(ip_src|ip_dst|purge|stamp_inserted)"\s*:|"event_type"\s*:\s*"purge/, 'pmacct'],
  [/"group"\s*:/, 'samples'],
];

/** Columns of nfdump's CSV; every header has one of them. */
const NFDUMP_COLUMNS: ReadonlySet<string> = new Set(['ts', 'firstSeen', 'sa', 'srcAddr']);

/** Guesses the format of a file by its name and its beginning; null: nothing tells. */
export function guessFormat(name: string, beginning: string): UploadFormat | null {
  const text = beginning.replace(/^\ufeff/, '').trimStart();
  if (/^#(separator|fields|set_separator|path)\b/.test(text)) return 'zeek';
  if (text.startsWith('{')) return FIELDS.find(([field]) => field.test(text))?.[1] ?? null;
  const [header = ''] = text.split('\n', 1);
  if (header.split(',').some((column) => NFDUMP_COLUMNS.has(column.trim()))) return 'nfdump';
  if (/(^|[^a-z])conn[._-](?:.*[._-])?log/i.test(name)) return 'zeek';
  return /nfdump|nfcapd/i.test(name) ? 'nfdump' : null;
}

/** Reads the beginning of a file as text, unpacked if it is gzipped. */
export async function beginningOf(file: Blob): Promise<string> {
  const packed = await file.slice(0, BEGINNING_BYTES).arrayBuffer();
  const [first, second] = new Uint8Array(packed);
  if (first !== 0x1f || second !== 0x8b) return new TextDecoder().decode(packed);
  const unpacked = file.slice(0, BEGINNING_BYTES).stream().pipeThrough(gunzip()).getReader();
  try {
    const { value } = await unpacked.read();
    return new TextDecoder().decode(value);
  } catch {
    // Damaged, or too little of it to unpack anything.
    return '';
  } finally {
    // The beginning ends in the middle of what is packed, which is an error of its own.
    unpacked.cancel().catch(() => undefined);
  }
}

const gunzip = () => new DecompressionStream('gzip');
