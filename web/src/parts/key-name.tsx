import type { ComponentChildren } from 'preact';

type KeyNameProps = {
  /** The label, as a link. */
  readonly children: ComponentChildren;
  /** null if it is the same as the label. */
  readonly readable: string | null;
};

/** A label and its readable key. If there is little room, the label is cut short, not the key. */
export const KeyName = ({ children, readable }: KeyNameProps) => (
  <span class="key-name">
    {children} {readable !== null && <span class="readable">{readable}</span>}
  </span>
);
