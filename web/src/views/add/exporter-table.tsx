import type { AddDataQuery } from '../../../generated/operations.ts';
import { allDigits } from '../../format/big-number.ts';
import { counted } from '../../format/counted.ts';
import { isolated } from '../../format/isolated.ts';
import type { Moments } from '../../format/moment.ts';
import { TableCard } from '../../parts/table-card.tsx';

type ListedExporter = NonNullable<NonNullable<AddDataQuery['context']>['exporters']>[number];

type ExporterTableProps = {
  readonly context: string;
  /** null: the server does not say. */
  readonly exporters: readonly ListedExporter[] | null;
  readonly moments: Moments;
};

const COLUMNS = ['Address', 'Protocols', 'Last heard', '#Flows', '#Lost', '#Refused', 'Sampling'];

/** The exporters that collectors of a context hear, as of their last commit. */
export const ExporterTable = ({ context, exporters, moments }: ExporterTableProps) => (
  <TableCard
    name="Exporters"
    note={`of ${isolated(context)}, as they arrive`}
    columns={COLUMNS}
    empty="None has been heard yet. It may take some seconds after the first datagram."
  >
    {(exporters ?? []).map((exporter) => (
      <Row key={exporter.address} exporter={exporter} moments={moments} />
    ))}
  </TableCard>
);

function Row({ exporter, moments }: { exporter: ListedExporter; moments: Moments }) {
  const { address, protocols, lastSeen, flows, lost, refused, samplingRates } = exporter;
  const remarks = remarksOn(exporter);
  return (
    <>
      <tr>
        <th scope="row">{address}</th>
        <td data-name="Protocols">{protocols.join(', ')}</td>
        <td data-name="Last heard">{moments.full(Math.floor(lastSeen))}</td>
        <td class="is-number" data-name="Flows">
          {allDigits(flows)}
        </td>
        <td class="is-number" data-name="Lost">
          {allDigits(lost)}
        </td>
        <td class="is-number" data-name="Refused">
          {allDigits(refused)}
        </td>
        <td data-name="Sampling">{samplingText(samplingRates)}</td>
      </tr>
      {remarks.length > 0 && (
        <tr>
          <td class="is-wrapped" colSpan={COLUMNS.length}>
            {remarks.join(' ')}
          </td>
        </tr>
      )}
    </>
  );
}

/** Says what to look at. */
function remarksOn({ waitingForTemplate, refusals, doubts }: ListedExporter): string[] {
  const waiting =
    waitingForTemplate > 0
      ? [`Waiting for the template of their data: ${counted(waitingForTemplate, 'datagram')}.`]
      : [];
  const refused = refusals.map(({ reason, count }) => `Refused: ${allDigits(count)} × ${reason}.`);
  return [...waiting, ...refused, ...doubts.map((doubt) => `Doubtful: ${doubt}.`)];
}

const samplingText = (rates: readonly (number | string)[]): string =>
  rates.length === 0 || rates.every((rate) => Number(rate) === 1)
    ? 'none'
    : rates.map((rate) => `1 in ${allDigits(rate)}`).join(', ');
