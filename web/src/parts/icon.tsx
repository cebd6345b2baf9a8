import type { Ref } from 'preact';

/** Paths of the icons, drawn in the colour of the text next to them. */
const PATHS = {
  hide: 'M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4zM2.5 13.5l11-11',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M10 3L5 8l5 5',
  forward: 'M6 3l5 5-5 5',
  widen: 'M7 7m-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0M10.2 10.2L14 14M5 7h4',
  narrow: 'M7 7m-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0M10.2 10.2L14 14M5 7h4M7 5v4',
  reload: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  edit: 'M3 13l.7-3L10.8 2.9l2.3 2.3L6 12.3zM9.5 4.2l2.3 2.3',
  save: 'M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13h10',
  link: 'M6.5 9.5l3-3M7 4.6l1.5-1.5a2.7 2.7 0 0 1 3.9 3.9L11 8.4M9 11.4l-1.5 1.5a2.7 2.7 0 0 1-3.9-3.9L5 7.6',
  star: 'M8 2l1.8 3.8 4.2.5-3.1 2.9.8 4.1L8 11.2l-3.7 2.1.8-4.1L2 6.3l4.2-.5z',
  code: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  system: 'M2.5 3.5h11v7h-11zM6 13.5h4M8 10.5v3',
  light:
    'M8 8m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0M8 1.6v1.6M8 12.8v1.6M1.6 8h1.6M12.8 8h1.6M3.5 3.5l1.1 1.1M11.4 11.4l1.1 1.1M3.5 12.5l1.1-1.1M11.4 4.6l1.1-1.1',
  dark: 'M13 9.6A5.4 5.4 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6z',
  bell: 'M4.2 11.2V7.3a3.8 3.8 0 0 1 7.6 0v3.9l1.2 1.3H3zM6.7 14.4h2.6M8 3.5V2',
  help: 'M5.6 5.8a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.9M8 12.4v.2',
  leave: 'M9.5 3H4v10h5.5M7 8h6.5M11 5.5L13.5 8 11 10.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

type IconButtonProps = {
  readonly icon: IconName;
  readonly name: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
};

/** A disabled button does nothing, but keeps the focus. */
export function IconButton({ icon, name, onClick, disabled = false, ref = null }: IconButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      class="button is-icon"
      title={name}
      aria-label={name}
      aria-disabled={disabled}
      onClick={disabled ? undefined : onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
