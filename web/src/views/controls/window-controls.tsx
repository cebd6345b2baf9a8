import type { WindowChoice } from '../../address/window-choice.ts';
import type { StreamState } from '../../api/use-stream.ts';
import type { Span } from '../../data/choices.ts';
import { windowLabel } from '../../format/window-label.ts';
import { IconButton } from '../../parts/icon.tsx';
import { Popover } from '../../parts/popover.tsx';
import type { ViewProps } from '../view-props.ts';
import { LiveButton } from './live-button.tsx';
import { WindowPicker } from './window-picker.tsx';

type WindowControlsProps = ViewProps & {
  /** The window that is shown. */
  readonly span: Span | null;
  readonly isLoading: boolean;
  /** null if the view does not follow the data. */
  readonly stream: StreamState | null;
  readonly onReload: () => void;
};

/** Chooses the time: by name or calendar, or by moving the shown window. */
export function WindowControls(props: WindowControlsProps) {
  const { address, navigate, moments, span, stream, isLoading, onReload } = props;
  const show = (window: WindowChoice) => navigate.go({ window });
  const step = (move: (span: Span) => Span) => () => {
    if (span) show({ kind: 'interval', ...move(span) });
  };
  return (
    <fieldset class="window-controls" aria-label="Time">
      <div class="field">
        <span class="field-label" aria-hidden="true">
          Time
        </span>
        <div class="joined">
          <IconButton icon="back" name="Earlier" disabled={!span} onClick={step(earlier)} />
          <Popover
            class="is-window"
            name="Time"
            label={
              <>
                <span class="sr-only">Time: </span>
                <span class="window-name">{windowLabel(address.window, moments)}</span>
              </>
            }
          >
            {(close) => (
              <WindowPicker
                {...props}
                onChoose={(window) => {
                  close();
                  show(window);
                }}
              />
            )}
          </Popover>
          <IconButton icon="forward" name="Later" disabled={!span} onClick={step(later)} />
          <IconButton icon="widen" name="Zoom out" disabled={!span} onClick={step(wider)} />
          <IconButton icon="reload" name="Reload" disabled={isLoading} onClick={onReload} />
          {stream && <LiveButton {...props} stream={stream} />}
        </div>
      </div>
    </fieldset>
  );
}

const half = ({ from, to }: Span): number => Math.max(60, Math.round((to - from) / 2));

const earlier = (span: Span): Span => shifted(span, -half(span));

const later = (span: Span): Span => shifted(span, half(span));

function shifted({ from, to }: Span, seconds: number): Span {
  const start = Math.max(0, from + seconds);
  return { from: start, to: start + (to - from) };
}

function wider({ from, to }: Span): Span {
  const more = Math.round((to - from) / 2);
  const start = Math.max(0, from - more);
  return { from: start, to: start + 2 * (to - from) };
}
