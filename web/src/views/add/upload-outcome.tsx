import type { Upload } from '../../api/upload.ts';
import { reportWords, type UploadReport } from '../../data/add/upload-report.ts';
import type { UploadState } from './use-upload.ts';

type UploadOutcomeProps = {
  readonly state: UploadState;
  /** Shows the time of what was imported. */
  readonly onShow: (report: UploadReport) => void;
  /** Sends the same file once more. */
  readonly onAgain: (ifKnown: Upload['ifKnown']) => void;
};

/** Says how far an upload is, and what became of it. */
export const UploadOutcomeText = (props: UploadOutcomeProps) => (
  <>
    <div role="status">{statusOf(props)}</div>
    <p class="edit-fault" role="alert">
      {props.state.kind === 'failed' ? props.state.fault.message : ''}
    </p>
  </>
);

function statusOf({ state, onShow, onAgain }: UploadOutcomeProps) {
  switch (state.kind) {
    case 'sending':
      return (
        <p>
          {state.share < 1 ? 'Sending …' : 'Importing …'}{' '}
          <span class="hint">Leaving this view cancels it.</span>
        </p>
      );
    case 'imported':
      return <Imported report={state.report} onShow={onShow} />;
    case 'known':
      return (
        <>
          <p>{state.known.message}.</p>
          <div class="add-actions">
            {state.known.hasGrown && (
              <button type="button" class="button is-primary" onClick={() => onAgain('grown')}>
                Import what is new
              </button>
            )}
            <button type="button" class="button" onClick={() => onAgain('again')}>
              Count all of it again
            </button>
          </div>
        </>
      );
    default:
      return null;
  }
}

type ImportedProps = Pick<UploadOutcomeProps, 'onShow'> & { readonly report: UploadReport };

function Imported({ report, onShow }: ImportedProps) {
  const { source, notes, badLines, from } = report;
  return (
    <>
      <p>
        <strong>{source}</strong> is imported. {reportWords(report).join(' ')}
      </p>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {badLines.named.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it.
        <section class="add-lines" tabIndex={0} aria-label="Lines that could not be read">
          <ul>
            {badLines.named.map(({ line, reason }) => (
              <li key={line}>
                line {line}: {reason}
              </li>
            ))}
          </ul>
        </section>
      )}
      {from !== null && (
        <button type="button" class="button" onClick={() => onShow(report)}>
          Show its time
        </button>
      )}
    </>
  );
}
