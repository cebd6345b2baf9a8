import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Session } from '../../api/session.ts';
import { type Upload, uploadLimit } from '../../api/upload.ts';
import { beginningOf, guessFormat, LOCAL_TIME_FORMATS } from '../../data/add/upload-format.ts';
import type { UploadReport } from '../../data/add/upload-report.ts';
import { parseTags } from '../../data/edits/slice-tags.ts';
import { NO_UPLOAD_TEXTS, UploadChoices, type UploadTexts } from './upload-choices.tsx';
import { UploadOutcomeText } from './upload-outcome.tsx';
import { useUpload } from './use-upload.ts';

type UploadCardProps = {
  readonly session: Session;
  readonly context: string;
  readonly onImported: (report: UploadReport) => void;
  /** Shows the time of what was imported. */
  readonly onShow: (report: UploadReport) => void;
};

/** Takes a log file, dropped or chosen, and imports it. */
export const UploadCard = (props: UploadCardProps) => (
  <section class="card add-card" aria-labelledby="add-upload">
    <div class="card-head">
      <h2 id="add-upload">From a file</h2>
    </div>
    {uploadLimit() === 0 ? (
      <p class="card-text">
        Uploads are switched off on this server: <code>COUNTERGRAPH_UPLOAD_MB</code> is 0.
      </p>
    ) : (
      <UploadForm {...props} />
    )}
  </section>
);

function UploadForm({ session, context, onImported, onShow }: UploadCardProps) {
  const [file, setFile] = useState<File | null>(null);
  const [texts, setTexts] = useState(NO_UPLOAD_TEXTS);
  const { state, send, stop, reset } = useUpload(session, onImported);
  const change = (changed: Partial<UploadTexts>) =>
    setTexts((before) => ({ ...before, ...changed }));
  const choose = async (chosen: File) => {
    setFile(chosen);
    reset();
    const format = guessFormat(chosen.name, await beginningOf(chosen));
    if (format) change({ format });
  };
  const isSending = state.kind === 'sending';
  const tooLarge = tooLargeText(file);
  const begin = (ifKnown: Upload['ifKnown']) => {
    if (file && tooLarge === null) void send(uploadOf({ file, context, ifKnown }, texts));
  };
  return (
    <DropForm
      isOff={isSending}
      onFile={(chosen) => void choose(chosen)}
      onSubmit={() => begin('refuse')}
    >
      <label class="add-drop">
        <span>{file ? <strong>{file.name}</strong> : 'Drop a log file here, or choose one'}</span>
        <input
          type="file"
          aria-label="Log file"
          disabled={isSending}
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            if (chosen) void choose(chosen);
          }}
        />
      </label>
      <UploadChoices texts={texts} onChange={change} />
      <div class="add-actions">
        <button
          type="submit"
          class="button is-primary"
          aria-disabled={!file || isSending || tooLarge !== null}
        >
          Import
        </button>
        {isSending && (
          <button type="button" class="button" onClick={stop}>
            Cancel
          </button>
        )}
      </div>
      {isSending && (
        <progress aria-label="Sent" max={1} value={state.share}>
          {Math.round(state.share * 100)} %
        </progress>
      )}
      <p class="edit-fault" role="alert">
        {tooLarge}
      </p>
      <UploadOutcomeText state={state} onShow={onShow} onAgain={begin} />
    </DropForm>
  );
}

function uploadOf(
  sent: Pick<Upload, 'file' | 'context' | 'ifKnown'>,
  { format, home, timeZone, skipsBadLines }: UploadTexts,
): Upload {
  return {
    ...sent,
    format,
    skipsBadLines,
    home: format === 'samples' ? [] : parseTags(home),
    timeZone: LOCAL_TIME_FORMATS.has(format) ? timeZone.trim() : '',
  };
}

type DropFormProps = {
  /** Whether it takes no file at the moment. */
  readonly isOff: boolean;
  readonly onFile: (file: File) => void;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
};

/** A form onto which a file can be dropped. */
function DropForm({ isOff, onFile, onSubmit, children }: DropFormProps) {
  const [isOver, setOver] = useState(false);
  return (
    <form
      class={`add-body ${isOver ? 'is-over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!isOff);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const [dropped] = event.dataTransfer?.files ?? [];
        if (dropped && !isOff) onFile(dropped);
      }}
    >
      {children}
    </form>
  );
}

const MEBIBYTE = 2 ** 20;

/** A browser would send all of a file that is too large, and then see a closed connection. */
function tooLargeText(file: File | null): string | null {
  const limit = uploadLimit();
  if (!file || limit === null || file.size <= limit * MEBIBYTE) return null;
  return `The file must have at most ${limit} MB: compress it with gzip, or split it.`;
}
