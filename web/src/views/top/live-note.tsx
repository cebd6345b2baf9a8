import { useEffect, useState } from 'preact/hooks';
import { type LiveCourse, liveNote } from '../../data/live-note.ts';

type LiveNoteProps = {
  readonly course: LiveCourse;
  /** Where the data ends, in words; null if there is none. */
  readonly newest: string | null;
};

const TICK_MS = 5000;

/** Says why a live view is out of date, in an overlay that moves nothing on the page. */
export function LiveNoteBar({ course, newest }: LiveNoteProps) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const note = liveNote(course, Math.max(nowMs, course.newestAtMs ?? 0));
  return (
    // Without an element around them: it would take up space next to the view.
    <>
      {/* Screen readers read only the short text: not each answer, nor each minute. */}
      <p class="sr-only" role="status">
        {note?.short ?? (course.stream.kind === 'open' ? 'Live' : '')}
      </p>
      {note && (
        <p class="live-note">
          <strong>{note.short}</strong> {note.detail}
          {newest && ` The data ends at ${newest}.`}
        </p>
      )}
    </>
  );
}
