import type { ImportFormat } from '../../domain/import-formats.ts';
import { FLOW_FORMATS, jsonLinesOf } from '../formats/flow-formats.ts';
import type { JsonLineKind } from '../lines/json-line.ts';

type JsonLineFormat = JsonLineKind & { readonly format: ImportFormat };

/** The formats in which each line is a JSON object. The last flow format is tried first. */
const FORMATS: readonly JsonLineFormat[] = [
  ...FLOW_FORMATS.toReversed().flatMap((format) => {
    const kind = jsonLinesOf(format);
    return kind === null ? [] : [{ format, name: kind.name, isOf: kind.isOf }];
  }),
  {
    format: 'samples',
    name: 'samples',
    isOf: (record) => 'group' in record && 'values' in record,
  },
];

/** Returns the format of a line that is JSON of a format other than `format`; otherwise null. */
export function otherJsonFormat(
  line: string,
  format: ImportFormat,
): Pick<JsonLineFormat, 'format' | 'name'> | null {
  const record = objectOf(line);
  if (record === null) return null;
  const known = FORMATS.filter(({ isOf }) => isOf(record));
  return known.some((each) => each.format === format) ? null : (known[0] ?? null);
}

function objectOf(line: string): object | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as object;
  } catch {
    return null;
  }
}
