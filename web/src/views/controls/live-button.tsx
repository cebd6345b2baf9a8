import { movesOn } from '../../address/window-choice.ts';
import type { StreamState } from '../../api/use-stream.ts';
import type { Span } from '../../data/choices.ts';
import { longDuration } from '../../format/moment.ts';
import type { ViewProps } from '../view-props.ts';

type LiveButtonProps = ViewProps & {
  readonly stream: StreamState;
  /** The window that is shown. */
  readonly span: Span | null;
};

/** Switches following the data on and off. */
export function LiveButton({ address, navigate, stream, span }: LiveButtonProps) {
  return (
    <button
      type="button"
      class={`button is-live is-${stream.kind}`}
      aria-pressed={address.live}
      title={titleOf(address, span)}
      onClick={() => navigate.go({ live: !address.live })}
    >
      <span class="live-dot" aria-hidden="true" />
      Live
    </button>
  );
}

/** Says what a click does, even if the window does not end with the newest data. */
function titleOf({ live, window }: ViewProps['address'], span: LiveButtonProps['span']): string {
  if (live) return 'Stop following the data';
  if (movesOn(window)) return 'Follow the newest data as it arrives';
  const length = span ? `the newest ${longDuration(span.to - span.from)}` : 'the newest data';
  return `Show ${length} and follow the data as it arrives`;
}
