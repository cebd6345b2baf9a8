import type { ComponentChildren } from 'preact';

type KeyNameProps = {
  /** The label, as a link. */
  readonly children: ComponentChildren;
  /** null if it is the same as the label. */
  readonly readable: string | null;
  /** The key has several parts, so both texts are long. */
  readonly hasParts?: boolean;
};

/**
 * A label and its readable key. If there is little room, the label is cut short, not the key; of a
 * key with several parts, the readable key goes below the label.
 */
export const KeyName = ({ children, readable, hasParts = false }: KeyNameProps) => (
  <span class={hasParts ? 'key-name has-parts' : 'key-name'}>
    {children} {readable !== null && <span class="readable">{readable}</span>}
  </span>
);

/** The name of a key; that of a pair breaks between its parts first. */
export const KeyText = ({ text }: { readonly text: string }) => {
  const parts = text.split(BETWEEN_PARTS);
  if (parts.length === 1) return text;
  return parts.map((part, index) => [
    index > 0 && ' ',
    <span key={index} class="key-part">
      {index > 0 && '× '}
      {part}
    </span>,
  ]);
};

const BETWEEN_PARTS = ' × ';
