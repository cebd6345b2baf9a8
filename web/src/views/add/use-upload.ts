import { useEffect, useRef, useState } from 'preact/hooks';
import { type Fault, faultOf } from '../../api/fault.ts';
import type { Session } from '../../api/session.ts';
import { type Upload, type UploadOutcome, upload } from '../../api/upload.ts';
import type { UploadReport } from '../../data/add/upload-report.ts';

export type UploadState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending'; readonly share: number }
  | { readonly kind: 'failed'; readonly fault: Fault }
  | UploadOutcome;

/** Uploads one file at a time. It is cancelled if the user leaves the view. */
export function useUpload(session: Session, onImported: (report: UploadReport) => void) {
  const [state, setState] = useState<UploadState>({ kind: 'idle' });
  const stopping = useRef(new AbortController());
  const stop = () => stopping.current.abort();
  const isSending = state.kind === 'sending';
  useEffect(() => stop, []);
  useEffect(() => {
    if (!isSending) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isSending]);
  const send = async (sent: Upload) => {
    if (isSending) return;
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    const onSent = (share: number) => setState({ kind: 'sending', share });
    onSent(0);
    try {
      const outcome = await upload(sent, { session, signal, onSent });
      setState(outcome);
      if (outcome.kind === 'imported') onImported(outcome.report);
    } catch (error) {
      setState(signal.aborted ? { kind: 'idle' } : { kind: 'failed', fault: faultOf(error) });
    }
  };
  return { state, send, stop, reset: () => setState({ kind: 'idle' }) };
}
