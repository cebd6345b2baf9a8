import { shownText } from '../../data/key-parts.ts';
import type { TrendRow } from '../../data/trend/shown-trend.ts';
import { hiddenInTrend } from '../../data/trend/trend-question.ts';
import { isolated } from '../../format/isolated.ts';
import { useFocusInPlace } from '../../parts/focus.ts';
import { IconButton } from '../../parts/icon.tsx';
import { KeyName } from '../../parts/key-name.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { TrendProps } from './trend-props.ts';

const COLUMNS = [
  'Key',
  '#Best rank',
  '#Mean rank',
  '#Steps listed',
  '#First rank',
  '#Last rank',
  'Hide',
];

/** Maximum number of rows: the keys after these were listed in few steps, and ranked low. */
const MOST_ROWS = 100;

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
      note={`${rows.length} of ${shown.rows.length}, ranked highest over all steps first`}
      columns={COLUMNS}
      empty="No keys."
    >
      {rows.map((row, index) => (
        <Row key={row.key} {...props} row={row} onHide={() => hide(row.key, index)} />
      ))}
    </TableCard>
  );
}

type RowProps = TrendProps & { readonly row: TrendRow; readonly onHide: () => void };

function Row({ row, shown, navigate, address, onHide }: RowProps) {
  const target = { view: 'top', prefix: null, key: row.key } as const;
  const { cells, listed, bestRank, meanRank, name } = row;
  const readable = shownText(row.readable, shown.group);
  return (
    <tr class="trend-keys">
      <th scope="row">
        <KeyName readable={readable === name ? null : readable}>
          <a
            class="key-link"
            href={navigate.link(target)}
            title={name}
            onClick={onPlainClick(() => navigate.go(target))}
          >
            {name}
          </a>
        </KeyName>
      </th>
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
