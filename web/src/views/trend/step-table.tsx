import { stepTarget } from '../../data/trend/step-target.ts';
import { KeyText } from '../../parts/key-name.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import type { TrendProps } from './trend-props.ts';

/** The keys of each step, the newest step first: the contents of the map in words. */
export function StepTable({ shown, navigate, moments }: TrendProps) {
  const { steps, rows, items } = shown;
  const ranks = Array.from({ length: items }, (_, index) => index + 1);
  const listed = steps.map((step, index) => {
    const byRank = new Map(rows.map((row) => [row.cells[index]?.rank, row]));
    return { step, keys: ranks.map((rank) => byRank.get(rank) ?? null) };
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it.
    <div class="table-scroll step-table" tabIndex={0}>
      <table class="plain-table">
        <caption class="sr-only">The top {items} keys of each step</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            {ranks.map((rank) => (
              <th key={rank} scope="col">
                {rank}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listed.reverse().map(({ step, keys }) => (
            <tr key={step.from}>
              <th scope="row">{moments.range(step.from, step.to)}</th>
              {keys.map((row, index) => (
                <td key={ranks[index]} class="is-long" data-name={String(ranks[index])}>
                  {row && (
                    <a
                      href={navigate.link(stepTarget(step, row))}
                      title={row.name}
                      onClick={onPlainClick(() => navigate.go(stepTarget(step, row)))}
                    >
                      <KeyText text={row.name} />
                    </a>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
