import { readableBeside, shownLabel } from '../../data/key-parts.ts';
import { valueName } from '../../data/ranking-words.ts';
import { wholeQuantity } from '../../data/row-figures.ts';
import type { TrendRow } from '../../data/trend/shown-trend.ts';
import { hiddenInTrend, MOST_ROWS } from '../../data/trend/trend-question.ts';
import { allDigits } from '../../format/big-number.ts';
import { isolated } from '../../format/isolated.ts';
import { Figure } from '../../parts/figure.tsx';
import { useFocusInPlace } from '../../parts/focus.ts';
import { IconButton } from '../../parts/icon.tsx';
import { KeyName, KeyText } from '../../parts/key-name.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { TrendProps } from './trend-props.ts';

const columnsOf = ({ meter }: TrendProps['shown']): readonly string[] => [
  'Key',
  `#${valueName(meter)}`,
  '#Best rank',
  '#Mean rank',
  '#Steps listed',
  '#First rank',
  '#Last rank',
  'Hide',
];

/** Summarizes each key over all steps. */
export function TrendTable(props: TrendProps) {
  const { shown } = props;
  const rows = shown.rows.slice(0, MOST_ROWS);
  const { address, navigate } = props;
  const stayAt = useFocusInPlace(shown, () => [
    ...document.querySelectorAll<HTMLElement>('.trend-keys .key-link'),
  ]);
  const hide = (key: string, index: number) => {
    stayAt(index);
    navigate.go({ hidden: [...hiddenInTrend(address), key] });
  };
  return (
    <TableCard
      name="Keys"
      note={`${rows.length} of ${shown.rows.length}, the largest of the whole time first`}
      columns={columnsOf(shown)}
      empty="No keys."
    >
      {rows.map((row, index) => (
        <Row key={row.key} {...props} row={row} onHide={() => hide(row.key, index)} />
      ))}
    </TableCard>
  );
}

type RowProps = TrendProps & { readonly row: TrendRow; readonly onHide: () => void };

function Row({ row, shown, terms, navigate, address, onHide }: RowProps) {
  const target = { view: 'top', prefix: null, key: row.key } as const;
  const { cells, listed, bestRank, meanRank, name } = row;
  return (
    <tr class="trend-keys">
      <th scope="row">
        <KeyName readable={readableBeside(row, shown.group)}>
          <a
            class="key-link"
            href={navigate.link(target)}
            title={name}
            onClick={onPlainClick(() => navigate.go(target))}
          >
            <KeyText text={shownLabel(row, shown.group)} />
          </a>
        </KeyName>
      </th>
      <td class="is-number" data-name={valueName(shown.meter)}>
        <Figure
          quantity={row.metric === null ? null : wholeQuantity(row.metric, terms)}
          title={row.metric === null ? '' : `${allDigits(row.metric)} ${shown.meter.units}`}
        />
      </td>
      <td class="is-number" data-name="Best rank">
        <span class="number">{bestRank}</span>
      </td>
      <td class="is-number" data-name="Mean rank">
        <span class="number">{meanRank.toFixed(1)}</span>
      </td>
      <td class="is-number" data-name="Steps listed">
        <span class="number">
          {listed} of {shown.steps.length}
        </span>
      </td>
      <td class="is-number" data-name="First rank">
        <span class="number">{cells[0]?.rank ?? '–'}</span>
      </td>
      <td class="is-number" data-name="Last rank">
        <span class="number">{cells.at(-1)?.rank ?? '–'}</span>
      </td>
      <td class="is-act">
        {/* Networks that are hidden elsewhere would be lost. */}
        {!address.prefix && (
          <IconButton icon="hide" name={`Hide ${isolated(name)} and rank again`} onClick={onHide} />
        )}
      </td>
    </tr>
  );
}
