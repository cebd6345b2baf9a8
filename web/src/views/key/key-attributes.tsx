import { useState } from 'preact/hooks';
import type { ShownKey } from '../../data/shown-key.ts';
import { useFocusAfter } from '../../parts/focus.ts';
import { KeyEditor } from './key-editor.tsx';
import type { KeyViewProps } from './key-props.ts';

type KeyAttributesProps = KeyViewProps & { readonly known: NonNullable<ShownKey['known']> };

/** What is known about a key besides its traffic; editors may change it. */
export function KeyAttributes(props: KeyAttributesProps) {
  const { known, rawKey, shownKey } = props;
  const [isEditing, setEditing] = useState(false);
  const edit = useFocusAfter(isEditing);
  // A network has no texts: it is not a key of the group.
  const mayEdit = props.mayEdit && shownKey.network === null;
  return (
    <section class="attributes" aria-label="Attributes">
      <div class="attributes-head">
        <h3>Attributes</h3>
        {mayEdit && !isEditing && (
          <button ref={edit} type="button" class="button" onClick={() => setEditing(true)}>
            Edit
          </button>
        )}
      </div>
      {mayEdit && isEditing && (
        <KeyEditor {...props} known={known} onClose={() => setEditing(false)} />
      )}
      <dl>
        {(mayEdit && isEditing ? keysOf : rowsOf)(known, rawKey).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

type Rows = readonly (readonly [string, string])[];

const rowsOf = (known: KeyAttributesProps['known'], rawKey: string): Rows => [
  ...(known.description ? ([['Description', known.description]] as const) : []),
  ...(known.attributes ?? []).map(({ name, value }) => [name, value] as const),
  ...keysOf(known, rawKey),
];

/** The rows that nobody can change. */
const keysOf = ({ readable, key }: KeyAttributesProps['known'], rawKey: string): Rows => [
  ['Readable key', readable],
  ['Raw key', key || rawKey],
];
