import { useState } from 'preact/hooks';
import { copyText } from '../../export/copy-text.ts';

type CopiedTextProps = {
  /** What it is, for the name of the button. */
  readonly name: string;
  readonly text: string;
};

/** A text to be typed elsewhere, with a button that copies it. */
export function CopiedText({ name, text }: CopiedTextProps) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    setSaid((await copyText(text)) ? 'Copied' : 'The browser does not let pages copy: select it');
  };
  return (
    <div class="copied">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it. */}
      <section class="copied-text" tabIndex={0} aria-label={name}>
        <pre>{text}</pre>
      </section>
      <div class="copied-foot">
        <button
          type="button"
          class="button"
          aria-label={`Copy ${name}`}
          onClick={() => void copy()}
        >
          Copy
        </button>
        <span class="hint" role="status">
          {said}
        </span>
      </div>
    </div>
  );
}
