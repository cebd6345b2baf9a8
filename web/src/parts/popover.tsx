import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useWithinWindow } from './within-window.ts';

type PopoverProps = {
  /** Content of the button, which is also its name. */
  readonly label: ComponentChildren;
  /** Name of the panel. */
  readonly name: string;
  readonly class?: string;
  readonly children: (close: () => void) => ComponentChildren;
};

/** A button with a panel below it, which closes on Escape, a click elsewhere, or a choice. */
export function Popover({ label, name, class: className = '', children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useWithinWindow(panel, isOpen);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const leave = (event: Event) => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.stopPropagation();
    close();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only handles Escape from its content.
    <div ref={place} class={`popover ${className}`} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class="button has-caret"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="button-text">{label}</span>
      </button>
      {isOpen && (
        <div ref={panel} class="popover-panel" role="dialog" aria-label={name}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
