import { shown } from '../../../domain/errors.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { type JsonObject, jsonObject, jsonScalar } from '../../lines/json-line.ts';
import { parseTimestamp } from '../fields/decimal-time.ts';
import { requiredIn } from '../fields/flow-fields.ts';

/**
 * One line of a Zeek log. A field is undefined if it is unset, empty or not in the log. Fields of
 * records are named as by default: `id.orig_h`.
 */
export type ZeekRecord = {
  /** Whether the line's format has the field, set or not. */
  readonly has: (field: string) => boolean;
  readonly text: (field: string) => string | undefined;
  /** The elements of a set or vector that are set. */
  readonly list: (field: string) => string[];
};

/** The logs that can be read, and the command that reads each. */
const READ_BY = {
  conn: 'countergraph import --format zeek',
  dns: 'countergraph labels --format zeek-dns',
} as const;

type ZeekLog = keyof typeof READ_BY;

/**
 * Returns a reader of the lines of a Zeek log, TSV or JSON, in order. It returns null for a line
 * without a record. In TSV the header decides the order of fields, the separators and the markers,
 * and a log joined from several logs has several headers.
 *
 * Most logs have addresses and ports, so a line of another log would pass for a line of `log` with
 * nothing in it. Therefore a line that says it is of another log is bad; in TSV, so is each line of
 * that log.
 */
export function createZeekReader(log: ZeekLog): (line: string) => ZeekRecord | null {
  let header = DEFAULT_HEADER;
  return (line) => {
    if (line === '') return null;
    if (line.startsWith('#')) {
      header = readHeaderLine(header, line);
      if (line.startsWith('#path')) refuseOther(log, '#path', header.path);
      return null;
    }
    if (line.startsWith('{')) return jsonRecord(jsonObject(line), log);
    refuseOther(log, '#path', header.path);
    return tsvRecord(header, line);
  };
}

/**
 * Throws if a line is of another log. Logs with similar names repeat what `log` has: `conn_long`
 * reports connections before they end, `conn_red` has a part of them, and both would count twice.
 * Names in DNS answers do not add up, so `dns_red` is as good as `dns`.
 */
function refuseOther(log: ZeekLog, field: string, path: string | undefined): void {
  if (path === undefined || path === log) return;
  if (log === 'dns' && path.startsWith(log)) return;
  const other = Object.entries(READ_BY).find(([name]) => name === path);
  const remedy = other ? `give the file to \`${other[1]}\`` : 'leave the file out';
  throw new BadLine(`${field} must be ${log}, got ${shown(path)}: ${remedy}`);
}

/** Milliseconds; seconds of as many digits are far in the future. */
const MILLISECONDS = /^\d{12,15}(\.\d+)?$/;

/** Returns a line's time `ts`, in whole microseconds. JSON logs may have it in milliseconds. */
export function zeekTime(record: ZeekRecord): number {
  const text = requiredIn(record, 'ts');
  const micros = MILLISECONDS.test(text) ? Math.round(Number(text) * 1000) : parseTimestamp(text);
  if (micros !== null) return micros;
  throw new BadLine(`ts must be a time in epoch seconds or ISO 8601, got ${shown(text)}`);
}

type Header = {
  readonly separator: string;
  readonly setSeparator: string;
  readonly emptyField: string;
  readonly unsetField: string;
  /** Which log it is, if the header says so. */
  readonly path: string | undefined;
  /** The column of each field. */
  readonly columns: ReadonlyMap<string, number>;
};

const DEFAULT_HEADER: Header = {
  separator: '\t',
  setSeparator: ',',
  emptyField: '(empty)',
  unsetField: '-',
  path: undefined,
  columns: new Map(),
};

/** Returns the header after one more of its lines; some lines say nothing useful. */
function readHeaderLine(header: Header, line: string): Header {
  // Only the line that declares the separator cannot use it.
  const separator = /^#separator (.+)$/.exec(line)?.[1];
  if (separator !== undefined) {
    // This line begins a header, and the path of the previous log says nothing about the next.
    return { ...header, separator: unescapeBytes(separator), path: undefined };
  }
  const [name, ...values] = line.split(header.separator);
  const [value = ''] = values;
  switch (name) {
    case '#set_separator':
      return { ...header, setSeparator: value };
    case '#empty_field':
      return { ...header, emptyField: value };
    case '#unset_field':
      return { ...header, unsetField: value };
    case '#path':
      return { ...header, path: value === '' || value === header.unsetField ? undefined : value };
    case '#fields':
      return { ...header, columns: new Map(values.map((field, i) => [plainName(field), i])) };
    default:
      return header;
  }
}

/**
 * Returns a field's default name. A site may have chosen another separator of scopes than a point
 * (`Log::default_scope_sep`): `id_orig_h`.
 */
const plainName = (field: string): string => field.replace(/^id[_:/]/, 'id.');

function tsvRecord(header: Header, line: string): ZeekRecord {
  const { columns, setSeparator, unsetField, emptyField } = header;
  if (columns.size === 0) throw new BadLine('there is no #fields line before it');
  const values = line.split(header.separator);
  if (values.length !== columns.size) {
    throw new BadLine(`it must have ${columns.size} fields, got ${values.length}`);
  }
  const raw = (field: string): string | undefined => {
    const value = values[columns.get(field) ?? -1];
    return value === unsetField || value === emptyField ? undefined : value;
  };
  return {
    has: (field) => columns.has(field),
    text(field) {
      const value = raw(field);
      return value === undefined ? value : unescapeBytes(value);
    },
    list: (field) =>
      (raw(field)?.split(setSeparator) ?? [])
        .filter((element) => element !== unsetField)
        .map(unescapeBytes),
  };
}

/**
 * Decodes escaped bytes: Zeek writes a byte that would be misread as `\x` and two hexadecimal
 * digits.
 */
const unescapeBytes = (text: string): string =>
  text.includes('\\x')
    ? text.replaceAll(/(?:\\x[0-9a-f]{2})+/gi, (bytes) =>
        Buffer.from(bytes.replaceAll('\\x', ''), 'hex').toString(),
      )
    : text;

function jsonRecord(object: JsonObject, log: ZeekLog): ZeekRecord {
  const fieldValue = (field: string): unknown =>
    object[field] ?? (field.startsWith('id.') ? object[field.replace('.', '_')] : undefined);
  const text = (field: string): string | undefined => {
    const value = fieldValue(field);
    if (value === undefined || value === null) return undefined;
    const scalar = jsonScalar(value);
    if (scalar === null) throw new BadLine(`${field} must be a text or a number`);
    return unescapeBytes(scalar);
  };
  refuseOther(log, '_path', text('_path'));
  return {
    has: (field) => fieldValue(field) !== undefined && fieldValue(field) !== null,
    text,
    list(field) {
      const values = object[field] ?? [];
      if (!Array.isArray(values)) throw new BadLine(`${field} must be a list`);
      return values.flatMap((value) => {
        const scalar = jsonScalar(value);
        return scalar === null ? [] : [unescapeBytes(scalar)];
      });
    },
  };
}
