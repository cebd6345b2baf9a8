import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { UpdateSlice } from '../../../generated/operations.ts';
import { useSaving } from '../../api/use-saving.ts';
import { ownTags, parseTags, tagsText } from '../../data/edits/slice-tags.ts';
import { useFocusAfter } from '../../parts/focus.ts';
import { IconButton } from '../../parts/icon.tsx';
import { EditActions, escapeTo } from '../controls/edit-actions.tsx';
import type { ViewProps } from '../view-props.ts';
import type { SliceRow } from './slice-row.ts';

type SliceTagsCellProps = ViewProps & {
  readonly slice: SliceRow;
  /** null if the viewer may not change the tags. */
  readonly onEdited: (() => void) | null;
};

/** The tags of a slice, which editors may change in place. */
export function SliceTagsCell({ slice, session, onEdited }: SliceTagsCellProps) {
  const [isEditing, setEditing] = useState(false);
  const edit = useFocusAfter(isEditing);
  if (!isEditing || !onEdited) {
    return (
      <>
        {tagsText(slice.tags)}{' '}
        {onEdited && (
          <IconButton
            ref={edit}
            icon="edit"
            name={`Edit the tags of ${slice.name}`}
            onClick={() => setEditing(true)}
          />
        )}
      </>
    );
  }
  return (
    <TagsForm
      slice={slice}
      session={session}
      onEdited={onEdited}
      onClose={() => setEditing(false)}
    />
  );
}

type TagsFormProps = Pick<SliceTagsCellProps, 'slice' | 'session'> & {
  readonly onEdited: () => void;
  readonly onClose: () => void;
};

function TagsForm({ slice, session, onEdited, onClose }: TagsFormProps) {
  const [text, setText] = useState(tagsText(ownTags(slice.tags)));
  const first = useRef<HTMLInputElement>(null);
  // Before the next key press, so that none is lost.
  useLayoutEffect(() => first.current?.focus(), []);
  const { isSaving, fault, save } = useSaving(UpdateSlice, session, {
    isMade: ({ updateSlice }) => updateSlice !== null,
    onSaved: (isOpen) => {
      onEdited();
      if (isOpen) onClose();
    },
  });
  return (
    <form
      class="edit is-inline"
      aria-label={`Tags of ${slice.name}`}
      onKeyDown={escapeTo(onClose)}
      onSubmit={(event) => {
        event.preventDefault();
        save({ id: slice.id, tags: parseTags(text) });
      }}
    >
      <input
        ref={first}
        type="text"
        aria-label={`Tags of ${slice.name}, separated by commas`}
        placeholder="comma-separated tags"
        value={text}
        onInput={({ currentTarget: { value } }) => setText(value)}
      />
      <EditActions isSaving={isSaving} fault={fault} onCancel={onClose} />
    </form>
  );
}
