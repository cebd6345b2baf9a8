import { comparesWindows } from '../../address/ranking.ts';
import { othersColor } from '../../chart/palette.ts';
import { Swatch } from '../../chart/readout.tsx';
import { REST } from '../../data/drawn-data.ts';
import { itemsOf } from '../../data/questions.ts';
import { shareQuantity, wholeQuantity } from '../../data/row-figures.ts';
import { counted } from '../../format/counted.ts';
import { Figure } from '../../parts/figure.tsx';
import type { ResultsProps } from './results-props.ts';
import { growthName } from './top-table-head.tsx';

/** The row of the keys that are not listed, of those that pass the filter and are not hidden. */
export function Others({ shown, terms, theme, navigate, address, focus }: ResultsProps) {
  const { others, total } = shown;
  const { keyCount, keys } = shown.table;
  const color = othersColor(theme.theme);
  const more = [20, 50, 100].find((count) => count > itemsOf(address));
  return (
    <tfoot>
      <tr
        class={focus.hovered === REST ? 'is-highlighted' : ''}
        onMouseEnter={() => focus.hover(REST)}
        onMouseLeave={() => focus.hover(null)}
      >
        <td class="is-rank" />
        <th scope="row" class="is-key">
          <Swatch color={color} />
          <span>Others</span>{' '}
          <span class="readable">
            {keyCount > keys.length && counted(keyCount - keys.length, 'more key')}
            {comparesWindows(shown.ranking) && ' and those that are not ranked'}
            {keyCount > keys.length && more && (
              <span class="more-keys">
                {' · '}
                <button
                  type="button"
                  class="text-button"
                  onClick={() => navigate.go({ items: more })}
                >
                  show {more}
                </button>
              </span>
            )}
          </span>
        </th>
        <td class="is-number is-amount" data-name="Volume">
          <Figure quantity={wholeQuantity(others, terms)} />
        </td>
        <td class="is-share" data-name="Share">
          <span class="share">
            <Figure quantity={shareQuantity(others, total)} />
          </span>
        </td>
        <td colSpan={growthName(shown.ranking) ? 6 : 5} />
      </tr>
    </tfoot>
  );
}
