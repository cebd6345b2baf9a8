import { useEffect, useRef, useState } from 'preact/hooks';
import { type Fault, faultOf } from '../../api/fault.ts';
import type { Session } from '../../api/session.ts';
import { type Upload, upload } from '../../api/upload.ts';
import {
  guessFormat,
  reportWords,
  UPLOAD_FORMATS,
  type UploadFormat,
  type UploadReport,
} from '../../data/add/upload-report.ts';
import { parseTags } from '../../data/edits/slice-tags.ts';
import { Choice } from '../../parts/choice.tsx';
import { TextField } from '../../parts/text-field.tsx';

type UploadCardProps = {
  readonly session: Session;
  readonly context: string;
  readonly onImported: (report: UploadReport) => void;
  /** Shows the time of what was imported. */
  readonly onShow: (report: UploadReport) => void;
};

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending'; readonly share: number }
  | { readonly kind: 'imported'; readonly report: UploadReport }
  | { readonly kind: 'failed'; readonly fault: Fault };

const FORMATS: Readonly<Record<UploadFormat, string>> = {
  zeek: 'Zeek: conn.log',
  nfdump: 'nfdump: CSV',
  goflow2: 'goflow2: JSON lines',
  pmacct: 'pmacct: JSON lines',
  samples: 'samples: readings as JSON lines',
};

const KNOWN = [
  { value: 'refuse', label: 'refuse it' },
  { value: 'grown', label: 'count only the lines since then' },
  { value: 'again', label: 'count all of it again' },
] as const;

/** How much of a file is looked at to guess its format. */
const BEGINNING_BYTES = 4096;

/** Takes a log file, dropped or chosen, and imports it. */
export function UploadCard({ session, context, onImported, onShow }: UploadCardProps) {
  const [file, setFile] = useState<File | null>(null);
  const [format, setFormat] = useState<UploadFormat>('zeek');
  const [home, setHome] = useState('');
  const [skipsBadLines, setSkipping] = useState(false);
  const [known, setKnown] = useState<Upload['known']>('refuse');
  const [isOver, setOver] = useState(false);
  const { state, send, stop } = useUpload(session, onImported);

  const choose = async (chosen: File | null) => {
    if (!chosen) return;
    setFile(chosen);
    const beginning = await chosen.slice(0, BEGINNING_BYTES).text();
    setFormat((before) => guessFormat(chosen.name, beginning) ?? before);
  };

  const isSending = state.kind === 'sending';
  return (
    <section class="card add-card" aria-labelledby="add-upload">
      <div class="card-head">
        <h2 id="add-upload">From a file</h2>
      </div>
      <form
        class={`add-body ${isOver ? 'is-over' : ''}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (file)
            void send({ file, context, format, home: parseTags(home), skipsBadLines, known });
        }}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void choose(event.dataTransfer?.files[0] ?? null);
        }}
      >
        <label class="add-drop">
          <span>{file ? <strong>{file.name}</strong> : 'Drop a log file here, or choose one'}</span>
          <input
            type="file"
            aria-label="Log file"
            onChange={({ currentTarget }) => void choose(currentTarget.files?.[0] ?? null)}
          />
        </label>
        <Choice
          label="Format"
          value={format}
          options={UPLOAD_FORMATS.map((value) => ({ value, label: FORMATS[value] }))}
          onChoose={(value) => setFormat(UPLOAD_FORMATS.find((each) => each === value) ?? 'zeek')}
        />
        {format !== 'samples' && (
          <TextField
            label="Home networks"
            placeholder="the private networks"
            hint="With commas between: 192.0.2.0/24, 2001:db8::/32"
            value={home}
            onInput={setHome}
          />
        )}
        <Choice
          label="If it was imported before"
          value={known}
          options={KNOWN}
          onChoose={(value) =>
            setKnown(KNOWN.find((each) => each.value === value)?.value ?? 'refuse')
          }
        />
        <label class="check">
          <input
            type="checkbox"
            checked={skipsBadLines}
            onChange={({ currentTarget }) => setSkipping(currentTarget.checked)}
          />
          Skip lines that cannot be read
        </label>
        <div class="add-actions">
          <button type="submit" class="button is-primary" aria-disabled={!file || isSending}>
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
        <div role="status">
          {isSending && <p>{state.share < 1 ? 'Sending …' : 'Importing …'}</p>}
          {state.kind === 'imported' && <Imported report={state.report} onShow={onShow} />}
        </div>
        <p class="edit-fault" role="alert">
          {state.kind === 'failed' ? state.fault.message : ''}
        </p>
      </form>
    </section>
  );
}

/** Uploads one file at a time. */
function useUpload(session: Session, onImported: (report: UploadReport) => void) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const stopping = useRef(new AbortController());
  const stop = () => stopping.current.abort();
  useEffect(() => stop, []);
  const send = async (sent: Upload) => {
    if (state.kind === 'sending') return;
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    const onSent = (share: number) => setState({ kind: 'sending', share });
    onSent(0);
    try {
      const report = await upload(sent, { session, signal, onSent });
      setState({ kind: 'imported', report });
      onImported(report);
    } catch (error) {
      setState(signal.aborted ? { kind: 'idle' } : { kind: 'failed', fault: faultOf(error) });
    }
  };
  return { state, send, stop };
}

type ImportedProps = Pick<UploadCardProps, 'onShow'> & { readonly report: UploadReport };

function Imported({ report, onShow }: ImportedProps) {
  return (
    <>
      <p>
        <strong>{report.source}</strong> is imported. {reportWords(report).join(' ')}
      </p>
      {(report.notes ?? []).map((note) => (
        <p key={note}>{note}</p>
      ))}
      {report.badLines.named.length > 0 && (
        <ul>
          {report.badLines.named.map(({ line, reason }) => (
            <li key={line}>
              line {line}: {reason}
            </li>
          ))}
        </ul>
      )}
      {report.from !== null && report.to !== null && (
        <button type="button" class="button" onClick={() => onShow(report)}>
          Show it
        </button>
      )}
    </>
  );
}
