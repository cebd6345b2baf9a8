import { useEffect, useState } from 'preact/hooks';
import type { Navigate } from '../../address/use-address.ts';
import type { Span } from '../../data/choices.ts';
import { copyText } from '../../export/copy-text.ts';
import { drawPicture, type Picture } from '../../export/picture.ts';
import { saveFile } from '../../export/save-file.ts';
import { Icon } from '../../parts/icon.tsx';
import { Popover } from '../../parts/popover.tsx';

type ExportProps = {
  readonly navigate: Navigate;
  /** Name of the files, without an ending. */
  readonly name: string;
  /** The time that the view shows. */
  readonly span: Span;
  readonly csvOf: () => string;
  /** Called when there is something to draw; null: the view has no picture. */
  readonly pictureOf: (() => Picture | null) | null;
};

/** Exports the view: as a table, a picture, or a link to a fixed window. */
export function ExportMenu({ navigate, name, span, csvOf, pictureOf }: ExportProps) {
  const { from, to } = span;
  const [linkHint, setLinkHint] = useState(LINK_HINT);
  useEffect(() => setLinkHint(LINK_HINT), [from, to]);
  const saveCsv = () =>
    saveFile(`${name}.csv`, new Blob([csvOf()], { type: 'text/csv;charset=utf-8' }));
  const savePicture = async () => {
    const picture = pictureOf?.();
    if (picture) saveFile(`${name}.png`, await drawPicture(picture));
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
    ...(pictureOf ? [picture] : []),
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

/** A label, a hint, and what it does. */
type Action = readonly [string, string, () => unknown];

const LINK_HINT = 'always to exactly this time';

/** Makes a name of characters that every file system accepts. */
export function exportName(what: readonly (string | null)[], { from, to }: Span): string {
  const time = (at: number) => new Date(at * 1000).toISOString().slice(0, 16).replace(/[-:]/g, '');
  return [...what, time(from), time(to)]
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
}
