import { LIMITS } from '../domain/limits.ts';
import type { ExportedMetadata, ReadingPage } from './reading-source.ts';
import { type LineReadings, splitReadings } from './split-readings.ts';

/** Some rows of a page, rendered in an export format. */
export type RenderedRows = {
  readonly text: string;
  readonly lines: number;
  /** Number of labels that came from DNS answers or MaxMind databases. */
  readonly derivedLabels: number;
  /** Keys whose texts were left out because the line would be longer than an import accepts. */
  readonly keysWithLongTexts: number;
};

/** Renders the rows of a page as lines of the `samples` format (operations, "Import formats"). */
export function* sampleLines({ group, probe, rows }: ReadingPage): Generator<RenderedRows> {
  const start = `{"group":"${group.guid}","key":`;
  const ofProbe = probe === null ? '' : `,"probe":${JSON.stringify(probe)}`;
  for (const row of rows) {
    const head = `${start}${JSON.stringify(row.key)},"ts":${row.bucket}`;
    const [first = '', ...more] = splitReadings(group.meters, row).map(
      (line) => `${head}${readingsText(line)}${ofProbe}`,
    );
    const said = row.texts === null ? '' : textsText(row.texts);
    const isTooLong = said !== '' && Buffer.byteLength(first + said) >= LIMITS.importLineBytes;
    const lines = [isTooLong ? first : first + said, ...more];
    yield {
      text: lines.map((line) => `${line}}\n`).join(''),
      lines: lines.length,
      derivedLabels: row.texts?.isLabelDerived && !isTooLong ? 1 : 0,
      keysWithLongTexts: isTooLong ? 1 : 0,
    };
  }
}

function readingsText({ values, count }: LineReadings): string {
  const members = values.map(({ meterId, value }) => `"${meterId}":${value}`);
  // The default is 1.
  const behind = count === 1 || count === 1n ? '' : `,"count":${count}`;
  return `,"values":{${members.join(',')}}${behind}`;
}

const textsText = ({ label, description, attributes }: ExportedMetadata): string =>
  Object.entries({ label, description, attributes })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('');
