import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatRanking } from '../../address/ranking.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { prefixName } from '../../data/networks.ts';
import { copyText } from '../../export/copy-text.ts';
import { drawPicture } from '../../export/picture.ts';
import { saveFile } from '../../export/save-file.ts';
import { topCsv } from '../../export/top-csv.ts';
import { pictureOf } from '../../export/top-picture.ts';
import { Icon } from '../../parts/icon.tsx';
import { Popover } from '../../parts/popover.tsx';
import type { ResultsProps } from './results-props.ts';

type ExportProps = ResultsProps & { readonly canvas: RefObject<HTMLCanvasElement | null> };

/** Exports the view: as a table, a picture, or a link to a fixed window. */
export function ExportMenu(props: ExportProps) {
  const { shown, navigate, canvas } = props;
  const { from, to } = shown.table.window;
  const [linkHint, setLinkHint] = useState(LINK_HINT);
  useEffect(() => setLinkHint(LINK_HINT), [from, to]);
  const name = exportName(props);
  const saveCsv = () =>
    saveFile(`${name}.csv`, new Blob([topCsv(props)], { type: 'text/csv;charset=utf-8' }));
  const savePicture = async () => {
    if (!canvas.current) return;
    saveFile(`${name}.png`, await drawPicture(pictureOf(props, canvas.current)));
  };
  const copyLink = async () => {
    const fixed = { window: { kind: 'interval', from, to } } as const;
    if (await copyText(new URL(navigate.link(fixed), location.href).href)) {
      setLinkHint('copied');
    } else {
      navigate.go(fixed);
      setLinkHint('now in the address bar');
    }
  };
  const picture: Action = ['Save as a picture', 'with its title and window, PNG', savePicture];
  const actions: readonly Action[] = [
    ['Save as CSV', 'all digits, times in UTC', saveCsv],
    ...(hasPicture(props) ? [picture] : []),
    ['Copy a link', linkHint, copyLink],
  ];
  return (
    <Popover
      class="is-right"
      name="Export"
      label={
        <>
          <Icon name="save" /> Export
        </>
      }
    >
      {(close) => (
        <ul class="menu">
          {actions.map(([label, hint, act]) => (
            <li key={label}>
              <button
                type="button"
                class="menu-item"
                onClick={async () => {
                  await act();
                  if (act !== copyLink) close();
                }}
              >
                <span>{label}</span>
                <span class="hint" aria-live="polite">
                  {hint}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}

function hasPicture({ shown: { faults, kind, group }, address }: ResultsProps): boolean {
  return address.view === 'flows' ? addsUp(kind) && group.crosskey !== null : !faults.chart;
}

/** A label, a hint, and what it does. */
type Action = readonly [string, string, () => unknown];

const LINK_HINT = 'always to exactly this time';

/** Makes a name of characters that every file system accepts. */
export function exportName({ shown, address }: ResultsProps): string {
  const { from, to } = shown.table.window;
  const time = (at: number) => new Date(at * 1000).toISOString().slice(0, 16).replace(/[-:]/g, '');
  const ranking = shown.ranking.by === 'metric' ? [] : [`by ${formatRanking(shown.ranking)}`];
  const networks = shown.prefix ? [prefixName(shown.prefix, shown.group)] : [];
  const what = [shown.group.name, shown.meter.name, ...networks, ...ranking];
  return [address.context, ...what, time(from), time(to)]
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
}
