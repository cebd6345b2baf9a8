import type { Ref } from 'preact';
import { useId } from 'preact/hooks';

type TextFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'date' | 'datetime-local';
  readonly hint?: string | undefined;
  /** Why the value was refused. */
  readonly fault?: string | null;
  readonly placeholder?: string;
  readonly required?: boolean;
  /** What a browser may offer to complete the text. */
  readonly known?: readonly string[];
  readonly field?: Ref<HTMLInputElement>;
};

/** A labelled field, with a hint and what is wrong with its value below it. */
export function TextField(props: TextFieldProps) {
  const { label, value, onInput, type = 'text', hint, fault = null, known = [] } = props;
  const id = useId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <input
        id={id}
        ref={props.field ?? null}
        type={type}
        value={value}
        placeholder={props.placeholder}
        required={props.required}
        list={known.length > 0 ? `${id}-known` : undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-hint ${id}-fault`}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {known.length > 0 && (
        <datalist id={`${id}-known`}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <p class="edit-fault" id={`${id}-fault`} role="alert">
        {fault}
      </p>
    </div>
  );
}
